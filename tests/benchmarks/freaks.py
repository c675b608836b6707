"""The slowest positions known: to list their moves, and to test one.

Tables on which everybody trailed, large hands, jokers: what a bot can bring about on purpose to
stall a worker. The limits are the design's, for the interpreted engine. Positions come from the
fresh pack, shuffled by `random.Random(seed)`; the seeds are the worst of some hundreds.
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

REACHED = (50.0, 5.0)
"""Milliseconds for a list and for a test, in positions that play reaches."""
FREAK = (1000.0, 1000.0)
"""The same in positions that need everybody's help."""
TABLES = (
    ("zwicker/christiansen/1v1", 20, 8, 52, REACHED),
    ("zwicker/christiansen/1v1", 20, 8, 10, REACHED),
    ("zwicker/grupp/1v1", 20, 4, 3, REACHED),
    ("zwicker/grupp/ffa5", 20, 4, 56, REACHED),
    ("cassino/royal/1v1?ace_high=true", 20, 4, 11, REACHED),
    ("zwicker/christiansen/1v1", 44, 8, 28, FREAK),
    ("zwicker/christiansen/1v1", 44, 8, 52, FREAK),
    ("zwicker/grupp/ffa5", 90, 4, 6, FREAK),
    ("zwicker/grupp/ffa5?joker_table=joker", 90, 4, 20, FREAK),
    ("cassino/royal/1v1?ace_high=true", 40, 4, 3, FREAK),
)
"""Format, loose cards on the table, cards in hand, seed, limits."""
HANDS = ((20, 2, REACHED), (25, 10, FREAK))
"""Cards in a hand of Paks, seed, limits."""


def table(fmt: str, size: int, hand: int, seed: int) -> Match:
    """The first cards of a shuffled pack lie on the table, the next are in the hand."""
    form = Format.parse(fmt)
    deck = texts(form.spec.pack(form))
    Random(seed).shuffle(deck)
    return Match.from_position(form, {"table": deck[:size], "hands": [deck[size : size + hand]]})


def thefts(size: int, seed: int) -> Match:
    """Paks: all cards that are not in the hand are paks of two of one opponent, to be stolen."""
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
    """What to call it, the match, its limits."""
    for fmt, size, hand, seed, limits in TABLES:
        yield f"{fmt}, {size} on the table", table(fmt, size, hand, seed), limits
    for size, seed, limits in HANDS:
        yield f"paks, {size} in hand", thefts(size, seed), limits


def cpu_ms(work: Callable[[], object], rounds: int) -> float:
    """Milliseconds of processor time, the median of some calls: what else runs hardly matters."""
    spent = []
    for _ in range(rounds):
        start = process_time()
        work()
        spent.append(process_time() - start)
    return median(spent) * 1e3


def listing_ms(match: Match, rounds: int) -> float:
    """To list the moves, nothing remembered."""
    return cpu_ms(lambda: match.copy().legal_moves(), rounds)


def testing_ms(match: Match, rounds: int) -> float:
    """To test a move: the slowest of some listed ones, and of the same with an item left out."""
    listed = match.copy().legal_moves()
    some = listed[:: max(1, len(listed) // 20)]
    some += [move.rpartition(",")[0] or move for move in some]
    return max(cpu_ms(partial(match.is_legal, move), rounds) for move in some)


def run(rounds: int) -> list[Ratio]:
    """Two lines a position; the peer is the limit, so a ratio below 1 keeps it."""
    lines = []
    for what, match, (to_list, to_test) in positions():
        for verb, figure, limit in (
            ("list", listing_ms(match, rounds), to_list),
            ("test", testing_ms(match, rounds), to_test),
        ):
            lines.append(Ratio(f"{verb}: {what}", "ms", figure, limit, "the limit", "1×"))
    return lines
