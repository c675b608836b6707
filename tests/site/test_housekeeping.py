"""The housekeeper: its schedule, failed tasks, and requests from the outbox."""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import OperationalError
from psycopg.errors import LockNotAvailable, QueryCanceled, UniqueViolation

from bots.actions import TRIAL_TASK
from cardroom import housekeeping, last_runs
from cardroom.models import LastRun
from cardroom_base.db import database, outbox
from cardroom_base.models import OutboxMessage
from tests import preloaded
from tournaments import tasks
from tournaments.queue.task_names import ADVANCE_TASK, PLAY_TASK, RATINGS_TASK

SCHEDULE = """
import json
from cardroom.settings import CELERY_BEAT_SCHEDULE as schedule
print(json.dumps({
    name: (entry["task"], str(entry["schedule"]), entry["options"]["expires"])
    for name, entry in schedule.items()
}))
"""


def schedule(**environment: str) -> dict[str, Any]:
    """The schedule of `celery beat` on a site with this environment."""
    process = preloaded.run([sys.executable, "-c", SCHEDULE], env={**os.environ, **environment})
    process.check_returncode()
    entries: dict[str, Any] = json.loads(process.stdout)
    return entries


def test_beat_sends_every_job_to_the_housekeeper() -> None:
    for name, (task, _, expires) in schedule().items():
        assert task == housekeeping.__name__ + "." + name
        assert task in current_app.tasks
        assert expires >= 60  # clocks of two machines differ
        assert current_app.amqp.router.route({}, task)["queue"].name == "housekeeping"
    assert schedule().keys() == housekeeping.TASKS.keys()


def test_a_dump_is_scheduled_only_with_a_time() -> None:
    assert "dump" not in schedule(CARDROOM_DUMP_AT="")
    assert schedule(CARDROOM_DUMP_AT="04:07")["dump"][1].startswith("<crontab: 07 04 * * *")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OperationalError("gone"), "The database cannot be reached: gone"),
        (ValueError("wrong"), "The housekeeper's task “one” failed."),
    ],
)
def test_a_failed_job_runs_again(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    message: str,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(last_runs, "_last_records", {})
    housekeeping.run("one", fail)
    housekeeping.run("one", fail)
    assert message in caplog.text
    runs: list[int] = []
    assert not last_runs.last_successes()
    for _ in range(2):
        housekeeping.run("one", lambda: runs.append(1))
    assert runs == [1, 1]
    (first,) = last_runs.last_successes().values()
    LastRun.objects.update(at=first - timedelta(hours=1))
    last_runs._last_records.clear()
    housekeeping.run("one", lambda: runs.append(1))
    assert last_runs.last_successes()["one"] >= first


@pytest.mark.django_db
def test_requests_in_the_outbox_are_done_and_not_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    results: list[Any] = []
    short_tasks = {
        ADVANCE_TASK: lambda tournament: results.append(tournament),
        TRIAL_TASK: lambda version: results.append(1 // version),
    }
    monkeypatch.setattr(housekeeping, "_SHORT_TASKS", short_tasks)
    for task, arguments in (
        (ADVANCE_TASK, {"tournament": 7}),
        (ADVANCE_TASK, {"tournament": 7}),
        (PLAY_TASK, {}),
        (TRIAL_TASK, {"version": 0}),
        (TRIAL_TASK, {"version": 1}),
    ):
        OutboxMessage.objects.create(task=task, arguments=arguments)
    assert housekeeping.answer_requests() == 4
    assert results == [7, 1]
    assert "which failed" in caplog.text  # it is not requested again
    assert [message.task for message in OutboxMessage.objects.filter(sent=None)] == [PLAY_TASK]
    assert outbox.relay() == 1
    assert housekeeping.answer_requests() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("cause", [LockNotAvailable, QueryCanceled, UniqueViolation])
def test_a_locked_or_slow_tournament_waits_and_does_not_delay_others(
    monkeypatch: pytest.MonkeyPatch, cause: type[Exception]
) -> None:
    monkeypatch.setattr(database, "PAUSE_FACTOR", 0)
    locked, advanced = {1}, list[int]()

    def advance(tournament: int) -> None:
        if tournament in locked:
            raise OperationalError("a failure") from cause()
        advanced.append(tournament)

    monkeypatch.setattr(housekeeping, "_SHORT_TASKS", {ADVANCE_TASK: advance})
    for tournament in (1, 2, 1, 3):
        outbox.announce(ADVANCE_TASK, tournament=tournament)
    assert (housekeeping.answer_requests(), advanced) == (2, [2, 3])
    assert OutboxMessage.objects.count() == 1  # repeats would fill the limit of messages
    locked.clear()
    assert (housekeeping.answer_requests(), advanced) == (1, [2, 3, 1])


@pytest.mark.django_db
def test_a_running_job_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    runs: list[str] = []

    def run_others() -> None:
        housekeeping.run("ratings", lambda: runs.append("again"))
        housekeeping.run("asked", lambda: runs.append("same lock"), lock="ratings")
        housekeeping.run("sweep", lambda: runs.append("another"))

    housekeeping.run("ratings", run_others)
    assert runs == ["another"]
    housekeeping.run("ratings", lambda: runs.append("later"))
    assert runs == ["another", "later"]


@pytest.mark.django_db
def test_a_request_stays_while_the_database_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(housekeeping, "_LONG_TASKS", {RATINGS_TASK: fail})
    OutboxMessage.objects.create(task=RATINGS_TASK)
    with pytest.raises(OperationalError):
        outbox.answer_requests([RATINGS_TASK], housekeeping._answer)
    assert outbox.has_unsent(RATINGS_TASK)


@pytest.mark.django_db
def test_a_sweep_works_without_the_broker(
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
