"""The housekeeper: everything when it is time, whatever fails, and what the outbox asks for."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from bots import outbox
from bots.actions import TRIAL_TASK
from bots.models import OutboxMessage
from cardroom import celery, housekeeping
from cardroom.housekeeping import Job
from tournaments import tasks
from tournaments.queue.messages import ADVANCE_TASK, PLAY_TASK, RATINGS_TASK


@pytest.mark.parametrize(
    ("hour", "minute", "hours"), [(3, 15, 0), (3, 0, 0.25), (3, 16, 24 - 1 / 60), (15, 15, 12)]
)
def test_the_dump_waits_for_its_time(hour: int, minute: int, hours: float) -> None:
    now = datetime(2026, 5, 1, hour, minute, tzinfo=UTC)
    assert housekeeping.until("03:15", now) == pytest.approx(hours * 3600)


def test_there_is_a_dump_only_where_it_has_a_time(settings: Any) -> None:
    settings.DUMP_AT = ""
    names = {job.name for job in housekeeping.jobs(0.0)}
    short = {"asked", "relay", "keep", "sweep", "tables", "old tables", "door"}
    assert names == short | {"ratings asked", "ratings", "exports"}
    settings.DUMP_AT = "03:15"
    [dump] = [job for job in housekeeping.jobs(5.0) if job.name not in names]
    assert (dump.name, dump.every) == ("dump", 86400.0)
    assert 5 <= dump.due <= 5 + 86400


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OperationalError("gone"), "The database cannot be reached: gone"),
        (ValueError("wrong"), "The housekeeper's part “one” failed."),
    ],
)
def test_what_fails_holds_nothing_up_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    said: str,
) -> None:
    stop, done = threading.Event(), list[str]()

    def fail() -> None:
        done.append("fails")
        raise error

    def work() -> None:
        done.append("works")
        if done.count("works") == 3:
            stop.set()

    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    made = [Job("one", fail, 0.0, 0.0), Job("two", work, 0.0, 0.0)]
    monkeypatch.setattr(housekeeping, "jobs", lambda _: made)
    housekeeping.keep(stop)
    assert done == ["fails", "works"] * 3
    assert said in caplog.text


@pytest.mark.django_db
def test_it_does_what_the_outbox_asks_for_and_nothing_of_that_is_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[Any] = []
    asked = {
        ADVANCE_TASK: lambda tournament: done.append(tournament),
        TRIAL_TASK: lambda version: done.append(1 // version),
    }
    monkeypatch.setattr(housekeeping, "_SHORT", asked)
    for task, arguments in (
        (ADVANCE_TASK, {"tournament": 7}),
        (ADVANCE_TASK, {"tournament": 7}),
        (PLAY_TASK, {}),
        (TRIAL_TASK, {"version": 0}),
        (TRIAL_TASK, {"version": 1}),
    ):
        OutboxMessage.objects.create(task=task, arguments=arguments)
    assert housekeeping.do_asked() == 4
    assert done == [7, 1]
    assert "What the outbox asks for cannot be done" in caplog.text  # and is not asked for again
    assert [each.task for each in OutboxMessage.objects.filter(sent=None)] == [PLAY_TASK]
    assert outbox.relay() == 1
    assert housekeeping.do_asked() == 0


@pytest.mark.django_db
def test_who_is_held_by_somebody_waits_and_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, moved = {1}, list[int]()

    def move_on(tournament: int) -> None:
        if tournament in held:
            raise OperationalError("lock timeout") from LockNotAvailable()
        moved.append(tournament)

    monkeypatch.setattr(housekeeping, "_SHORT", {ADVANCE_TASK: move_on})
    for tournament in (1, 2, 1, 3):
        outbox.announce(ADVANCE_TASK, tournament=tournament)
    assert (housekeeping.do_asked(), moved) == (2, [2, 3])
    held.clear()
    assert (housekeeping.do_asked(), moved) == (2, [2, 3, 1])


def test_what_takes_long_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, moved = threading.Event(), threading.Event()
    monkeypatch.setattr(Job, "run", lambda job, _: job.do())

    def wait() -> None:
        if moved.wait(60):
            stop.set()

    waits = Job("long", wait, 0.0, 0.0, long=True)
    moves = Job("short", moved.set, 0.1, 0.0)
    monkeypatch.setattr(housekeeping, "jobs", lambda _: [waits, moves])
    housekeeping.keep(stop)
    assert moved.is_set()


@pytest.mark.django_db
def test_while_the_database_is_away_it_stays_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(housekeeping, "_LONG", {RATINGS_TASK: away})
    OutboxMessage.objects.create(task=RATINGS_TASK)
    with pytest.raises(OperationalError):
        outbox.done_here([RATINGS_TASK], housekeeping._do)
    assert outbox.unsent(RATINGS_TASK)


@pytest.mark.django_db
def test_a_sweep_goes_on_where_the_broker_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tests import factories as make

    def refuse(_: str) -> int:
        raise ConnectionError("refused")

    make.tournament(2, start=True)
    OutboxMessage.objects.all().delete()
    monkeypatch.setattr(outbox, "queued", refuse)
    assert tasks.sweep()["woken"] == 0
    assert "The message broker cannot be reached: refused" in caplog.text


@pytest.mark.parametrize(("queues", "keeps"), [(["housekeeping"], True), (["matches"], False)])
def test_a_worker_that_serves_its_queue_keeps_house(
    monkeypatch: pytest.MonkeyPatch, queues: list[str], keeps: bool
) -> None:
    begun = threading.Event()
    monkeypatch.setattr(housekeeping, "keep", lambda _: begun.set())
    served = SimpleNamespace(consume_from=dict.fromkeys(queues))
    celery._keep_house(SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=served))))
    assert begun.wait(10 if keeps else 0) == keeps
