"""A process that is stopped while it writes to SQLite is ended; one that works is not."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardroom import sqlite_watchdog
from cardroom.processes import children, die_with_parent
from cardroom.sqlite_watchdog import Frozen
from tests.servers import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not tell")

WRITES = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
held.execute("INSERT INTO notes VALUES ('begun')")
print("holds", flush=True)
"""
SLEEPS = WRITES + "import time; time.sleep(600)"
COMPUTES = WRITES + "\nwhile True: sum(range(10_000))"
CHILD = "import os, time\nif os.fork(): time.sleep(600)\n" + SLEEPS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "cards.sqlite3"
    connection = sqlite3.connect(made)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE notes (words TEXT)")
    connection.close()
    return made


@pytest.fixture
def hold(path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Start a program that holds the lock."""
    started: list[subprocess.Popen[bytes]] = []

    def start(program: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdout=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"holds\n"
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(sqlite_watchdog, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def freeze(process: subprocess.Popen[bytes]) -> None:
    """Stop a program and what it has started, and wait until they stand."""
    os.killpg(process.pid, signal.SIGSTOP)
    for pid in (process.pid, *children(process.pid)):
        wait_for(lambda pid=pid: state(pid) == "T", "It does not stop")  # type: ignore[misc]  # mypy knows no defaults of lambdas


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def works(pid: int, before: sqlite_watchdog.Holder | None) -> bool:
    return sqlite_watchdog._described(pid) != before


def look(watch: Frozen, clock: list[float], seconds: int) -> None:
    for _ in range(seconds):
        clock[0] += 1.0
        watch.look()


def written(path: Path) -> int:
    connection = sqlite3.connect(path, timeout=20)
    with connection:
        connection.execute("INSERT INTO notes VALUES ('after')")
    found = connection.execute("SELECT count(*) FROM notes").fetchone()[0]
    connection.close()
    return int(found)


@pytest.mark.parametrize("program", [SLEEPS, CHILD])
def test_a_frozen_writer_is_ended_and_others_go_on(
    path: Path,
    hold: Callable[[str], subprocess.Popen[bytes]],
    clock: list[float],
    program: str,
) -> None:
    told: list[str] = []
    watch = Frozen(path, told.append)
    process = hold(program)
    freeze(process)
    look(watch, clock, 20)
    assert told == []
    look(watch, clock, 3)
    [said] = told
    assert "has held the database for 20 s and does nothing; it is killed." in said
    if program is SLEEPS:
        assert f"Process {process.pid} (" in said
        assert process.wait(20) == -signal.SIGKILL
    assert written(path) == 1  # what the frozen one had begun is undone
    look(watch, clock, 30)
    assert len(told) == 1


def test_a_writer_that_computes_is_left_alone(
    path: Path, hold: Callable[[str], subprocess.Popen[bytes]], clock: list[float]
) -> None:
    told: list[str] = []
    watch = Frozen(path, told.append)
    process = hold(COMPUTES)
    for _ in range(4):
        look(watch, clock, 15)
        before = sqlite_watchdog._described(process.pid)
        wait_for(partial(works, process.pid, before), "It does not compute")
    assert told == []


def test_who_was_frozen_itself_begins_anew(
    path: Path, hold: Callable[[str], subprocess.Popen[bytes]], clock: list[float]
) -> None:
    told: list[str] = []
    watch = Frozen(path, told.append)
    freeze(hold(SLEEPS))
    look(watch, clock, 15)
    clock[0] += 60
    look(watch, clock, 20)
    assert told == []
    look(watch, clock, 2)
    assert len(told) == 1


def test_where_nobody_writes_nobody_is_ended(path: Path, clock: list[float]) -> None:
    told: list[str] = []
    watch = Frozen(path, told.append)
    look(watch, clock, 30)  # nobody has opened it yet
    reading = sqlite3.connect(path)
    reading.execute("SELECT * FROM notes").fetchall()
    look(watch, clock, 30)
    reading.close()
    look(watch, clock, 30)
    assert told == []
