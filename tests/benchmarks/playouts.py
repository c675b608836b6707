"""Random playouts: decisions a second, against OpenSpiel's gin_rummy through its Python API.

A decision is: list the legal moves, choose one at random, play it. Chance moves of the peer are
made but not counted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter

from engine import Match
from tests.benchmarks.measure import Ratio, alternate

ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "build" / "compiled"
FORMATS = ("cassino/standard/1v1", "cassino/royal/2v2", "cassino/spade/ffa3")


def cassino(fmt: str, rng: Random, budget_s: float) -> float:
    """Decisions a second over whole matches of one deal target, until the time is up."""
    decisions, start = 0, perf_counter()
    while perf_counter() - start < budget_s:
        match = Match(fmt, seed=str(rng.random()))
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
            decisions += 1
    return decisions / (perf_counter() - start)


def gin_rummy(rng: Random, budget_s: float) -> float:
    """The same for the peer."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    decisions, start = 0, perf_counter()
    while perf_counter() - start < budget_s:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
    return decisions / (perf_counter() - start)


def compiled(fmt: str, budget_s: float) -> float:
    """The same in a process of its own that imports the compiled engine."""
    program = (
        "import sys; from random import Random; from tests.benchmarks.playouts import cassino;"
        "from engine import match; assert match.__file__.endswith('.so'), match.__file__;"
        "print(cassino(sys.argv[1], Random(2026), float(sys.argv[2])))"
    )
    command = [sys.executable, "-P", "-c", program, fmt, str(budget_s)]
    path = os.pathsep.join((str(COMPILED), str(COMPILED.parents[1])))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def compile_engine() -> bool:
    """Whether a compiled copy of the engine as it is now stands in `COMPILED`."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "hatch_build.py"), str(COMPILED)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print(f"Not compiled, so only the interpreted engine is measured. {done.stderr.strip()}")
    return done.returncode == 0


def run(rounds: int, budget_s: float) -> list[Ratio]:
    """One line a format, interpreted; and one compiled where there is a compiler."""
    rng = Random(2026)
    ways: list[tuple[str, Callable[[str], float]]] = [
        ("interpreted", lambda fmt: cassino(fmt, rng, budget_s))
    ]
    if compile_engine():
        ways.insert(0, ("compiled", lambda fmt: compiled(fmt, budget_s)))
    lines = []
    for fmt in FORMATS:
        for way, measured in ways:
            ours, peer = alternate(
                partial(measured, fmt), partial(gin_rummy, rng, budget_s), rounds
            )
            what = f"playouts of {fmt}, {way}"
            lines.append(
                Ratio(what, "decisions/s", ours, peer, "OpenSpiel gin_rummy", "2×, aim 10×")
            )
    return lines
