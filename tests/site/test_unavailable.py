"""A locked or unavailable database gives a clear error."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from tests import factories
from tournaments import actions

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/tournaments/a-cup/open/", "/api/v1/tournaments/a-cup/open/"])
def test_a_locked_database_gives_503_and_advice(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("canceling statement due to lock timeout")

    ada = factories.user("ada")
    actions.create_tournament(ada, name="A Cup", format=factories.FORMAT)
    monkeypatch.setattr(actions, "open_", fail)
    client = Client()
    client.force_login(ada)
    is_rest = "/api/" in address
    response = (
        client.post(address, {}, "application/json")
        if is_rest
        else client.post(address, {"word": "open"})
    )
    assert response.status_code == 503
    assert "check, and try again in a minute." in response.content.decode()
    assert "The database" in caplog.text
    if is_rest:
        assert response.json()["type"] == "urn:cardroom:problem:unavailable"
