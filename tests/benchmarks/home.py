"""How fast `cardroom play` plays light matches at home: by jobs, and inside its processes.

    python -m tests.benchmarks.home [--matches 60] [--rounds 3]

house:random against itself at Cassino, two deals a match. Each way plays one match and many, in
turn; the difference counts, so that starting costs nothing. Processor time is that of all
processes, bots included. Prints ratios of medians of one run; on a busy machine only those of
processor time mean something.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from typing import Final

from bots.sandbox import cores

MATCH: Final = ("cassino/standard/1v1?deals=2", "house:random", "house:random", "--seed", "s")
WAYS: Final = {
    "one job": ("--jobs", "1"),
    "all cores": ("--jobs", str(cores())),
    "inside a process": ("--jobs", "1", "--inprocess"),
}


def seconds(matches: int, *options: str) -> tuple[float, float]:
    """Wall and processor time of so many matches."""
    words = [sys.executable, "-m", "tournaments", "play", *MATCH, "--matches", str(matches)]
    began = time.perf_counter()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen([*words, *options], stdout=nowhere, stderr=nowhere) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join([*words, *options])} failed")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.home")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    walls: dict[str, list[float]] = {way: [] for way in WAYS}
    used: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(asked.rounds):
        for way, options in WAYS.items():
            many = asked.matches * (10 if "--inprocess" in options else 1)
            pairs = [seconds(matches, *options) for matches in (2, many + 2)]
            wall, cpu = (after - before for before, after in zip(*pairs, strict=True))
            walls[way].append(wall / many * 1e3)
            used[way].append(cpu / many * 1e3)
    first = next(iter(WAYS))
    for way in WAYS:
        wall, cpu = statistics.median(walls[way]), statistics.median(used[way])
        pace, thrift = statistics.median(walls[first]) / wall, statistics.median(used[first]) / cpu
        print(f"{way:>17}: {wall:6.2f} ms a match ({pace:.2f}×)", end=", ")
        print(f"{cpu:6.2f} ms of processor time ({thrift:.2f}×)")


if __name__ == "__main__":
    main()
