"""What a search spends its time on, against OpenSpiel's gin_rummy through its Python API.

Decisions a second: list the legal moves, choose one at random, play it. Playouts: the same inside
`Match.playout`, at random or by the game's own policy. Guesses: `Match.from_view` after twelve
moves. Copies: `Match.copy` there. Of the peer decisions, without the chance moves that it makes,
and copies (`State.clone`).
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
from time import perf_counter

from engine import Match
from engine.deals import BaseDeal
from engine.registry import BUILT_IN
from tests.benchmarks.measure import Ratio, alternate

PEER = "OpenSpiel gin_rummy"
ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "build" / "bench"  # as a wheel has it; no program of the checkout takes it
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
"""What is measured of each format."""
AIMS = {
    "decisions": "6×, aim 10×",
    "playouts": "12×, aim 25×",
    "own playouts": "12×, aim 25×",
    "guesses": "aim 20,000/s",
    "copies": "aim 500,000/s",
}


def measured(what: str, fmt: str, rng: Random, budget_s: float) -> float:
    """One of `WHAT` a second."""
    if what == "decisions":
        return decisions(fmt, rng, budget_s)
    if what == "guesses":
        match = _begun(fmt, rng)
        view = match.view(match.turn)
        return rate(lambda: Match.from_view(view, rng), budget_s)
    if what == "copies":
        return rate(_begun(fmt, rng).copy, budget_s)
    return playouts(fmt, rng, budget_s, own=what == "own playouts")


def decisions(fmt: str, rng: Random, budget_s: float) -> float:
    """Decisions a second over random matches, until the time is up."""
    made, start = 0, perf_counter()
    while perf_counter() - start < budget_s:
        match = Match(fmt, seed=str(rng.random()))
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
            made += 1
    return made / (perf_counter() - start)


def playouts(fmt: str, rng: Random, budget_s: float, *, own: bool) -> float:
    """Decisions a second inside playouts of whole deals, each from a copy."""
    dealt = [Match(fmt, seed=str(number)) for number in range(32)]
    made, start = 0, perf_counter()
    while perf_counter() - start < budget_s:
        for match in dealt:
            deal = match.sketch()._deal
            assert isinstance(deal, BaseDeal)
            made += deal.play_out(rng, own=own)
    return made / (perf_counter() - start)


def rate(work: Callable[[], object], budget_s: float) -> float:
    """How often a second something can be done."""
    done, start = 0, perf_counter()
    while perf_counter() - start < budget_s:
        for _ in range(20):
            work()
        done += 20
    return done / (perf_counter() - start)


def _begun(fmt: str, rng: Random) -> Match:
    match = Match(fmt, seed="begun")
    for _ in range(12):
        match.play(rng.choice(match.legal_moves()))
    return match


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


def clones(rng: Random, budget_s: float) -> float:
    """Copies a second of the peer's state after twelve moves."""
    import pyspiel

    state = pyspiel.load_game("gin_rummy").new_initial_state()
    made = 0
    while made < 12 and not state.is_terminal():
        made += not state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    return rate(state.clone, budget_s)


def compiled(what: str, fmt: str, budget_s: float) -> float:
    """The same in a process of its own that imports the compiled engine."""
    program = (
        "import sys; from random import Random; from tests.benchmarks.playouts import measured;"
        "from engine import match; assert match.__file__.endswith('.so'), match.__file__;"
        "print(measured(sys.argv[1], sys.argv[2], Random(2026), float(sys.argv[3])))"
    )
    command = [sys.executable, "-P", "-c", program, what, fmt, str(budget_s)]
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
    """A line for each figure and game, and their means; compiled, too, where that can be."""
    rng = Random(2026)
    ways: dict[str, Callable[[str, str], float]] = {
        "interpreted": lambda what, fmt: measured(what, fmt, rng, budget_s)
    }
    if compile_engine():
        ways["compiled"] = lambda what, fmt: compiled(what, fmt, budget_s)
    return [
        line
        for way, how in ways.items()
        for what in WHAT
        for line in _lines(what, way, how, rounds, budget_s)
    ]


def _lines(
    what: str, way: str, how: Callable[[str, str], float], rounds: int, budget_s: float
) -> list[Ratio]:
    rng = Random(1)
    peer_of = clones if what in ("guesses", "copies") else gin_rummy
    unit = f"{what}/s" if what in ("guesses", "copies") else "decisions/s"
    lines = []
    for fmt in FORMATS:
        mine, peer = alternate(partial(how, what, fmt), partial(peer_of, rng, budget_s), rounds)
        lines.append(Ratio(f"{what}: {fmt}, {way}", unit, mine, peer, PEER, AIMS[what]))
    mean = Ratio(
        f"{what}: geometric mean of {len(lines)} games, {way}",
        unit,
        geometric_mean(line.ours for line in lines),
        geometric_mean(line.peer for line in lines),
        PEER,
        AIMS[what],
    )
    return [*lines, mean]
