"""A fast playout policy for Cassino and Zwicker: it makes the capture with the greatest weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.fishing import (
    CAPTURE,
    TRAIL,
    Laid,
    card_of,
    coded,
    kind_of,
    trailed,
    what_of,
)

POINT: Final = 36
"""The weight of one point of the deal's score."""

CLAIM: Final = 4
"""The kind of a move that plays no card; a policy that does not count cards should avoid it."""

_SHARED: Final = 4  # divisor for a build's cards, because others may take it first


class Weights:
    """Weights: `taken` for each captured card; `held`, in addition, for each card still in hand;
    `clearing` for clearing the table."""

    def __init__(self, taken: list[int], clearing: int, held: list[int]) -> None:
        self.taken: list[int] = taken
        self.clearing: int = clearing
        self.held: list[int] = held


def prefer(weights: Weights, table: list[Laid], codes: list[int], rand: Callable[[], float]) -> int:
    """The index in `codes` (`engine.fishing.coded`) of the best move; ties are broken at random."""
    taken, held = weights.taken, weights.held
    worth = _worth(weights, table)
    everything = (1 << len(worth)) - 1
    count = len(codes)
    at = int(rand() * count)
    best, place = -1_000_000, at
    for _ in range(count):
        code = codes[at]
        kind = kind_of(code)
        card = card_of(code)
        value = -held[card]
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
            best, place = value, at
        at = at + 1 if at + 1 < count else 0
    return place


def _worth(weights: Weights, table: list[Laid]) -> list[int]:
    """The weights of the items, last item first, as in the bits of a capture's set."""
    taken = weights.taken
    worth: list[int] = []
    for item in reversed(table):
        value = 0
        for card in item.cards:
            value += taken[card]
        worth.append(value)
    return worth


def unlisted_move(
    weights: Weights,
    table: list[Laid],
    hand: list[int],
    parts: list[list[list[int]]],
    rand: Callable[[], float],
) -> int:
    """A valuable capture, or else the trail that costs least, as a coded move; lists no moves.

    `parts`: for each card in the hand and each of its values, the sets it takes. Sets are joined
    one by one, the heaviest first; builds are left alone. A card that can take is not trailed.
    """
    taken, held = weights.taken, weights.held
    worth = _worth(weights, table)
    everything = (1 << len(worth)) - 1
    count = len(hand)
    at = int(rand() * count)
    best, move = -1_000_000, 0
    for _ in range(count):
        card = hand[at]
        value = -held[card] - taken[card]
        code = trailed(card)
        for sets in parts[at]:
            if not sets:
                continue
            mask = _joined(sets, worth)
            gain = taken[card] - held[card] + _weight(mask, worth)
            if mask == everything:
                gain += weights.clearing
            if gain > value or kind_of(code) == TRAIL:
                value, code = gain, coded(CAPTURE, card, mask)
        if value > best:
            best, move = value, code
        at = at + 1 if at + 1 < count else 0
    return move


def _joined(sets: list[int], worth: list[int]) -> int:
    """A union of disjoint sets of items; the heaviest set that fits is added first."""
    if len(sets) == 1:
        return sets[0]
    mask = 0
    while True:
        best = more = 0
        for part in sets:
            if not part & mask:
                weight = _weight(part, worth)
                if weight > best:
                    best, more = weight, part
        if not more:
            return mask
        mask |= more


def _weight(mask: int, worth: list[int]) -> int:
    """The weight of a set of items."""
    weight = at = 0
    while mask:
        if mask & 1:
            weight += worth[at]
        mask >>= 1
        at += 1
    return weight
