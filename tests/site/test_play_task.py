"""The task that a message starts plays until no match waits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connections

from cardroom_base.db import outbox
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import tasks, worker
from tournaments.actions import attempts, deal_groups
from tournaments.queue.task_names import PLAY_TASK

pytestmark = pytest.mark.django_db

PLAY: Any = getattr(tasks.play_matches.run, "__func__", None)


def task(*queues: str) -> Any:
    """The `self` of a task in a worker that serves these queues."""
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    return SimpleNamespace(
        request=SimpleNamespace(hostname="worker@here"), app=SimpleNamespace(amqp=amqp)
    )


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of batches and checks in their order; the third batch is empty."""
    steps: list[str] = []
    results = [3, 2, 0]

    def play(_: str) -> int:
        steps.append("batch")
        return results.pop(0)

    monkeypatch.setattr(tasks, "_play", play)
    monkeypatch.setattr(tasks, "check_waiting", lambda _: steps.append("check"))
    return steps


def test_it_continues_until_nothing_waits(steps: list[str]) -> None:
    assert PLAY(task("matches")) == 5
    assert steps == ["batch"] * 3
    assert not OutboxMessage.objects.exists()


def test_a_worker_checks_bots_between_batches(steps: list[str]) -> None:
    assert PLAY(task("matches", "checks")) == 5
    assert steps == ["batch", "check", "batch", "check", "batch"]


def test_it_ends_in_time_and_requests_another_task(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "LOOP_SECONDS", 0.0)
    monkeypatch.setattr(outbox, "has_unsent", lambda _: False)
    assert PLAY(task("matches")) == 0
    assert steps == []
    assert OutboxMessage.objects.get().task == PLAY_TASK


def test_it_continues_if_the_broker_is_unavailable(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "LOOP_SECONDS", 0.0)
    assert PLAY(task("matches")) == 5  # the test never commits, so no message is sent
    assert steps == ["batch"] * 3


def test_a_large_tournament_sends_few_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_groups, "MAX_MESSAGES", 3)
    make.tournament(2, groups=10, start=True)
    assert OutboxMessage.objects.filter(task=PLAY_TASK).count() == 3


@pytest.mark.parametrize(("queue", "messages"), [("matches", 2), ("tables", 0)])
def test_a_starting_worker_requests_tasks_for_waiting_matches(
    queue: str, messages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "close_all", lambda: None)
    monkeypatch.setattr(outbox, "queue_length", lambda _: 0)
    make.tournament(2, start=True)
    OutboxMessage.objects.all().delete()  # lost messages
    tasks._ask_for_work(task(queue))
    assert OutboxMessage.objects.filter(task=PLAY_TASK).count() == messages


def test_a_new_process_releases_the_matches_of_a_dead_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "close_all", lambda: None)
    monkeypatch.setattr(worker, "plan_once", lambda: None)
    monkeypatch.setattr(tasks, "_node_name", "")
    make.tournament(2, start=True)
    tasks._release_node_work(SimpleNamespace(hostname="worker@here", app=task("matches").app))
    [attempt] = attempts.claim("worker@here/7", 1)
    monkeypatch.setattr(tasks, "is_alive", lambda _: False)
    tasks._release_process_work()
    attempt.refresh_from_db()
    assert attempt.outcome == "lost"
