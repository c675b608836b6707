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
from statistics import geometric_mean, median
from time import perf_counter

from engine import Match
from engine.registry import BUILT_IN
from tests.benchmarks.measure import Ratio, alternate

PEER = "OpenSpiel gin_rummy"
ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "build" / "compiled"
MAIN = (
    "cassino/standard/1v1",
    "canasta/classic/2v2",
    "spoon-eye/standard/1v1",
    "zwicker/grupp/1v1",
    "paks/standard/1v1",
)
"""Each game's main format."""
FORMATS = tuple(fmt for fmt in MAIN if fmt.partition("/")[0] in BUILT_IN)


def playouts(fmt: str, rng: Random, budget_s: float) -> tuple[float, float]:
    """Decisions and deals a second over random matches, until the time is up."""
    decisions = deals = 0
    start = perf_counter()
    while perf_counter() - start < budget_s:
        match = Match(fmt, seed=str(rng.random()))
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
            decisions += 1
        deals += len(match.deals)
    spent = perf_counter() - start
    return decisions / spent, deals / spent


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


def compiled(fmt: str, budget_s: float) -> tuple[float, float]:
    """The same in a process of its own that imports the compiled engine."""
    program = (
        "import sys; from random import Random; from tests.benchmarks.playouts import playouts;"
        "from engine import match; assert match.__file__.endswith('.so'), match.__file__;"
        "print(*playouts(sys.argv[1], Random(2026), float(sys.argv[2])))"
    )
    command = [sys.executable, "-P", "-c", program, fmt, str(budget_s)]
    path = os.pathsep.join((str(COMPILED), str(COMPILED.parents[1])))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    decisions, deals = map(float, done.stdout.split())
    return decisions, deals


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
    """One line a game and their geometric mean: interpreted, and compiled where that can be."""
    rng = Random(2026)
    ways: dict[str, Callable[[str], tuple[float, float]]] = {
        "interpreted": lambda fmt: playouts(fmt, rng, budget_s)
    }
    if compile_engine():
        ways["compiled"] = lambda fmt: compiled(fmt, budget_s)
    return [
        line for way, measured in ways.items() for line in _lines(way, measured, rounds, budget_s)
    ]


def _lines(
    way: str, measured: Callable[[str], tuple[float, float]], rounds: int, budget_s: float
) -> list[Ratio]:
    rng = Random(1)
    lines = []
    for fmt in FORMATS:
        deals: list[float] = []

        def ours(fmt: str = fmt, deals: list[float] = deals) -> float:
            decisions, dealt = measured(fmt)
            deals.append(dealt)
            return decisions

        mine, peer = alternate(ours, partial(gin_rummy, rng, budget_s), rounds)
        what = f"{fmt}, {way} ({median(deals):,.0f} deals/s)"
        lines.append(Ratio(what, "decisions/s", mine, peer, PEER, "2×, aim 10×"))
    mean = Ratio(
        f"geometric mean of {len(lines)} games, {way}",
        "decisions/s",
        geometric_mean(line.ours for line in lines),
        geometric_mean(line.peer for line in lines),
        PEER,
        "3×, aim 7×",
    )
    return [*lines, mean]
