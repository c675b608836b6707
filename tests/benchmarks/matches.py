"""Measures processor time of a whole light match: referee, start of both sandboxes, both bots.

Ours: Cassino of two deals (96 moves) between bots that play the first legal move, with waiting
sandboxes. It includes the process that forks them, and sandboxes that still wait at the end. Peer:
two bare interpreters that start and end. It excludes storing a match, which `python -m
tests.benchmarks.storing` measures.
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


def processor_seconds() -> float:
    """Processor seconds of this process and of all children that have ended."""
    usages = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def ours() -> float:
    """Milliseconds per match. The process that forks runners ends, and counts, with the sandbox."""
    bots = players()
    before = processor_seconds()
    with Sandbox(Limits(), warm=WARM) as sandbox:
        for number in range(MATCHES):
            play_match(FORMAT, f"bench {number}", bots, sandbox=sandbox)
            while sandbox.waiting() < WARM:
                time.sleep(0.002)
    return (processor_seconds() - before) / MATCHES * 1e3


def bare_pythons() -> float:
    """The peer: milliseconds for two interpreters, without the module `site`."""
    before = processor_seconds()
    for _ in range(2):
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return (processor_seconds() - before) * 1e3


def run(rounds: int) -> list[Ratio]:
    """One line."""
    ours()
    our_ms, peer_ms = alternate(ours, bare_pythons, rounds)
    title = f"light match, processor time: {60_000 / our_ms:,.0f} a minute and core"
    return [Ratio(title, "ms", our_ms, peer_ms, "2 × python3 -I -S -c pass", "40 ms, aim 25 ms")]
