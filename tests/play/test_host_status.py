"""Tables without a host show that; the status page and REST list hosts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from bots.sandbox import Isolation
from cardroom.pages.tables import table_views as pages
from cardroom_base.db.db_time import Now
from cardroom_tables.actions.hosting import forget_host, report_host
from cardroom_tables.hosts import NO_ANSWER, NO_HOST
from cardroom_tables.models import Hint, Opinion, Table, TableHost
from tests import factories as make
from tests.pages import finished
from tests.pages.markup import flat
from tests.play.hall import SHORT, Bots, Visitor, play_bots

pytestmark = pytest.mark.django_db
AGO = timedelta(seconds=10)


def add_host(name: str = "tables@here", level: Any = "full") -> None:
    report_host(name, Isolation(level, (), "no bubblewrap"), 4)


@pytest.fixture
def visitor() -> Visitor:
    """A visitor at a table with a bot that should have moved some seconds ago."""
    visitor = Visitor()
    state = visitor.create(SHORT)
    visitor.move(state, state["decision"]["moves"][0]["move"])
    Table.objects.update(moved=Now() - AGO)
    return visitor


def test_a_table_without_a_host_shows_trouble(visitor: Visitor) -> None:
    state = visitor.state()
    assert state["trouble"] == NO_HOST
    assert state["chip"] == {"kind": "waiting", "words": "waiting for a host"}
    assert state["poll"] == 2_000
    assert NO_HOST.split(".")[0] in visitor.get().content.decode()


def test_a_page_with_the_current_state_sees_the_trouble(visitor: Visitor) -> None:
    Table.objects.update(moved=Now())
    response = visitor.get("state/")
    assert response.json()["trouble"] == ""
    Table.objects.update(moved=Now() - AGO)
    second = visitor.client.get(
        f"/play/{visitor.key}/state/", headers={"If-None-Match": response["ETag"]}
    )
    assert (second.status_code, second.json()["trouble"]) == (200, NO_HOST)


def test_trouble_is_shown_only_without_a_live_host(visitor: Visitor, bots: Bots) -> None:
    add_host()
    assert visitor.state()["chip"]["kind"] == "thinking"
    TableHost.objects.update(seen=Now() - timedelta(minutes=2))
    assert visitor.state()["trouble"] == NO_HOST, "a silent host counts as alive"
    Table.objects.update(worker="tables@here", lease_until=Now(10))
    assert visitor.state()["trouble"] == "", "a leased table shows trouble"
    Table.objects.update(worker="", lease_until=None)
    assert play_bots() == 1
    assert visitor.state()["trouble"] == ""
    assert visitor.state()["chip"]["kind"] == "turn"


def test_a_hint_without_a_host_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "HINT_SECONDS", 0.0)
    visitor = Visitor()
    visitor.create(SHORT)
    assert visitor.post("hint", n=0).status_code == 202
    Hint.objects.update(not_before=Now() - AGO)
    response = visitor.post("hint", n=0)
    assert (response.status_code, response.json()["error"]) == (503, NO_HOST)
    add_host()
    assert visitor.post("hint", n=0).status_code == 202


def test_status_lists_the_hosts(client: Client) -> None:
    assert client.get("/api/v1/status/").json()["table_hosts"] == []
    assert "No host is serving people’s tables" in flat(client.get("/status/").content.decode())
    add_host()
    add_host("tables@there", "none")
    TableHost.objects.update(engine="compiled by mypyc")
    hosts = client.get("/api/v1/status/").json()["table_hosts"]
    assert hosts == [
        {"name": "", "tables": 4, "level": level, "engine": "compiled", "reason": ""}
        for level in ("full", "none")
    ]
    page = flat(client.get("/status/").content.decode())
    assert "Hosts of people’s tables</dt><dd>2</dd>" in page
    assert "tables@there" not in page
    client.force_login(make.user(staff=True))
    assert client.get("/api/v1/status/").json()["table_hosts"][1]["reason"] == "no bubblewrap"
    page = flat(client.get("/status/").content.decode())
    assert "tables@there" in page
    assert "no bubblewrap" in page
    forget_host("tables@there")
    assert len(client.get("/api/v1/status/").json()["table_hosts"]) == 1


def test_a_position_without_a_host_shows_trouble(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "HINT_SECONDS", 0.0)
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    address = f"/matches/{match.pk}/positions/20/"
    assert NO_ANSWER in flat(client.get(address).content.decode())
    move = client.get(address).context["state"]["decision"]["moves"][0]["move"]
    headers = {"Accept": "application/json"}
    assert client.post(f"{address}ask/", {"move": move}, headers=headers).status_code == 202
    Opinion.objects.update(created=Now() - AGO)
    response = client.post(f"{address}ask/", {"move": move}, headers=headers)
    assert (response.status_code, response.json()["error"]) == (503, NO_ANSWER)
    add_host()
    assert NO_ANSWER not in flat(client.get(address).content.decode())
    assert client.post(f"{address}ask/", {"move": move}, headers=headers).status_code == 202
