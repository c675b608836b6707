"""Measures processor time until a bot with numpy is ready, against a plain bot, in one run.

    python -m tests.benchmarks.libraries [--rounds 20]

Cold: a sandbox starts for the bot. Warm: a runner waits, with numpy loaded if the bot needs it. It
prints medians for the bot's own process, as the referee measures it, because the walls cost the
same for both.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Final

from bots.sandbox import Limits, Program, Sandbox

CHOOSE: Final = b"def choose(view, legal):\n    return legal[0]\n"
BOTS: Final = {
    "plain": Program({"bot.py": CHOOSE}),
    "numpy": Program({"bot.py": b"import numpy\n" + CHOOSE}, needs=("numpy",)),
    "numpy.random": Program({"bot.py": b"import numpy.random\n" + CHOOSE}, needs=("numpy",)),
}


def ready_ms(sandbox: Sandbox, program: Program) -> float:
    """Milliseconds of processor time until the bot is ready."""
    seat = sandbox.open(program, name="bench")
    try:
        seat.send(b'{"type":"start","protocol":1,"rng":"seed"}')
        seat.receive(60)
        return seat.usage().cpu_ms
    finally:
        seat.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    for kind, warm in (("cold", 0), ("warm", 1)):
        figures: dict[str, list[float]] = {name: [] for name in BOTS}
        with Sandbox(Limits(), warm=warm) as sandbox:
            for number in range(-1, rounds):
                for name, program in BOTS.items():
                    cpu_ms = ready_ms(sandbox, program)
                    time.sleep(0.3 * warm)  # lets the next runner start
                    if number >= 0:  # the first start also fills caches
                        figures[name].append(cpu_ms)
        plain_ms = statistics.median(figures["plain"])
        for name, values in figures.items():
            median_ms = statistics.median(values)
            print(f"{kind} {name:12} {median_ms:6.1f} ms {median_ms / plain_ms:5.2f}×")


if __name__ == "__main__":
    main()
