"""Measures the time until a sandboxed Python bot is ready, against `python3 -I -c pass`."""

from __future__ import annotations

import subprocess
import sys
import time
from time import perf_counter

from bots.package.package import Package
from bots.referee.protocol import start_line
from bots.sandbox import Limits, Sandbox
from tests.benchmarks.measure import Ratio, alternate, seconds

PROGRAM = Package.load(b"def choose(view, legal):\n    return legal[0]\n", "bot.py").program()
START = start_line(
    format_text="cassino/standard/1v1",
    seat=0,
    sides=((0,), (1,)),
    players=["a", "b"],
    clock={"move_ms": 1000, "bank_ms": 20000},
    rng="0",
)


def first_answer(sandbox: Sandbox) -> float:
    """Seconds from opening a seat until it is ready, without stopping the bot."""
    start = perf_counter()
    seat = sandbox.open(PROGRAM, name="bench")
    seat.send(START)
    seat.receive(10)
    seconds_to_ready = perf_counter() - start
    seat.close()
    return seconds_to_ready


def bare_python() -> None:
    """The peer: only the interpreter, isolated."""
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)


def run(rounds: int) -> list[Ratio]:
    """A cold and a warm line. The warm pool gets time to fill before each measurement."""
    with Sandbox(Limits()) as cold:
        first_answer(cold)
        cold_s, peer_s = alternate(lambda: first_answer(cold), lambda: seconds(bare_python), rounds)
    with Sandbox(Limits(), warm=1) as warm:

        def warm_start() -> float:
            time.sleep(0.3)
            return first_answer(warm)

        warm_s, peer_again_s = alternate(warm_start, lambda: seconds(bare_python), rounds)
    peer = "python3 -I -c pass"
    return [
        Ratio(
            "sandbox, cold, to its first answer",
            "ms",
            cold_s * 1e3,
            peer_s * 1e3,
            peer,
            "2×, aim 1.5×",
        ),
        Ratio("sandbox, warm", "ms", warm_s * 1e3, peer_again_s * 1e3, peer, "0.4×, aim 0.1×"),
    ]
