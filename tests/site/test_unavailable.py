"""A database that is away, or held by somebody, is said in a sentence."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from tests import factories
from tournaments import actions

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/tournaments/a-cup/open/", "/api/v1/tournaments/a-cup/open/"])
def test_who_asks_is_told_to_come_again(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def held(*_: object) -> None:
        raise OperationalError("canceling statement due to lock timeout")

    ada = factories.user("ada")
    actions.create_tournament(ada, name="A Cup", format=factories.FORMAT)
    monkeypatch.setattr(actions, "open_", held)
    client = Client()
    client.force_login(ada)
    json = "/api/" in address
    answer = (
        client.post(address, {}, "application/json")
        if json
        else client.post(address, {"word": "open"})
    )
    assert answer.status_code == 503
    assert "check, and try again in a minute." in answer.content.decode()
    assert "The database" in caplog.text
    if json:
        assert answer.json()["type"] == "urn:cardroom:problem:unavailable"
