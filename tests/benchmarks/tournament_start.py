"""What a start costs for a round robin with many matches.

`python -m tests.benchmarks.starting` prints seconds and memory of the call that starts it, and of
the housekeeper's calls that create the planned matches, on SQLite and PostgreSQL. 224 bots have
99,904 matches, almost the most that one step may create.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from tests.benchmarks.storing import server_seconds, site_environment


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.starting", description=__doc__)
    parser.add_argument(
        "--bots", type=int, default=224, help="entries; two deal groups for each two"
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument(
        "--piece", type=int, help="matches that one transaction creates; a large number: all"
    )
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.here:
        _measure(wanted.bots, wanted.database, wanted.piece)
        return
    print("database    call       matches  seconds  processor  server  longest  MiB", flush=True)
    for name in (wanted.database,) if wanted.database else ("sqlite", "postgresql"):
        command = [sys.executable, "-m", "tests.benchmarks.starting", "--here"]
        command += ["--database", name, "--bots", str(wanted.bots)]
        if wanted.piece is not None:
            command += ["--piece", str(wanted.piece)]
        with site_environment(name) as environment:
            subprocess.run(command, env=environment, check=True)


def _measure(bots: int, database: str, piece: int | None) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from tests import factories as make
    from tournaments import actions
    from tournaments.actions import deal_groups

    if piece is not None:
        deal_groups.PIECE = piece
    call_command("migrate", verbosity=0)
    call_command("adopt_rules", stdout=io.StringIO())
    cup = make.tournament(bots, groups=2, seed=None)
    _timed(database, "start", lambda: actions.start(cup, None) is None)
    _timed(database, "advance", lambda: actions.advance(cup.pk))


def _timed(database: str, name: str, call: Callable[[], bool]) -> None:
    """Call until the answer is False, and print what that cost."""
    from tournaments.models import Match

    matches, longest = Match.objects.count(), 0.0
    began, cpu, server = time.perf_counter(), time.process_time(), server_seconds()
    again = True
    while again:
        before = time.perf_counter()
        again = call()
        longest = max(longest, time.perf_counter() - before)
    spent, own = time.perf_counter() - began, time.process_time() - cpu
    served = server_seconds() - server
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    matches = Match.objects.count() - matches
    print(
        f"{database:12}{name:8}{matches:10,}{spent:9.1f}{own:11.1f}{served:8.1f}{longest:9.2f}"
        f"{memory:5}",
        flush=True,
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    main()
