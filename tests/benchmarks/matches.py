"""Processor time of a whole light match: referee, both sandboxes from their start, and both bots.

Ours: Cassino of two deals (96 moves) between bots that play the first legal move, with waiting
sandboxes; what forks them, and those that wait at the end for no match, are paid for, too. Peer:
two bare interpreters that start and end. Storing a match is not in it; `python -m
tests.benchmarks.storing` measures that.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from bots.referee.referee import play_match
from bots.sandbox import Limits, Sandbox
from engine import Format
from tests.benchmarks.measure import Ratio, alternate
from tests.benchmarks.referee import players

FORMAT = Format.parse("cassino/standard/1v1?deals=2&target=0")
MATCHES = 40
WARM = 4


def spent_s() -> float:
    """Processor seconds of this process and of all children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def ours() -> float:
    """Milliseconds a match. Who forks the runners is counted when it ends: with the sandbox."""
    seated = players()
    before = spent_s()
    with Sandbox(Limits(), warm=WARM) as sandbox:
        for number in range(MATCHES):
            play_match(FORMAT, f"bench {number}", seated, sandbox=sandbox)
            while sandbox.waiting() < WARM:
                time.sleep(0.002)
    return (spent_s() - before) / MATCHES * 1e3


def bare_pythons() -> float:
    """The peer: milliseconds for two interpreters, without the module `site`."""
    before = spent_s()
    for _ in range(2):
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return (spent_s() - before) * 1e3


def run(rounds: int) -> list[Ratio]:
    """One line."""
    ours()
    mine, peer = alternate(ours, bare_pythons, rounds)
    what = f"light match, processor time: {60_000 / mine:,.0f} a minute and core"
    return [Ratio(what, "ms", mine, peer, "2 × python3 -I -S -c pass", "40 ms, aim 25 ms")]
