"""The administration: staff see every list and entry and change none."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from cardroom.actions.tokens import find_token, make_token
from tests import factories as make
from tournaments import projections

pytestmark = pytest.mark.django_db

MODELS = [model for model in admin.site._registry if model.__module__.startswith(("bots", "tourn"))]


@pytest.fixture
def staff(client: Client) -> Client:
    user = make.user(staff=True)
    user.is_superuser = True
    user.save()
    client.force_login(user)
    return client


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_lists_and_entries_are_read_only(staff: Client, model: type) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    meta = model._meta  # type: ignore[attr-defined]  # a model has it
    base = f"/admin/{meta.app_label}/{meta.model_name}/"
    response = staff.get(base, {"q": "1"} if admin.site._registry[model].search_fields else {})
    assert response.status_code == 200
    entry = model.objects.first()  # type: ignore[attr-defined]  # a model has it
    assert staff.get(f"{base}{entry.pk}/change/").status_code == 200
    assert staff.post(f"{base}{entry.pk}/change/", {}).status_code == 403
    assert staff.post(f"{base}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert staff.get(f"{base}add/").status_code == 403


def test_names_of_accounts_are_checked(staff: Client) -> None:
    jay = make.user("jay")
    make.user("wren")
    base = "/admin/auth/user/"
    new = {"password1": "mossy-nest-3", "password2": "mossy-nest-3", "usable_password": "true"}
    for name, words in (
        ("wr\u0435n", "U+0435"),
        ("WREN", "looks like it"),
        ("admin", "mistaken for"),
    ):
        page = staff.post(f"{base}add/", new | {"username": name})
        assert words in page.content.decode()
        page = staff.post(f"{base}{jay.pk}/change/", {"username": name})
        assert words in page.content.decode()
    assert staff.post(f"{base}add/", new | {"username": "rook"}).status_code == 302
    assert User.objects.get(username="rook").looks.skeleton == "rook"


def test_tokens_are_shown_without_digests_and_can_be_deleted(staff: Client) -> None:
    token, secret = make_token(make.user("jay"), "x", ["read"], 1)
    page = staff.get(f"/admin/cardroom/token/{token.pk}/change/").content.decode()
    assert token.hint in page
    assert token.digest not in page
    staff.post(f"/admin/cardroom/token/{token.pk}/delete/", {"post": "yes"})
    assert find_token(secret) is None


def test_login_and_password_pages_are_the_sites(staff: Client) -> None:
    assert staff.get("/admin/password_change/")["Location"] == "/password/change/"
    assert Client().get("/admin/login/")["Location"] == "/login/?next=%2Fadmin%2Flogin%2F"
