"""Compares the start of sandboxes in this and other checkouts of the project, in one run.

    python tests/benchmarks/compare_starts.py OTHER... [--rounds 60]

Ratios are to the first checkout. All run under this interpreter, which needs no packages, so an
ordinary user can run it with any Python. A start ends when the bot is ready: a Python bot (cold) or
a shell script (command) in a new sandbox, or a Python bot in a waiting one (warm). The checkouts
take turns. Wall time is a median and, because the machine may be busy, the first decile. Processor
time is the mean of all processes, including their ends.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
KINDS: Final = ("cold", "command", "warm")
# It uses only functions that all versions have. Each line of input is a kind of start; each line of
# output has its wall time and processor time in milliseconds.
STARTER: Final = r"""
import os, resource, sys, time
from pathlib import Path
from bots.sandbox import Limits, Program, Sandbox

PYTHON = Program({"bot.py": b"def choose(view, legal):\n    return legal[0]\n"})
SHELL = b"#!/bin/sh\nread line\necho '{\"type\":\"ready\"}'\nread line\n"
COMMAND = Program({"bot": SHELL}, ("./bot",))

def first_answer(sandbox, program):
    begin = time.perf_counter()
    seat = sandbox.open(program, name="bench")
    seat.send(b'{"type":"start","protocol":1,"rng":"seed"}')
    seat.receive(60)
    spent = time.perf_counter() - begin
    seat.close()
    return spent * 1e3

def await_warm():
    while not warm.waiting():
        time.sleep(0.01)

def below(pid):
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in children:
            yield int(child)
            yield from below(int(child))

def used():
    own = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total_s = sum(part.ru_utime + part.ru_stime for part in own)
    for pid in below(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total_s += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total_s * 1e3

with Sandbox(Limits()) as cold, Sandbox(Limits(), warm=1) as warm:
    for kind in map(str.strip, sys.stdin):
        await_warm()
        before = used()
        wall = first_answer(*{
            "cold": (cold, PYTHON), "command": (cold, COMMAND), "warm": (warm, PYTHON)
        }[kind])
        await_warm()
        print(wall, used() - before, flush=True)
"""


class Checkout:
    """A process of one checkout that starts sandboxes on request."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.name = folder.name
        self.wall_ms: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.cpu_ms: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self._process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-P", "-c", STARTER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONPATH": f"{folder}:{folder}/platform"},
                cwd="/",
            )
        )

    def start(self, kind: str) -> tuple[float, float]:
        """Start a sandbox; return wall time and processor time in milliseconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{kind}\n")
        self._process.stdin.flush()
        wall_ms, cpu_ms = map(float, self._process.stdout.readline().split())
        return wall_ms, cpu_ms

    def figures(self, kind: str) -> tuple[float, float, float]:
        """Median and first decile of wall time, and mean processor time."""
        wall_ms = self.wall_ms[kind]
        tenth = statistics.quantiles(wall_ms, n=10)[0]
        return statistics.median(wall_ms), tenth, statistics.mean(self.cpu_ms[kind])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("others", type=Path, nargs="+", help="folders of checkouts")
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        checkouts = [Checkout(folder.resolve(), stack) for folder in (*arguments.others, ROOT)]
        for number in range(-1, arguments.rounds):
            for kind in KINDS:
                for checkout in checkouts[:: 1 if number % 2 else -1]:
                    wall_ms, cpu_ms = checkout.start(kind)
                    if number >= 0:  # the first start also fills caches
                        checkout.wall_ms[kind].append(wall_ms)
                        checkout.cpu_ms[kind].append(cpu_ms)
    for kind in KINDS:
        first = checkouts[0].figures(kind)
        for checkout in checkouts:
            pairs = zip(checkout.figures(kind), first, strict=True)
            columns = "  ".join(f"{ours:7.2f} ms {ours / theirs:5.2f}×" for ours, theirs in pairs)
            print(f"{kind:8} {checkout.name:12} wall, 1/2 and 1/10; processor: {columns}")


if __name__ == "__main__":
    main()
