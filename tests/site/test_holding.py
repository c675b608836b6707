"""Who is frozen or away holds nothing for long: on PostgreSQL, with connections of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from bots.workers import health
from cardroom import housekeeping
from cardroom.processes import die_with_parent
from cardroom_base.core import drain
from cardroom_base.db import database, outbox
from tests import factories as make
from tests.servers import wait_for
from tests.sites import ROOT
from tournaments import projections, tasks, worker
from tournaments.actions import attempts
from tournaments.models import Attempt, Ledger, Match, StoredRecord, Tournament
from tournaments.projections.live import lock_ledger

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has no server to end sessions"
    ),
]

STORES = """
import os, signal, sys
from functools import partial
from types import SimpleNamespace
import django
django.setup()
from tests import factories as make
from tournaments import worker
from tournaments.actions import attempts
from tournaments.models import Attempt

store, calls = attempts._store_sides, []

def freeze_once(*arguments):
    calls.append(arguments)
    if len(calls) == 1:
        print("holds", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    store(*arguments)

attempts._store_sides = freeze_once
worker.plan_once()
attempt = Attempt.objects.get(pk=int(sys.argv[1]))
write = partial(attempts.store_result, attempt.pk, make.outcome(attempt.match))
stored = worker._write_with_retries(SimpleNamespace(match=attempt.match_id), write)
print(stored, Attempt.objects.get(pk=attempt.pk).outcome, flush=True)
"""
"""A worker that is frozen while it stores a result, and tells what came of it when it goes on."""

IDLE = "idle_in_transaction_session_timeout"
Freeze = Callable[..., subprocess.Popen[str]]


def url() -> str:
    """Of this test's database."""
    known = connection.settings_dict
    return f"postgres://{known['USER']}@{known['HOST']}:{known['PORT']}/{known['NAME']}"


@pytest.fixture
def frozen() -> Iterator[Freeze]:
    """Start a worker that freezes while it stores the result of an attempt."""
    started: list[subprocess.Popen[str]] = []

    def start(attempt: int, *, idle_s: int = 20) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", STORES, str(attempt)],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "platform"))),
                "DATABASE_URL": f"{url()}?options=-c%20{IDLE}%3D{idle_s}s",
                "DJANGO_SETTINGS_MODULE": "tests.settings",
            },
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "holds\n"
        stat = Path(f"/proc/{process.pid}/stat")
        wait_for(lambda: ") T " in stat.read_text(), "It does not stop")
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@contextmanager
def held(lock: Callable[[], object]) -> Iterator[None]:
    """Somebody else holds this lock while the block lasts."""
    has, go = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            lock()
            has.set()
            go.wait(60)
        connection.close()

    thread = Thread(target=hold)
    thread.start()
    try:
        assert has.wait(20)
        yield
    finally:
        go.set()
        thread.join()


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda queue: 1)


def expire(*attempts: Attempt) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Attempt.objects.filter(pk__in=[attempt.pk for attempt in attempts]).update(lease_until=past)


def outcomes(*attempts: Attempt) -> list[str]:
    return [Attempt.objects.get(pk=attempt.pk).outcome for attempt in attempts]


def test_the_sweep_leaves_what_a_frozen_worker_holds_and_does_the_rest(frozen: Freeze) -> None:
    make.tournament(2, groups=2, start=True)
    first, sibling, other = attempts.claim("w/1", 3)
    expire(first, sibling, other)
    frozen(first.pk, idle_s=0)  # nobody ends it: whoever waited would wait for ever
    assert tasks.sweep()["lost"] == 1
    assert outcomes(first, sibling, other) == ["running", "running", "lost"]


def test_the_server_ends_a_frozen_worker_whose_result_then_comes_late(frozen: Freeze) -> None:
    make.tournament(2, start=True)
    [attempt] = attempts.claim("w/1", 1)
    expire(attempt)  # it holds the attempt's row as well
    process = frozen(attempt.pk, idle_s=1)  # its seats are written
    wait_for(lambda: tasks.sweep()["lost"], "The lease is not taken back")
    assert ") T " in Path(f"/proc/{process.pid}/stat").read_text()  # it is still frozen
    [again] = attempts.claim("w/2", 1)
    assert again.match_id == attempt.match_id
    process.send_signal(signal.SIGCONT)
    said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("False late\n", 0)
    assert attempts.store_result(again.pk, make.outcome(again.match))
    assert StoredRecord.objects.count() == 1


def test_a_tournament_that_is_held_does_not_hold_others() -> None:
    cups = [make.tournament(2, start=True) for _ in range(2)]
    for attempt in attempts.claim("w/1", 9):
        attempts.store_result(attempt.pk, make.outcome(attempt.match))
    Tournament.objects.update(state="running", finished=None)  # as if nobody had moved them on
    mine = Tournament.objects.filter(pk=cups[0].pk).select_for_update()
    with held(lambda: list(mine)):
        assert tasks.sweep()["advanced"] == 1
    states = [Tournament.objects.get(pk=cup.pk).state for cup in cups]
    assert states == ["running", "finished"]
    assert not Tournament.objects.exclude(trouble="").exists()  # nothing is wrong with it
    assert tasks.sweep()["advanced"] == 1


def test_ratings_that_somebody_moves_are_left_to_the_next_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    make.tournament(2, start=True)
    for attempt in attempts.claim("w/1", 9):
        attempts.store_result(attempt.pk, make.outcome(attempt.match))
    Ledger.objects.get_or_create(pk=1)
    caplog.set_level("INFO")
    caplog.clear()
    with held(lock_ledger):
        housekeeping.run("advance", housekeeping.answer_requests)
        housekeeping.run("ratings", tasks.refresh_ratings)
    assert {record.levelname for record in caplog.records} <= {"INFO"}
    assert caplog.text.count("lock timeout") == 2
    assert projections.update_live() == 2


@contextmanager
def changed(setting: str) -> Iterator[Callable[[], None]]:
    """A setting of the whole database; what is called takes it back."""
    name = connection.settings_dict["NAME"]
    mine = "-c default_transaction_read_only=off"

    def alter(what: str) -> None:
        with psycopg.connect(url(), options=mine, autocommit=True) as other:
            other.execute(f"ALTER DATABASE {name} {what}".encode())

    alter(f"SET {setting}")
    connection.close()
    try:
        yield lambda: alter("RESET ALL")
    finally:
        alter("RESET ALL")
        connection.close()


def test_a_result_waits_for_a_database_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    make.tournament(2, start=True)
    attempt, _ = attempts.claim("w/1", 2)
    outcome = make.outcome(attempt.match)
    rested: list[float] = []
    with changed("default_transaction_read_only = on") as restore:

        def rest(seconds: float) -> None:
            rested.append(seconds)
            if len(rested) == 3:
                restore()

        monkeypatch.setattr(worker, "time", SimpleNamespace(sleep=rest))
        assignment: Any = SimpleNamespace(attempt=attempt.pk, match=attempt.match_id)
        assert worker._store_outcome(assignment, outcome, health.of_process("w/1"))
    assert len(rested) == 3
    assert Match.objects.get(pk=attempt.match_id).state == "finished"
    assert StoredRecord.objects.count() == 1


def test_a_task_finds_a_database_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make.tournament(2, start=True)
    rested: list[float] = []
    monkeypatch.setattr(drain, "sleep", rested.append)
    with changed("default_transaction_read_only = on"), pytest.raises(database.DatabaseAway):
        database.pause_if_away(attempts.claim)("w/1", 1)
    assert "cannot take this now: cannot execute" in caplog.text
    assert len(rested) == 1
    assert len(attempts.claim("w/1", 1)) == 1
