"""Frozen processes hold locks only briefly on PostgreSQL; tests use separate connections."""

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
from tests.preloaded import PreloadedProcess
from tests.servers import wait_for
from tests.sites import ROOT
from tournaments import projections, tasks, worker
from tournaments.actions import attempts
from tournaments.models import Attempt, Ledger, Match, StoredRecord, Tournament
from tournaments.projections.live_elo import lock_ledger

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has no server to end sessions"
    ),
]

FROZEN_WORKER = """
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
        print("frozen", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    store(*arguments)

attempts._store_sides = freeze_once
worker.plan_once()
attempt = Attempt.objects.get(pk=int(sys.argv[1]))
write = partial(attempts.store_result, attempt.pk, make.outcome(attempt.match))
stored = worker._write_with_retries(SimpleNamespace(match=attempt.match_id), write)
print(stored, Attempt.objects.get(pk=attempt.pk).outcome, flush=True)
"""
"""A worker that freezes while it stores a result, and prints the outcome after it continues."""

IDLE = "idle_in_transaction_session_timeout"
Freeze = Callable[..., subprocess.Popen[str]]


def url() -> str:
    """The URL of this test's database."""
    config = connection.settings_dict
    return f"postgres://{config['USER']}@{config['HOST']}:{config['PORT']}/{config['NAME']}"


@pytest.fixture
def freeze() -> Iterator[Freeze]:
    """Start a worker that freezes while it stores the result of an attempt."""
    processes: list[subprocess.Popen[str]] = []

    def start(attempt: int, *, idle_s: int = 20) -> subprocess.Popen[str]:
        process = PreloadedProcess(
            [sys.executable, "-c", FROZEN_WORKER, str(attempt)],
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
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "frozen\n"
        stat = Path(f"/proc/{process.pid}/stat")
        wait_for(lambda: ") T " in stat.read_text(), "The worker does not freeze")
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@contextmanager
def lock_held(lock: Callable[[], object]) -> Iterator[None]:
    """Hold this lock in another thread during the block."""
    is_held, may_end = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            lock()
            is_held.set()
            may_end.wait(60)
        connection.close()

    thread = Thread(target=hold)
    thread.start()
    try:
        assert is_held.wait(20)
        yield
    finally:
        may_end.set()
        thread.join()


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda queue: 1)


def expire(*attempts: Attempt) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Attempt.objects.filter(pk__in=[attempt.pk for attempt in attempts]).update(lease_until=past)


def outcomes(*attempts: Attempt) -> list[str]:
    return [Attempt.objects.get(pk=attempt.pk).outcome for attempt in attempts]


def test_the_sweep_skips_attempts_of_a_frozen_worker(freeze: Freeze) -> None:
    make.tournament(2, groups=2, start=True)
    first, sibling, other = attempts.claim("w/1", 3)
    expire(first, sibling, other)
    freeze(first.pk, idle_s=0)  # the server never ends it, so waiting for it would block the test
    assert tasks.sweep()["lost"] == 1
    assert outcomes(first, sibling, other) == ["running", "running", "lost"]


def test_the_result_of_a_frozen_worker_is_late(freeze: Freeze) -> None:
    make.tournament(2, start=True)
    [attempt] = attempts.claim("w/1", 1)
    expire(attempt)  # the worker locks the attempt's row, too
    process = freeze(attempt.pk, idle_s=1)  # its seats are written
    wait_for(lambda: tasks.sweep()["lost"], "The attempt is not freed")
    assert ") T " in Path(f"/proc/{process.pid}/stat").read_text()  # it is still frozen
    [second] = attempts.claim("w/2", 1)
    assert second.match_id == attempt.match_id
    process.send_signal(signal.SIGCONT)
    output, _ = process.communicate(timeout=60)
    assert (output, process.returncode) == ("False late\n", 0)
    assert attempts.store_result(second.pk, make.outcome(second.match))
    assert StoredRecord.objects.count() == 1


def test_a_locked_tournament_does_not_delay_others() -> None:
    cups = [make.tournament(2, start=True) for _ in range(2)]
    for attempt in attempts.claim("w/1", 9):
        attempts.store_result(attempt.pk, make.outcome(attempt.match))
    Tournament.objects.update(state="running", finished=None)  # as if not yet advanced
    rows = Tournament.objects.filter(pk=cups[0].pk).select_for_update()
    with lock_held(lambda: list(rows)):
        assert tasks.sweep()["advanced"] == 1
    states = [Tournament.objects.get(pk=cup.pk).state for cup in cups]
    assert states == ["running", "finished"]
    assert not Tournament.objects.exclude(trouble="").exists()  # a lock is no trouble
    assert tasks.sweep()["advanced"] == 1


def test_locked_ratings_are_left_to_the_next_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    make.tournament(2, start=True)
    for attempt in attempts.claim("w/1", 9):
        attempts.store_result(attempt.pk, make.outcome(attempt.match))
    Ledger.objects.get_or_create(pk=1)
    caplog.set_level("INFO")
    caplog.clear()
    with lock_held(lock_ledger):
        housekeeping.run("advance", housekeeping.answer_requests)
        housekeeping.run("ratings", tasks.refresh_ratings)
    assert {record.levelname for record in caplog.records} <= {"INFO"}
    assert caplog.text.count("lock timeout") == 2
    assert projections.update_live() == 2


@contextmanager
def database_setting(setting: str) -> Iterator[Callable[[], None]]:
    """Change a setting of the whole database during the block; yields a function to reset it."""
    name = connection.settings_dict["NAME"]
    writable = "-c default_transaction_read_only=off"

    def alter(clause: str) -> None:
        with psycopg.connect(url(), options=writable, autocommit=True) as other:
            other.execute(f"ALTER DATABASE {name} {clause}".encode())

    alter(f"SET {setting}")
    connection.close()
    try:
        yield lambda: alter("RESET ALL")
    finally:
        alter("RESET ALL")
        connection.close()


def test_a_result_waits_for_a_read_only_database(monkeypatch: pytest.MonkeyPatch) -> None:
    make.tournament(2, start=True)
    attempt, _ = attempts.claim("w/1", 2)
    outcome = make.outcome(attempt.match)
    pauses: list[float] = []
    with database_setting("default_transaction_read_only = on") as restore:

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                restore()

        monkeypatch.setattr(worker, "time", SimpleNamespace(sleep=pause))
        assignment: Any = SimpleNamespace(attempt=attempt.pk, match=attempt.match_id)
        assert worker._store_outcome(assignment, outcome, health.of_process("w/1"))
    assert len(pauses) == 3
    assert Match.objects.get(pk=attempt.match_id).state == "finished"
    assert StoredRecord.objects.count() == 1


def test_a_task_pauses_for_a_read_only_database(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make.tournament(2, start=True)
    pauses: list[float] = []
    monkeypatch.setattr(drain, "sleep", pauses.append)
    with (
        database_setting("default_transaction_read_only = on"),
        pytest.raises(database.DatabaseUnavailable),
    ):
        database.pause_if_unavailable(attempts.claim)("w/1", 1)
    assert "cannot do this now: cannot execute" in caplog.text
    assert len(pauses) == 1
    assert len(attempts.claim("w/1", 1)) == 1
