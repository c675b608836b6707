"""Measures the main operations of a search, against OpenSpiel's gin_rummy with its Python API.

- Decisions: list the legal moves, choose one at random, play it.
- Playouts: the same inside `Match.playout`, at random or by the game's own policy.
- Guesses: `Match.from_view` after twelve moves. Copies: `Match.copy` of that match.

The peer's figures are decisions, without its chance moves, and copies (`State.clone`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import geometric_mean
from time import process_time

from engine import Match
from engine.deals import BaseDeal
from engine.registry import BUILT_IN
from tests.benchmarks.measure import Ratio, alternate

PEER = "OpenSpiel gin_rummy"
ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "build" / "bench"
"""A folder for a compiled engine as in a wheel, which no other program of the checkout uses."""
MAIN = (
    "cassino/standard/1v1",
    "canasta/classic/2v2",
    "spoon-eye/standard/1v1",
    "zwicker/grupp/1v1",
    "paks/standard/1v1",
)
"""Each game's main format."""
FORMATS = tuple(fmt for fmt in MAIN if fmt.partition("/")[0] in BUILT_IN)


WHAT = ("decisions", "playouts", "own playouts", "guesses", "copies")
"""The operations that are measured in each format."""
AIMS = {
    "decisions": "6×, aim 10×",
    "playouts": "12×, aim 25×",
    "own playouts": "12×, aim 25×",
    "guesses": "aim 20,000/s",
    "copies": "aim 500,000/s",
}


def measure(what: str, fmt: str, rng: Random, budget_s: float) -> float:
    """One of `WHAT` per second of processor time."""
    if what == "decisions":
        return decisions(fmt, rng, budget_s)
    if what == "guesses":
        match = _start_match(fmt, rng)
        view = match.view(match.turn)
        return rate(lambda: Match.from_view(view, rng), budget_s)
    if what == "copies":
        return rate(_start_match(fmt, rng).copy, budget_s)
    return playouts(fmt, rng, budget_s, own=what == "own playouts")


def decisions(fmt: str, rng: Random, budget_s: float) -> float:
    """Decisions per second in random matches."""
    count, start = 0, process_time()
    while process_time() - start < budget_s:
        match = Match(fmt, seed=str(rng.random()))
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
            count += 1
    return count / (process_time() - start)


def playouts(fmt: str, rng: Random, budget_s: float, *, own: bool) -> float:
    """Decisions per second in playouts of whole deals, each from a copy."""
    matches = [Match(fmt, seed=str(number)) for number in range(32)]
    count, start = 0, process_time()
    while process_time() - start < budget_s:
        for match in matches:
            deal = match.sketch()._deal
            assert isinstance(deal, BaseDeal)
            count += deal.play_out(rng, own=own)
    return count / (process_time() - start)


def rate(work: Callable[[], object], budget_s: float) -> float:
    """Calls per second."""
    count, start = 0, process_time()
    while process_time() - start < budget_s:
        for _ in range(20):
            work()
        count += 20
    return count / (process_time() - start)


def _start_match(fmt: str, rng: Random) -> Match:
    match = Match(fmt, seed="begun")
    for _ in range(12):
        match.play(rng.choice(match.legal_moves()))
    return match


def gin_rummy(rng: Random, budget_s: float) -> float:
    """The peer's decisions per second."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    decisions, start = 0, process_time()
    while process_time() - start < budget_s:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
    return decisions / (process_time() - start)


def clones(rng: Random, budget_s: float) -> float:
    """The peer's copies per second, of a state after twelve moves."""
    import pyspiel

    state = pyspiel.load_game("gin_rummy").new_initial_state()
    moves = 0
    while moves < 12 and not state.is_terminal():
        moves += not state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    return rate(state.clone, budget_s)


def compiled(what: str, fmt: str, budget_s: float) -> float:
    """`measure` in a separate process that imports the compiled engine."""
    program = (
        "import sys; from random import Random; from tests.benchmarks.playouts import measure;"
        "from engine import match; assert match.__file__.endswith('.so'), match.__file__;"
        "print(measure(sys.argv[1], sys.argv[2], Random(2026), float(sys.argv[3])))"
    )
    command = [sys.executable, "-P", "-c", program, what, fmt, str(budget_s)]
    path = os.pathsep.join((str(COMPILED), str(COMPILED.parents[1])))
    process = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return float(process.stdout)


def compile_engine() -> bool:
    """Compile the current engine into `COMPILED`; return whether that worked."""
    process = subprocess.run(
        [sys.executable, str(ROOT / "hatch_build.py"), str(COMPILED)],
        capture_output=True,
        text=True,
    )
    if process.returncode:
        print(f"Not compiled, so only the interpreted engine is measured. {process.stderr.strip()}")
    return process.returncode == 0


def run(rounds: int, budget_s: float) -> list[Ratio]:
    """A line for each operation and game, and means; also with a compiled engine if possible."""
    rng = Random(2026)
    modes: dict[str, Callable[[str, str], float]] = {
        "interpreted": lambda what, fmt: measure(what, fmt, rng, budget_s)
    }
    if compile_engine():
        modes["compiled"] = lambda what, fmt: compiled(what, fmt, budget_s)
    return [
        line
        for mode, function in modes.items()
        for what in WHAT
        for line in _lines(what, mode, function, rounds, budget_s)
    ]


def _lines(
    what: str, mode: str, function: Callable[[str, str], float], rounds: int, budget_s: float
) -> list[Ratio]:
    rng = Random(1)
    peer_of = clones if what in ("guesses", "copies") else gin_rummy
    unit = f"{what}/s" if what in ("guesses", "copies") else "decisions/s"
    lines = []
    for fmt in FORMATS:
        ours, peer = alternate(
            partial(function, what, fmt), partial(peer_of, rng, budget_s), rounds
        )
        lines.append(Ratio(f"{what}: {fmt}, {mode}", unit, ours, peer, PEER, AIMS[what]))
    mean = Ratio(
        f"{what}: geometric mean of {len(lines)} games, {mode}",
        unit,
        geometric_mean(line.ours for line in lines),
        geometric_mean(line.peer for line in lines),
        PEER,
        AIMS[what],
    )
    return [*lines, mean]
