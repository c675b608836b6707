"""Measures the cost of starting a round robin with many matches.

`python -m tests.benchmarks.tournament_start` prints time and memory of the call that starts it, and
of the housekeeper's calls that create the planned matches, on SQLite and PostgreSQL. 224 bots have
99,904 matches, almost the maximum that one step may create.
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
    parser = argparse.ArgumentParser(prog="tests.benchmarks.tournament_start", description=__doc__)
    parser.add_argument(
        "--bots", type=int, default=224, help="entries; each pair plays two deal groups"
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--piece", type=int, help="matches that one transaction creates")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        _measure(arguments.bots, arguments.database, arguments.piece)
        return
    print("database    call       matches  seconds  processor  server  longest  MiB", flush=True)
    for name in (arguments.database,) if arguments.database else ("sqlite", "postgresql"):
        command = [sys.executable, "-m", "tests.benchmarks.tournament_start", "--here"]
        command += ["--database", name, "--bots", str(arguments.bots)]
        if arguments.piece is not None:
            command += ["--piece", str(arguments.piece)]
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
    _print_cost(database, "start", lambda: actions.start(cup, None) is None)
    _print_cost(database, "advance", lambda: actions.advance(cup.pk))


def _print_cost(database: str, name: str, call: Callable[[], bool]) -> None:
    """Call until the result is False, and print the cost."""
    from tournaments.models import Match

    matches, longest = Match.objects.count(), 0.0
    wall_start, cpu_start = time.perf_counter(), time.process_time()
    server_start = server_seconds()
    continues = True
    while continues:
        before = time.perf_counter()
        continues = call()
        longest = max(longest, time.perf_counter() - before)
    wall, cpu = time.perf_counter() - wall_start, time.process_time() - cpu_start
    server = server_seconds() - server_start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    matches = Match.objects.count() - matches
    print(
        f"{database:12}{name:8}{matches:10,}{wall:9.1f}{cpu:11.1f}{server:8.1f}{longest:9.2f}"
        f"{memory:5}",
        flush=True,
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    main()
