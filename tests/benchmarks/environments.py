"""Measures steps of an environment for learning against rlcard's and OpenSpiel's gin rummy.

It measures steps per second of random play, with an observation at each decision, in a separate
process with the compiled engine: `aec` with observations, `aec` with observations and rows of
moves, and a match with only `view` and `legal_moves`. `python -m tests.benchmarks.environments`
runs only this part.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import geometric_mean
from time import process_time
from typing import Any

from tests.benchmarks.measure import Ratio, alternate
from tests.benchmarks.playouts import COMPILED, FORMATS, ROOT, compile_engine

AIMS = {
    ("observations", "rlcard"): "5×",
    ("observations", "OpenSpiel"): "2×",
    ("observations and rows", "rlcard"): "none",
    ("observations and rows", "OpenSpiel"): "none",
    ("views", "rlcard"): "none",
    ("views", "OpenSpiel"): "none",
}
"""The aim for each kind of steps and peer."""


def measure(what: str, fmt: str, budget_s: float) -> float:
    """Steps per second of processor time in random matches."""
    rng, steps = Random(1), 0
    play: Callable[[], int] = partial(views, fmt, rng)
    if what != "views":
        from cardroom.env import aec

        env = aec(fmt, moves="none" if what == "observations" else "info")
        play = partial(observations, env, rng)
    start = process_time()
    while process_time() - start < budget_s:
        steps += play()
    return steps / (process_time() - start)


def views(fmt: str, rng: Random) -> int:
    from engine import Match

    match = Match(fmt, seed=str(rng.random()))
    while match.turn is not None:
        match.view(match.turn)
        match.play(rng.choice(match.legal_moves()))
    return len(match.moves)


def observations(env: Any, rng: Random) -> int:
    env.reset(seed=rng.getrandbits(32))
    steps = 0
    while True:
        _, _, termination, _, info = env.last()
        if termination:
            return steps
        env.step(rng.randrange(len(info["legal"])))
        steps += 1


def open_spiel(budget_s: float) -> float:
    import pyspiel

    game, rng = pyspiel.load_game("gin_rummy"), Random(1)
    steps, start = 0, process_time()
    while process_time() - start < budget_s:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
            else:
                state.observation_tensor(state.current_player())
                state.apply_action(rng.choice(state.legal_actions()))
                steps += 1
    return steps / (process_time() - start)


def rlcard(budget_s: float) -> float:
    import rlcard as peer

    env: Any = peer.make("gin-rummy", config={"seed": 1})
    rng, steps, start = Random(1), 0, process_time()
    while process_time() - start < budget_s:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            steps += 1
    return steps / (process_time() - start)


PEERS = {"rlcard": rlcard, "OpenSpiel": open_spiel}


def compiled(what: str, fmt: str, budget_s: float) -> float:
    """`measure` in a process that imports the compiled engine."""
    program = (
        "import sys; from engine import match; assert match.__file__.endswith('.so');"
        "from tests.benchmarks.environments import measure;"
        "print(measure(sys.argv[1], sys.argv[2], float(sys.argv[3])))"
    )
    path = os.pathsep.join(map(os.fspath, (COMPILED, ROOT, ROOT / "platform")))
    process = subprocess.run(
        [sys.executable, "-P", "-c", program, what, fmt, str(budget_s)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(process.stdout)


def run(rounds: int, budget_s: float, *, compile_first: bool = False) -> list[Ratio]:
    """The mean of five games against each peer."""
    if compile_first and not compile_engine():
        return []
    lines = []
    for (what, peer), aim in AIMS.items():
        pairs = [
            alternate(
                partial(compiled, what, fmt, budget_s), partial(PEERS[peer], budget_s), rounds
            )
            for fmt in FORMATS
        ]
        ours, theirs = (geometric_mean(figures) for figures in zip(*pairs, strict=True))
        title = f"steps with {what}: geometric mean of {len(FORMATS)} games, compiled"
        lines.append(Ratio(title, "steps/s", ours, theirs, f"{peer} gin rummy", aim))
    return lines


if __name__ == "__main__":
    from rich.console import Console

    from tests.benchmarks.__main__ import report

    Console(width=140).print(report(run(3, 0.5, compile_first=True)))
