"""Measures how fast `cardroom play` plays light matches, with jobs and inside its process.

    python -m tests.benchmarks.home [--matches 60] [--rounds 3]

house:random plays Cassino against itself, two deals a match. Each mode plays two matches and many
matches in turn; only the difference counts, which excludes the start. Processor time includes all
processes and bots. It prints ratios of medians of one run; on a busy machine only the ratios of
processor time are meaningful.
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
MODES: Final = {
    "one job": ("--jobs", "1"),
    "all cores": ("--jobs", str(cores())),
    "inside a process": ("--jobs", "1", "--inprocess"),
}


def seconds(matches: int, *options: str) -> tuple[float, float]:
    """Wall and processor time of this number of matches."""
    command = [sys.executable, "-m", "tournaments", "play", *MATCH, "--matches", str(matches)]
    start = time.perf_counter()
    null = subprocess.DEVNULL
    with subprocess.Popen([*command, *options], stdout=null, stderr=null) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join([*command, *options])} failed")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.home")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    walls: dict[str, list[float]] = {mode: [] for mode in MODES}
    cpus: dict[str, list[float]] = {mode: [] for mode in MODES}
    for _ in range(arguments.rounds):
        for mode, options in MODES.items():
            count = arguments.matches * (10 if "--inprocess" in options else 1)
            pairs = [seconds(matches, *options) for matches in (2, count + 2)]
            wall, cpu = (after - before for before, after in zip(*pairs, strict=True))
            walls[mode].append(wall / count * 1e3)
            cpus[mode].append(cpu / count * 1e3)
    first = next(iter(MODES))
    for mode in MODES:
        wall, cpu = statistics.median(walls[mode]), statistics.median(cpus[mode])
        wall_ratio = statistics.median(walls[first]) / wall
        cpu_ratio = statistics.median(cpus[first]) / cpu
        print(f"{mode:>17}: {wall:6.2f} ms a match ({wall_ratio:.2f}×)", end=", ")
        print(f"{cpu:6.2f} ms of processor time ({cpu_ratio:.2f}×)")


if __name__ == "__main__":
    main()
