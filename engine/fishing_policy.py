"""A fast playout policy for Cassino and Zwicker: make the capture with the greatest weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.deals import random_index
from engine.fishing import (
    CAPTURE,
    TRAIL,
    Item,
    capture_code,
    card_of,
    kind_of,
    target_of,
    trail_code,
)

POINT: Final = 36
"""The weight of one point of the deal's score."""

CLAIM: Final = 4
"""The kind of a move that claims the win; the policy avoids it, because it counts no points."""

_SHARED: Final = 4  # the weight of a build is divided by this, because others may take it first


class Weights:
    """The weights of cards; `POINT` is the weight of a point.

    `captured`: by card, the weight of a captured card. `in_hand`: by card, the weight that a card
    has only as long as it is in the hand. `clearing`: the weight of clearing the table.
    """

    def __init__(self, captured: list[int], clearing: int, in_hand: list[int]) -> None:
        self.captured: list[int] = captured
        self.clearing: int = clearing
        self.in_hand: list[int] = in_hand


def best_move_index(
    weights: Weights, table: list[Item], codes: list[int], rand: Callable[[], float]
) -> int:
    """The index in `codes`, coded moves, of the move with the highest value.

    Of equal moves, it is random.
    """
    captured, in_hand = weights.captured, weights.in_hand
    item_weights = _item_weights(weights, table)
    all_items = (1 << len(item_weights)) - 1
    count = len(codes)
    index = random_index(rand, count)
    best, best_index = -1_000_000, index
    for _ in range(count):
        code = codes[index]
        kind = kind_of(code)
        card = card_of(code)
        value = -in_hand[card]
        if kind == TRAIL:
            value -= captured[card]
        elif kind == CAPTURE:
            target = target_of(code)
            value += captured[card] + (weights.clearing if target == all_items else 0)
            for item_worth in item_weights:
                if target & 1:
                    value += item_worth
                target >>= 1
        elif kind == CLAIM:
            value = -1000 * POINT
        else:
            value += (
                captured[card] + item_weights[len(item_weights) - 1 - target_of(code)]
            ) // _SHARED
        if value > best:
            best, best_index = value, index
        index = index + 1 if index + 1 < count else 0
    return best_index


def _item_weights(weights: Weights, table: list[Item]) -> list[int]:
    """The weights of the items, the last item first, like the bits of a set of items."""
    captured = weights.captured
    item_weights: list[int] = []
    for item in reversed(table):
        value = 0
        for card in item.cards:
            value += captured[card]
        item_weights.append(value)
    return item_weights


def unlisted_move(
    weights: Weights,
    table: list[Item],
    hand: list[int],
    parts: list[list[list[int]]],
    rand: Callable[[], float],
) -> int:
    """A valuable capture, or else the trail that costs least, as a coded move.

    The function does not list the moves. `parts`: for each card in the hand and each of its values,
    the sets of items that it takes. A capture joins such sets one by one, the heaviest first. The
    function makes no builds, and trails no card that can take.
    """
    captured, in_hand = weights.captured, weights.in_hand
    item_weights: list[int] = []  # made when a card can take
    all_items = (1 << len(table)) - 1
    count = len(hand)
    index = random_index(rand, count)
    best, best_code = -1_000_000, 0
    for _ in range(count):
        card = hand[index]
        value = -in_hand[card] - captured[card]
        code = trail_code(card)
        for sets in parts[index]:
            if not sets:
                continue
            if not item_weights:
                item_weights = _item_weights(weights, table)
            mask = _greedy_union(sets, item_weights)
            gain = captured[card] - in_hand[card] + _set_weight(mask, item_weights)
            if mask == all_items:
                gain += weights.clearing
            if gain > value or kind_of(code) == TRAIL:
                value, code = gain, capture_code(card, mask)
        if value > best:
            best, best_code = value, code
        index = index + 1 if index + 1 < count else 0
    return best_code


def _greedy_union(sets: list[int], item_weights: list[int]) -> int:
    """A union of disjoint sets of items; the heaviest set that fits is added first."""
    if len(sets) == 1:
        return sets[0]
    mask = 0
    while True:
        best = heaviest = 0
        for item_set in sets:
            if not item_set & mask:
                weight = _set_weight(item_set, item_weights)
                if weight > best:
                    best, heaviest = weight, item_set
        if not heaviest:
            return mask
        mask |= heaviest


def _set_weight(mask: int, item_weights: list[int]) -> int:
    """The weight of a set of items."""
    weight = index = 0
    while mask:
        if mask & 1:
            weight += item_weights[index]
        mask >>= 1
        index += 1
    return weight
