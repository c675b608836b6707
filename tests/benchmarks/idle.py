"""Measures how long worker processes are idle in a Swiss tournament with some slow bots.

    python -m tests.benchmarks.idle [--slow 8] [--rounds 4] [--workers 8]

Of 64 bots, `--slow` sleep 100 ms before each move. A match with one of them takes 5 seconds, with
two 10 seconds; other matches take a few hundredths of a second. A temporary site plays them with
`--workers` worker processes. There may be more of them than processors, because slow bots only
sleep. A process is idle while it holds no match, from a round's first claim to its last result.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.rated import FIRST, FORMAT
from tests.sites import ROOT, Site, migrate

BOTS = 64
SLOW = b"import time\n\ndef choose(view, legal):\n    time.sleep(0.1)\n    return legal[0]\n"


def prepare(slow: str, rounds: str) -> None:
    """Start the tournament, in a process with the site's settings."""
    import django

    django.setup()
    from tests import factories as make

    bots = [
        make.bot(name=f"bot {n}", content=SLOW if n < int(slow) else FIRST) for n in range(BOTS)
    ]
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": int(rounds)}}]
    make.tournament(bots, format=FORMAT, stages=stages, seed=None, start=True)


def report() -> None:
    """Wait for the end of the tournament, then print `_round` of each round as JSON."""
    import django

    django.setup()
    from tournaments.models import Attempt, Tournament

    while Tournament.objects.filter(state=Tournament.State.RUNNING).exists():
        time.sleep(1)
    attempts = Attempt.objects.filter(finished__isnull=False).order_by("started")
    rows: dict[int, list[tuple[str, float, float]]] = {}
    for attempt in attempts.select_related("match__deal_group"):
        assert attempt.finished is not None
        span = (attempt.worker, attempt.started.timestamp(), attempt.finished.timestamp())
        rows.setdefault(attempt.match.deal_group.round, []).append(span)
    print(json.dumps([_round(spans) for _, spans in sorted(rows.items())]))


def _round(spans: list[tuple[str, float, float]]) -> tuple[float, dict[str, float]]:
    """The length of a round, and the time for which each process held a match, in seconds."""
    busy: dict[str, float] = {}
    until: dict[str, float] = {}
    for worker, start, end in spans:
        first = max(start, until.get(worker, 0.0))
        busy[worker] = busy.get(worker, 0.0) + max(0.0, end - first)
        until[worker] = max(end, first)
    length = max(end for _, _, end in spans) - min(start for _, start, _ in spans)
    return length, busy


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.idle",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--slow", type=int, default=8, help="the number of slow bots")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--workers", type=int, default=8, help="worker processes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cardroom-idle-") as folder:
        site = Site(Path(folder))
        migrate(site.var)
        _run(site, "prepare", str(options.slow), str(options.rounds))
        try:
            site.up(workers=options.workers)
            rounds = json.loads(_run(site, "report"))
        finally:
            site.end()
    for number, (length, busy) in enumerate(rounds, 1):
        total = length * options.workers
        idle = 1 - sum(busy.values()) / total
        print(f"round {number}: {length:5.1f} s, {idle:4.0%} of {options.workers} processes idle")


def _run(site: Site, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.idle", *arguments],
        env=site.env(),
        cwd=ROOT,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"]:
        prepare(*sys.argv[2:])
    elif sys.argv[1:2] == ["report"]:
        report()
    else:
        main()
