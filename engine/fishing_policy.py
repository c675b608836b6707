"""A quick player of the games that fish, for playouts: it takes what counts most, in one look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.fishing import CAPTURE, TRAIL, TableItem, card_of, kind_of, what_of

POINT: Final = 36
"""What a point of the deal's score weighs."""

CLAIM: Final = 4
"""The kind of a move that plays no card; who counts no cards had better not make it."""

_SHARED: Final = 4  # a build is worth this part of its cards: somebody else may take it first


class Weights:
    """What cards weigh: `taken`, by card, to have it; `clearing`: to clear the table.

    `kept`: by card, what it is worth to have it in hand still, besides.
    """

    def __init__(self, taken: list[int], clearing: int, kept: list[int]) -> None:
        self.taken: list[int] = taken
        self.clearing: int = clearing
        self.kept: list[int] = kept


def prefer(
    weights: Weights, table: Sequence[TableItem], codes: list[int], rand: Callable[[], float]
) -> int:
    """The place in `codes` (`engine.fishing.coded`) of the best move; of equal ones any."""
    taken, kept = weights.taken, weights.kept
    worth: list[int] = []  # of the items, the last first, as they stand in the set of a capture
    for item in reversed(table):
        value = 0
        for card in item.cards:
            value += taken[card]
        worth.append(value)
    everything = (1 << len(worth)) - 1
    count = len(codes)
    at = int(rand() * count)
    best, found = -1_000_000, at
    for _ in range(count):
        code = codes[at]
        kind = kind_of(code)
        card = card_of(code)
        value = -kept[card]
        if kind == TRAIL:
            value -= taken[card]
        elif kind == CAPTURE:
            what = what_of(code)
            value += taken[card] + (weights.clearing if what == everything else 0)
            for item_worth in worth:
                if what & 1:
                    value += item_worth
                what >>= 1
        elif kind == CLAIM:
            value = -1000 * POINT
        else:
            value += (taken[card] + worth[len(worth) - 1 - what_of(code)]) // _SHARED
        if value > best:
            best, found = value, at
        at = at + 1 if at + 1 < count else 0
    return found
