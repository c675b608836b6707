"""The housekeeper: everything when it is time, whatever fails, and what the outbox asks for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from bots.actions import TRIAL_TASK
from cardroom import housekeeping, last_runs
from cardroom.models import LastRun
from cardroom_base.db import outbox
from cardroom_base.models import OutboxMessage
from tournaments import tasks
from tournaments.queue.messages import ADVANCE_TASK, PLAY_TASK, RATINGS_TASK

SCHEDULE = """
import json
from cardroom.settings import CELERY_BEAT_SCHEDULE as made
told = [(each["task"], str(each["schedule"]), each["options"]["expires"]) for each in made.values()]
print(json.dumps(dict(zip(made, told))))
"""


def schedule(**environment: str) -> dict[str, Any]:
    """What `celery beat` sends on a site with this environment."""
    done = subprocess.run(
        [sys.executable, "-c", SCHEDULE],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_beat_sends_every_job_to_the_queue_of_the_housekeeper() -> None:
    for name, (task, _, expires) in schedule().items():
        assert task == housekeeping.__name__ + "." + name
        assert task in current_app.tasks
        assert expires >= 60  # clocks of two machines differ
        assert current_app.amqp.router.route({}, task)["queue"].name == "housekeeping"
    assert schedule().keys() == housekeeping.JOBS.keys()


def test_there_is_a_dump_only_where_it_has_a_time() -> None:
    assert "dump" not in schedule(CARDROOM_DUMP_AT="")
    assert schedule(CARDROOM_DUMP_AT="04:07")["dump"][1].startswith("<crontab: 07 04 * * *")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OperationalError("gone"), "The database cannot be reached: gone"),
        (ValueError("wrong"), "The housekeeper's job “one” failed."),
    ],
)
def test_what_fails_holds_nothing_up_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    said: str,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(last_runs, "_last_records", {})
    housekeeping.run("one", fail)
    housekeeping.run("one", fail)
    assert said in caplog.text
    done: list[int] = []
    assert not last_runs.last_ends()
    for _ in range(2):
        housekeeping.run("one", lambda: done.append(1))
    assert done == [1, 1]
    (first,) = last_runs.last_ends().values()
    LastRun.objects.update(at=first - timedelta(hours=1))
    last_runs._last_records.clear()
    housekeeping.run("one", lambda: done.append(1))
    assert last_runs.last_ends()["one"] >= first


@pytest.mark.django_db
def test_it_does_what_the_outbox_asks_for_and_nothing_of_that_is_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[Any] = []
    asked = {
        ADVANCE_TASK: lambda tournament: done.append(tournament),
        TRIAL_TASK: lambda version: done.append(1 // version),
    }
    monkeypatch.setattr(housekeeping, "_SHORT_TASKS", asked)
    for task, arguments in (
        (ADVANCE_TASK, {"tournament": 7}),
        (ADVANCE_TASK, {"tournament": 7}),
        (PLAY_TASK, {}),
        (TRIAL_TASK, {"version": 0}),
        (TRIAL_TASK, {"version": 1}),
    ):
        OutboxMessage.objects.create(task=task, arguments=arguments)
    assert housekeeping.answer_requests() == 4
    assert done == [7, 1]
    assert "which failed" in caplog.text  # and is not requested again
    assert [outbox_message.task for outbox_message in OutboxMessage.objects.filter(sent=None)] == [
        PLAY_TASK
    ]
    assert outbox.relay() == 1
    assert housekeeping.answer_requests() == 0


@pytest.mark.django_db
def test_who_is_held_by_somebody_waits_and_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, moved = {1}, list[int]()

    def move_on(tournament: int) -> None:
        if tournament in held:
            raise OperationalError("lock timeout") from LockNotAvailable()
        moved.append(tournament)

    monkeypatch.setattr(housekeeping, "_SHORT_TASKS", {ADVANCE_TASK: move_on})
    for tournament in (1, 2, 1, 3):
        outbox.announce(ADVANCE_TASK, tournament=tournament)
    assert (housekeeping.answer_requests(), moved) == (2, [2, 3])
    held.clear()
    assert (housekeeping.answer_requests(), moved) == (2, [2, 3, 1])


@pytest.mark.django_db
def test_a_job_is_not_begun_while_it_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    done: list[str] = []

    def long() -> None:
        housekeeping.run("ratings", lambda: done.append("again"))
        housekeeping.run("asked", lambda: done.append("the like of it"), lock="ratings")
        housekeeping.run("sweep", lambda: done.append("another"))

    housekeeping.run("ratings", long)
    assert done == ["another"]
    housekeeping.run("ratings", lambda: done.append("later"))
    assert done == ["another", "later"]


@pytest.mark.django_db
def test_while_the_database_is_away_it_stays_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(housekeeping, "_LONG_TASKS", {RATINGS_TASK: away})
    OutboxMessage.objects.create(task=RATINGS_TASK)
    with pytest.raises(OperationalError):
        outbox.answer_requests([RATINGS_TASK], housekeeping._answer)
    assert outbox.has_unsent(RATINGS_TASK)


@pytest.mark.django_db
def test_a_sweep_goes_on_where_the_broker_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tests import factories as make

    def refuse(_: str) -> int:
        raise ConnectionError("refused")

    make.tournament(2, start=True)
    OutboxMessage.objects.all().delete()
    monkeypatch.setattr(outbox, "queue_length", refuse)
    assert tasks.sweep()["woken"] == 0
    assert "The message broker cannot be reached: refused" in caplog.text
