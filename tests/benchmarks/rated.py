"""Rated matches end to end: what a whole site plays a minute, and what that costs it.

A site of its own (`manage.py up`, SQLite, no Redis) in a folder that is removed afterwards plays a
round robin of strangers' bots that play the first legal move: Cassino of two deals, 96 moves.
Processor time is that of every service and of all below it: claiming, sandboxes, bots, referee,
storing, ratings, kept tables, the web server that nobody asks. A full queue, one worker process
for each core.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.benchmarks.matches import bare_pythons
from tests.benchmarks.measure import Ratio
from tests.benchmarks.tables import costs
from tests.sites import ROOT, Site

FORMAT = "cassino/standard/1v1?deals=2&target=0"
BOTS = 8
GROUPS = 400
"""Of each pairing: more than anybody plays while it is measured."""
FIRST = b"def choose(view, legal):\n    return legal[0]\n"
WARM = 20
"""Matches before the clock starts: workers fill their pools."""


def prepare() -> None:
    """All tables, and a tournament with a full queue; in a process that has the site's settings."""
    import django

    django.setup()
    from django.core.management import call_command

    from tests import factories as make

    call_command("migrate", verbosity=0)
    call_command("adopt_rules", verbosity=0)
    bots = [make.bot(name=f"first {n}", content=FIRST) for n in range(BOTS)]
    make.tournament(bots, format=FORMAT, groups=GROUPS, seed=None, start=True)


def finished(site: Site) -> int:
    """Matches that are stored."""
    (path,) = site.var.glob("*.sqlite3")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        asked = "SELECT count(*) FROM tournaments_match WHERE state = 'finished'"
        return int(database.execute(asked).fetchone()[0])


def measure(seconds: float) -> tuple[float, float]:
    """Matches a minute, and processor milliseconds a match."""
    site = Site(Path(tempfile.mkdtemp(prefix="cardroom-rated-")))
    try:
        command = [sys.executable, "-m", "tests.benchmarks.rated", "prepare"]
        subprocess.run(command, env=site.env(), cwd=ROOT, check=True)
        site.up(workers=len(os.sched_getaffinity(0)))
        while finished(site) < WARM:
            time.sleep(0.2)
        before, began, played = costs(site), time.monotonic(), finished(site)
        time.sleep(seconds)
        after, played = costs(site), finished(site) - played
        took = time.monotonic() - began
    finally:
        site.end()
        shutil.rmtree(site.var, ignore_errors=True)
    spent = sum(after.values()) - sum(before.values())
    return played / took * 60, spent / max(played, 1) * 1e3


def run(seconds: float) -> list[Ratio]:
    """One line."""
    minute, spent = measure(seconds)
    what = f"rated matches a minute and core, end to end ({minute:,.0f} a minute in all)"
    peer = 60_000 / bare_pythons()
    return [Ratio(what, "", 60_000 / spent, peer, "2 × python3 -I -S -c pass", "aim 1,000")]


if __name__ == "__main__":
    if sys.argv[1:] == ["prepare"]:
        prepare()
    else:
        for line in run(30.0):
            print(f"{line.what}: {line.ours:,.0f}; {line.ratio:.2f} × {line.peer_name}")
