"""Measures listing and testing moves in the slowest known positions.

A bot could cause such positions on purpose to stall a worker: tables after many trails, large
hands, jokers. The limits are those of the design, for the interpreted engine. Positions come from a
new pack, shuffled by `random.Random(seed)`; the seeds are the worst of some hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Any

from engine import Format, Match
from engine.cards import SUITS, texts
from tests.benchmarks.measure import Ratio

REACHABLE = (50.0, 5.0)
"""Maximum milliseconds for a list and for a test, in positions that occur in real matches."""
EXTREME = (1000.0, 1000.0)
"""The same in positions that need the help of all players."""
TABLES = (
    ("zwicker/christiansen/1v1", 20, 8, 52, REACHABLE),
    ("zwicker/christiansen/1v1", 20, 8, 10, REACHABLE),
    ("zwicker/grupp/1v1", 20, 4, 3, REACHABLE),
    ("zwicker/grupp/ffa5", 20, 4, 56, REACHABLE),
    ("cassino/royal/1v1?ace_high=true", 20, 4, 11, REACHABLE),
    ("zwicker/christiansen/1v1", 44, 8, 28, EXTREME),
    ("zwicker/christiansen/1v1", 44, 8, 52, EXTREME),
    ("zwicker/grupp/ffa5", 90, 4, 6, EXTREME),
    ("zwicker/grupp/ffa5?joker_table=joker", 90, 4, 20, EXTREME),
    ("cassino/royal/1v1?ace_high=true", 40, 4, 3, EXTREME),
)
"""Format, loose cards on the table, cards in hand, seed, limits."""
HANDS = ((20, 2, REACHABLE), (25, 10, EXTREME))
"""Cards in a hand of Paks, seed, limits."""


def position_with_table(fmt: str, size: int, hand: int, seed: int) -> Match:
    """A position with the first cards of a shuffled pack on the table and the next in the hand."""
    form = Format.parse(fmt)
    deck = texts(form.spec.pack(form))
    Random(seed).shuffle(deck)
    return Match.from_position(form, {"table": deck[:size], "hands": [deck[size : size + hand]]})


def position_with_thefts(size: int, seed: int) -> Match:
    """A position of Paks in which one opponent has paks of two with all cards outside the hand."""
    form = Format.parse("paks/standard/ffa3")
    deck = form.spec.pack(form)
    Random(seed).shuffle(deck)
    paks: list[list[str]] = []
    for suit in range(4):
        rest = texts(sorted(card for card in deck[size:] if card & 3 == suit))
        paks += [rest[at : at + 2] for at in range(0, len(rest) - 1, 2)]
    state: dict[str, Any] = {
        "phase": "steal",
        "used_suits": [SUITS[0]],
        "hands": [texts(deck[:size])],
        "paks": [[], paks],
    }
    return Match.from_position(form, state)


def positions() -> Iterator[tuple[str, Match, tuple[float, float]]]:
    """Name, match and limits of each position."""
    for fmt, size, hand, seed, limits in TABLES:
        yield f"{fmt}, {size} on the table", position_with_table(fmt, size, hand, seed), limits
    for size, seed, limits in HANDS:
        yield f"paks, {size} in hand", position_with_thefts(size, seed), limits


def cpu_ms(work: Callable[[], object], rounds: int) -> float:
    """The median processor time of several calls, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return median(times) * 1e3


def listing_ms(match: Match, rounds: int) -> float:
    """Time to list the moves of a new match, without caches."""
    return cpu_ms(lambda: match.copy().legal_moves(), rounds)


def testing_ms(match: Match, rounds: int) -> float:
    """Time to test a move: the slowest of some legal ones, and of the same without one item."""
    legal = match.copy().legal_moves()
    moves = legal[:: max(1, len(legal) // 20)]
    moves += [move.rpartition(",")[0] or move for move in moves]
    return max(cpu_ms(partial(match.is_legal, move), rounds) for move in moves)


def run(rounds: int) -> list[Ratio]:
    """Two lines for each position; the peer is the limit, so the ratio must be below 1."""
    lines = []
    for name, match, (list_limit, test_limit) in positions():
        for verb, figure, limit in (
            ("list", listing_ms(match, rounds), list_limit),
            ("test", testing_ms(match, rounds), test_limit),
        ):
            lines.append(Ratio(f"{verb}: {name}", "ms", figure, limit, "the limit", "1×"))
    return lines
