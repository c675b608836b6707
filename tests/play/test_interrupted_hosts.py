"""Real hosts that are killed, stopped or frozen during each kind of work."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cardroom.processes import descendants, die_with_parent
from cardroom_tables.models import HOST_LEASE_SECONDS
from tests.faults.hosts import stop_for
from tests.full_size import FULL_SIZE_ONLY
from tests.play.keeper import order
from tests.play.slow import BEGUN
from tests.play.thoughtful import THINKING_S
from tests.preloaded import PreloadedProcess
from tests.servers import start_redis, wait_for
from tests.sites import ROOT, Site, migrate

pytestmark = [pytest.mark.long, pytest.mark.sandbox]
PATIENCE = float(os.environ.get("CARDROOM_FAULT_PATIENCE", "180"))
"""The time limit in seconds for steps of about twenty: leases of 15 s, polls every 5 s."""
RESULT_COUNTS = {
    "table": "SELECT COUNT(*) FROM play_tablemove m JOIN play_table t ON t.id = m.table_id "
    "WHERE m.n = 1 AND t.state = 'playing'",
    "hint": "SELECT COUNT(*) FROM play_hint WHERE move <> ''",
    "comparison": "SELECT COUNT(*) FROM play_comparison WHERE bot = 'house:greedy'",
    "opinion": "SELECT COUNT(*) FROM play_opinion WHERE answer IS NOT NULL",
}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    migrate(tmp_path)
    with start_redis() as redis:
        yield Site(tmp_path, {"REDIS_URL": redis.url, "CARDROOM_ANALYSIS_PLAYOUTS": "2"})


@contextmanager
def service(site: Site, *command: str, settings: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A service of the site, started as in docs/04."""
    env = site.env() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"}
    with site.log.open("ab") as log:
        process = PreloadedProcess(
            [sys.executable, "-m", *command],
            env=env | ({"DJANGO_SETTINGS_MODULE": settings} if settings else {}),
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=site.var,
            preexec_fn=die_with_parent,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def host_command(name: str) -> list[str]:
    return f"celery -A cardroom worker -Q tables -n {name}@here --pool threads -c 4".split()


KEEPER = ("django", "shell", "-v0", "-c", "from tests.play.keeper import keep; keep()")


def result_counts(site: Site) -> dict[str, int]:
    """The number of results of each kind of work."""
    return {kind: rows(site, query)[0][0] for kind, query in RESULT_COUNTS.items()}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_another_host_does_interrupted_work_once(site: Site, number: signal.Signals) -> None:
    expected = dict.fromkeys(RESULT_COUNTS, 1)
    with (
        service(site, *host_command("one"), settings="tests.play.slow_settings") as first,
        service(site, *KEEPER),
    ):
        order(site.var, "tests.play.slow.prepare")
        wait_for(lambda: len(list(site.var.glob(BEGUN))) == 4, failure_message(site), PATIENCE)
        assert not any(result_counts(site).values())
        first.send_signal(number)
        if number != signal.SIGSTOP:
            first.wait(PATIENCE)
        if number == signal.SIGTERM:
            assert first.returncode == 0, failure_message(site)
            assert list((site.var / "tmp").iterdir()) == [], "a folder remains"
        with service(site, *host_command("two")):
            wait_for(
                lambda: result_counts(site) == expected,
                f"{result_counts(site)} {failure_message(site)}",
                PATIENCE,
            )
            if number == signal.SIGSTOP:
                first.send_signal(signal.SIGCONT)
                first.send_signal(signal.SIGTERM)
                assert first.wait(PATIENCE) == 0
                assert result_counts(site) == expected


@pytest.mark.parametrize(
    "frozen_parts",
    [
        # Frozen while the bot starts, then while it thinks.
        ("everything", "host", "everything"),
        pytest.param(("host",), marks=FULL_SIZE_ONLY),
    ],
)
def test_a_host_frozen_for_half_a_lease_charges_no_bot(
    site: Site, frozen_parts: tuple[str, ...]
) -> None:
    with service(site, *host_command("one")) as first, service(site, *KEEPER):
        for number, part in enumerate(frozen_parts, start=1):
            order(
                site.var, f"tests.play.thoughtful.{'create_table' if number == 1 else 'play_move'}"
            )
            wait_for(partial(has_begun, site, number), failure_message(site), PATIENCE)
            others = descendants(first.pid) if part == "everything" else []
            stop_for([first.pid, *others], HOST_LEASE_SECONDS / 2)
            wait_for(partial(has_answered, site, number), failure_message(site), PATIENCE)
    assert rows(site, "SELECT faults, unlucky, trouble FROM play_table") == [("[]", "[]", "")]
    slowest_ms = max(ms for (ms,) in rows(site, ANSWERS))
    assert slowest_ms < (THINKING_S + HOST_LEASE_SECONDS / 4) * 1000, (
        "a bot was charged for the pause"
    )


LEASED = "SELECT 1 FROM play_table WHERE worker <> ''"
ANSWERS = "SELECT ms FROM play_tablemove WHERE n % 2 = 1"


def has_answered(site: Site, number: int) -> bool:
    """Whether the bot has given exactly this number of answers."""
    return len(rows(site, ANSWERS)) == number


def has_begun(site: Site, number: int) -> bool:
    """Whether the host has begun or received the answer of this number."""
    return bool(rows(site, LEASED)) or has_answered(site, number)


def rows(site: Site, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query on a site's database."""
    with closing(sqlite3.connect(site.var / "cardroom.sqlite3", timeout=30)) as database:
        return database.execute(query).fetchall()


def failure_message(site: Site) -> str:
    return f"Not everything is done: {site.log.read_text()[-3000:]}"
