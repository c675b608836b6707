"""Measures rated matches end to end: how many a site plays per minute, and their processor time.

A temporary site (`manage.py up`, no Redis) plays a round robin of authors' bots that play the first
legal move: Cassino of two deals, 96 moves. Processor time includes every service with its children:
claiming, sandboxes, bots, referee, storing, ratings, cached standings, the idle web server. The
queue is full; each core has one worker process.

`python -m tests.benchmarks.rated [--postgres] [--seconds 30]` prints it by service, on SQLite or on
its own PostgreSQL.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.matches import bare_pythons
from tests.benchmarks.measure import Ratio
from tests.benchmarks.tables import costs, processor_seconds
from tests.servers import Postgres, start_postgres
from tests.sites import ROOT, Site

FORMAT = "cassino/standard/1v1?deals=2&target=0"
BOTS = 8
GROUPS = 400
"""Deal groups of each pairing: more than any machine plays in the measured time."""
FIRST = b"def choose(view, legal):\n    return legal[0]\n"
WARM = 20
"""Matches before the measurement, in which workers fill their pools."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The result of a measurement."""

    matches_per_minute: float
    milliseconds: dict[str, float]
    """Processor time per match, by service."""


def prepare() -> None:
    """Create a tournament with a full queue, in a process with the site's settings."""
    import django

    django.setup()
    from django.core.management import call_command

    from tests import factories as make
    from tournaments import actions

    call_command("migrate", verbosity=0)
    call_command("adopt_rules", verbosity=0)
    bots = [make.bot(name=f"first {n}", content=FIRST) for n in range(BOTS)]
    cup = make.tournament(bots, format=FORMAT, groups=GROUPS, seed=None, start=True)
    while actions.advance(cup.pk):  # the start of a large tournament creates only some matches
        pass


def count() -> None:
    """Print the number of stored matches for each line of input, in a process like `prepare`."""
    import django

    django.setup()
    from tournaments.models import Match

    for _ in sys.stdin:
        print(Match.objects.filter(state=Match.State.FINISHED).count(), flush=True)


def measure(seconds: float, *, postgres: bool = False) -> Pace:
    """Play for this time on SQLite or PostgreSQL."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cardroom-rated-"))
        site = Site(Path(folder))
        server: Postgres | None = None
        if postgres:
            server = stack.enter_context(start_postgres())
            site.environment = {"DATABASE_URL": server.database()}
        _run(site, "prepare").wait()
        counter = stack.enter_context(_run(site, "count"))
        stack.callback(site.end)
        site.up(workers=len(os.sched_getaffinity(0)))
        while _count(counter) < WARM:
            time.sleep(0.2)
        before, start, first = _spent(site, server), time.monotonic(), _count(counter)
        time.sleep(seconds)
        after, played = _spent(site, server), max(1, _count(counter) - first)
        elapsed = time.monotonic() - start
        assert counter.stdin is not None
        counter.stdin.close()
    spent = {name: (after[name] - before[name]) / played * 1e3 for name in after}
    return Pace(played / elapsed * 60, spent)


def _run(site: Site, function: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.rated", function],
        env=site.env(),
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _count(counter: subprocess.Popen[str]) -> int:
    assert counter.stdin is not None
    assert counter.stdout is not None
    print(file=counter.stdin, flush=True)
    return int(counter.stdout.readline())


def _spent(site: Site, server: Postgres | None) -> dict[str, float]:
    """Processor seconds so far, by service."""
    spent = costs(site)
    if server is not None:
        pid = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
        spent["PostgreSQL"] = processor_seconds(pid)
    return spent


def run(seconds: float) -> list[Ratio]:
    """The line of `make bench`."""
    pace = measure(seconds)
    minute, spent = pace.matches_per_minute, sum(pace.milliseconds.values())
    title = f"rated matches a minute and core, end to end ({minute:,.0f} a minute in all)"
    peer = 60_000 / bare_pythons()
    return [Ratio(title, "", 60_000 / spent, peer, "2 × python3 -I -S -c pass", "aim 1,000")]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.rated")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    pace = measure(options.seconds, postgres=options.postgres)
    print(f"{pace.matches_per_minute:,.0f} matches a minute")
    print(f"{sum(pace.milliseconds.values()):6.1f} ms of processor time a match:")
    for name, spent in sorted(pace.milliseconds.items(), key=lambda item: -item[1]):
        print(f"{spent:6.1f} {name}")


if __name__ == "__main__":
    functions = {"prepare": prepare, "count": count}
    functions.get(sys.argv[1] if len(sys.argv) > 1 else "", main)()
