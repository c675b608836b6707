"""What supervisors and monitors ask the site."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from django.test import Client

from cardroom import reachable
from cardroom_base.db import schema

PLAIN = {"HTTP_HOST": "10.0.0.9:8000"}
"""By the address of a machine, over plain HTTP."""


@pytest.fixture
def strict(settings: Any) -> None:
    """The site redirects to HTTPS, has another name, and its settings name a broker."""
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["cards.example.org"]
    settings.EMBEDDED_BROKER = False
    reachable.database.forget()
    reachable.broker.forget()


def not_ready(client: Client) -> dict[str, str]:
    answer = client.get("/readyz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    shown = answer.json()
    assert answer.status_code == (200 if shown["ready"] else 503)
    assert answer["Cache-Control"] == "no-store"
    return {part["part"]: part["reason"] for part in shown["not_ready"]}


def test_a_living_process_says_so_without_a_database(client: Client, strict: None) -> None:
    answer = client.get("/healthz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert client.get("/status/", **PLAIN).status_code == 400  # type: ignore[arg-type]


def test_a_process_without_its_database_is_not_ready(client: Client, strict: None) -> None:
    """Tests without the mark `django_db` have none."""
    assert not_ready(client) == {"database": "It cannot be reached."}


@pytest.mark.django_db
def test_a_process_is_ready_with_its_schema_and_its_broker(
    client: Client, strict: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert not_ready(client) == {}
    monkeypatch.setattr(schema, "number", lambda: 0)
    reachable.database.forget()
    frozen = Event()
    monkeypatch.setattr(reachable, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(reachable, "broker", reachable.Check(lambda: str(frozen.wait()), 5))
    troubles = not_ready(client)
    assert troubles["broker"] == reachable.SILENT
    assert "newer" in troubles["database"]
    settings.EMBEDDED_BROKER = True
    assert not_ready(client).keys() == {"database"}
    frozen.set()
