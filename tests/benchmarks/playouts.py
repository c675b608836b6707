"""Random playouts: decisions a second, against OpenSpiel's gin_rummy through its Python API.

A decision is: list the legal moves, choose one at random, play it. Chance moves of the peer are
made but not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter

from engine import Match
from tests.benchmarks.measure import Ratio, alternate

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


def run(rounds: int, budget_s: float) -> list[Ratio]:
    """One line a format."""
    rng = Random(2026)

    def measured(fmt: str) -> Callable[[], float]:
        return lambda: cassino(fmt, rng, budget_s)

    lines = []
    for fmt in FORMATS:
        ours, peer = alternate(measured(fmt), lambda: gin_rummy(rng, budget_s), rounds)
        lines.append(
            Ratio(
                f"playouts of {fmt}",
                "decisions/s",
                ours,
                peer,
                "OpenSpiel gin_rummy",
                "2×, aim 10×",
            )
        )
    return lines
