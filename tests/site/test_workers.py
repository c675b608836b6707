"""Workers tell of the machines they run on: at their start, from time to time, until they end."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.utils import timezone

from bots import actions, tasks, walls
from bots.models import WorkerNode
from bots.sandbox import Isolation

pytestmark = pytest.mark.django_db

FULL = Isolation("full", ("one", "two"), "Fine.", "a wall")


def consumer(*queues: str) -> Any:
    """What Celery sends with its signals, as far as it is looked at."""
    calls: list[Any] = []
    timer = SimpleNamespace(call_repeatedly=lambda *call: calls.append(call), calls=calls)
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    pool = SimpleNamespace(num_processes=3)
    app = SimpleNamespace(amqp=amqp)
    return SimpleNamespace(hostname="worker@here", timer=timer, app=app, pool=pool)


@pytest.fixture(autouse=True)
def one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "detect", lambda: FULL)
    monkeypatch.setattr(connections, "close_all", lambda: None)  # the test needs it


def test_a_worker_tells_from_its_start_to_its_end() -> None:
    worker = consumer("matches", "checks")
    tasks._ready(worker)
    [node] = walls.nodes()
    assert (node.name, node.level, node.memory) == ("worker@here", "full", "a wall")
    assert (node.processes, walls.workers()) == (3, 3)
    assert (node.layers, node.reason) == (["one", "two"], "Fine.")
    [(seconds, report, arguments)] = worker.timer.calls
    assert seconds * 2 < walls.HEARD.total_seconds()
    report(*arguments)
    assert len(walls.nodes()) == 1
    tasks._shut_down(worker)
    assert walls.nodes() == []


def test_a_housekeeper_has_no_bots_to_shut_in() -> None:
    worker = consumer("housekeeping")
    tasks._ready(worker)
    assert (walls.nodes(), worker.timer.calls) == ([], [])


def test_a_lost_database_ends_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(actions, "report_worker", lost)
    tasks._report(consumer())


def test_who_is_silent_is_not_counted_and_then_forgotten() -> None:
    for name, silent in (("minutes", timedelta(minutes=6)), ("days", timedelta(days=2))):
        actions.report_worker(name, FULL)
        WorkerNode.objects.filter(name=name).update(seen=timezone.now() - silent)
    actions.report_worker("now", FULL)
    assert [node.name for node in walls.nodes()] == ["now"]
    assert not WorkerNode.objects.filter(name="days").exists()


def test_workers_with_the_same_walls_are_told_together() -> None:
    for name in ("a", "b"):
        actions.report_worker(name, FULL)
    actions.report_worker("c", Isolation("none", (), "Nothing."))
    assert walls.summary(walls.nodes()) == [
        walls.Walls(1, "none", "", ()),
        walls.Walls(2, "full", "a wall", ("one", "two")),
    ]
