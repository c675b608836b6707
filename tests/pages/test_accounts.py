"""Signing up, logging in and out, the token."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.authtoken.models import Token

from tests import factories
from tests.pages.test_pages import read

pytestmark = pytest.mark.django_db
GOOD = {"username": "wren", "password1": "mossy-nest-3", "password2": "mossy-nest-3"}


def test_sign_up_logs_in_and_leads_to_the_upload(client: Client) -> None:
    response = client.post("/signup/", GOOD)
    assert response["Location"] == "/upload/"
    assert client.get("/account/").status_code == 200
    assert User.objects.get().username == "wren"


def test_sign_up_goes_on_where_it_came_from(client: Client) -> None:
    page = client.get("/signup/?next=/tournaments/new/").content.decode()
    assert 'name="next" value="/tournaments/new/"' in page
    response = client.post("/signup/", GOOD | {"next": "/tournaments/new/"})
    assert response["Location"] == "/tournaments/new/"


def test_sign_up_never_leads_elsewhere(client: Client) -> None:
    assert client.post("/signup/", GOOD | {"next": "//evil.example"})["Location"] == "/upload/"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"username": "a b"}, "A user name has only letters, digits"),
        ({"username": "taken"}, "Somebody has this name already"),
        ({"password2": "other"}, "match"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"username": ""}, "required"),
    ],
)
def test_what_is_wrong_is_said_and_the_name_kept(
    client: Client, changes: dict[str, str], words: str
) -> None:
    factories.user("taken")
    response = client.post("/signup/", GOOD | changes)
    assert response.status_code == 200
    page = response.content.decode()
    read(page)
    assert words in page
    assert User.objects.count() == 1


def test_log_in_and_out(client: Client) -> None:
    factories.user("wren")
    wrong = client.post("/login/", {"username": "wren", "password": "no"})
    assert b"No account has this user name and password" in wrong.content
    right = client.post("/login/", {"username": "wren", "password": "secret", "next": "/account/"})
    assert right["Location"] == "/account/"
    assert client.get("/login/")["Location"] == "/"
    assert client.post("/logout/")["Location"] == "/"
    assert client.get("/account/").status_code == 302


def test_a_token_is_made_and_replaced(client: Client) -> None:
    user = factories.user("wren")
    client.force_login(user)
    assert b"You have none yet" in client.get("/account/").content
    client.post("/account/token/")
    first = Token.objects.get(user=user).key
    assert first in client.get("/account/").content.decode()
    client.post("/account/token/")
    assert Token.objects.get(user=user).key != first
    assert client.get("/account/token/").status_code == 405
