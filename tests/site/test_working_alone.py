"""A real worker and a real housekeeper without their Redis, and with one that holds rubbish."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import redis

from cardroom.processes import die_with_parent
from tests.servers import Redis, free_port, wait_for
from tests.sites import ROOT

pytestmark = [pytest.mark.redis, pytest.mark.sandbox, pytest.mark.long]

CREATE = """
import django, sys
django.setup()
from tests import factories as make
bots = [make.house_bot(f"house:{sys.argv[1]}{n}", make.source(f"{n}")) for n in "ab"]
make.tournament(bots, name=sys.argv[1], groups=int(sys.argv[2]), start=True)
"""


class Machine:
    """A database, and processes that belong to it."""

    def __init__(self, var: Path, redis_port: int) -> None:
        self.var, self.stack = var, ExitStack()
        self.environment = os.environ | {
            "CARDROOM_VAR": str(var),
            "DJANGO_SETTINGS_MODULE": "cardroom.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
        }
        self.run("-m", "django", "migrate", "--verbosity", "0")

    def run(self, *arguments: str) -> str:
        """What a program prints."""
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """A part of the site, until the end of the test."""
        with (self.var / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
            )
        self.stack.callback(process.wait, 30)
        self.stack.callback(process.send_signal, signal.SIGTERM)
        return process

    def playing(self) -> bool:
        """Whether a tournament runs."""
        with closing(sqlite3.connect(self.var / "cardroom.sqlite3")) as database:
            rows = database.execute("SELECT 1 FROM tournaments_tournament WHERE state = 'running'")
            return bool(rows.fetchall())

    def log(self, name: str) -> str:
        return (self.var / f"{name}.log").read_text(errors="replace")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path, free_port())
    with made.stack:
        yield made


def test_what_the_database_has_is_played_without_redis_and_beside_rubbish(
    machine: Machine,
) -> None:
    machine.run("-c", CREATE, "first", "3")
    assert machine.playing()
    worker = machine.start(
        *("worker", "celery", "--app", "cardroom", "worker", "--queues", "matches,checks"),
        *("--hostname", "worker@test", "--concurrency", "1"),
    )
    keeper = machine.start("keeper", "django", "housekeep")
    wait_for(lambda: not machine.playing(), "It is not played without Redis", 120)
    assert worker.poll() is keeper.poll() is None
    for name in ("worker", "keeper"):
        assert "Traceback" not in machine.log(name)
        told = machine.log(name).count("The message broker cannot be reached")
        assert told <= 6  # a line a minute of each source, not one a try

    port = int(machine.environment["REDIS_URL"].rpartition(":")[2].partition("/")[0])
    server = Redis(port, subprocess.Popen(["true"]))
    server.start()
    machine.stack.callback(server.kill)
    with redis.Redis.from_url(server.url) as lists:
        wait_for(lambda: lists.info("clients")["blocked_clients"], "It does not come back", 60)
        lists.lpush("matches", *(f"rubbish {number}" for number in range(500)))
        machine.run("-c", CREATE, "second", "1")
        wait_for(lambda: not machine.playing(), "Not played beside rubbish", 120)
        # Word that there was something to play may come after it was played.
        wait_for(lambda: not lists.llen("matches"), "Messages are left")
    assert machine.log("worker").count("A foreign message in the queue matches is dropped") <= 3
    assert worker.poll() is keeper.poll() is None
