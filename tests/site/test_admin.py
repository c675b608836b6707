"""The administration: staff look at everything and change nothing."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client

from tests import factories as make
from tournaments import projections

pytestmark = pytest.mark.django_db

OURS = [model for model in admin.site._registry if model.__module__.startswith(("bots", "tourn"))]


@pytest.fixture
def staff(client: Client) -> Client:
    user = make.user(staff=True)
    user.is_superuser = True
    user.save()
    client.force_login(user)
    return client


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_list_and_entry_can_be_looked_at(staff: Client, model: type) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    meta = model._meta  # type: ignore[attr-defined]  # a model has it
    base = f"/admin/{meta.app_label}/{meta.model_name}/"
    listed = staff.get(base, {"q": "1"} if admin.site._registry[model].search_fields else {})
    assert listed.status_code == 200
    one = model.objects.first()  # type: ignore[attr-defined]  # a model has it
    assert staff.get(f"{base}{one.pk}/change/").status_code == 200
    assert staff.post(f"{base}{one.pk}/change/", {}).status_code == 403
    assert staff.post(f"{base}{one.pk}/delete/", {"post": "yes"}).status_code == 403
    assert staff.get(f"{base}add/").status_code == 403
