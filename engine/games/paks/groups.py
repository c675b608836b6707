"""All groups that a small hand can play, and the moves that they make with the targets.

The usual case, and much quicker than the search of force.py, which a hand needs that has too many
groups to look at them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import TEXT
from engine.deals import LISTED
from engine.games.paks.force import WEIGHT, strength

_MANY: Final = 2000  # pairs of a group and a target: with more of them the search is quicker
_FEW: Final = 7  # with no more cards than this and targets there are not so many
_SIZE: Final = 10  # bits below the size of a group in its rank


class Target:
    """What can be taken: its suit, its price, how it is written behind a group. Never changed."""

    __slots__ = ("price", "suit", "text")

    def __init__(self, suit: int, price: int, text: str) -> None:
        self.suit: int = suit
        self.price: int = price
        self.text: str = text


class Means:
    """Cards of one suit that can be played together.

    `last`: the place of the last card among those it was made from. `rank`: how cheap it is as
    section 4 compares, its size above its force.
    """

    __slots__ = ("force", "last", "rank", "suit", "text", "weight")

    def __init__(self, suit: int, last: int, weight: int, size: int, text: str) -> None:
        self.suit: int = suit
        self.last: int = last
        self.weight: int = weight
        self.force: int = strength(weight)
        self.rank: int = size << _SIZE | self.force
        self.text: str = text


def few(cards: Sequence[int], targets: Sequence[Target]) -> bool:
    """Whether all groups of these cards can be tried on all targets in no time."""
    if len(cards) <= _FEW and len(targets) <= _FEW:
        return True
    counts = [0, 0, 0, 0]
    for card in cards:
        counts[card & 3] += 1
    return sum([1 << count for count in counts]) * len(targets) <= _MANY


def groups(cards: Sequence[int]) -> list[Means]:
    """All groups of `cards` (in card order), by size, then in card order; equal ones once.

    Each level is made from the one below by a later card, which keeps the order.
    """
    level: list[Means] = []
    before = -1
    for place, card in enumerate(cards):
        if card != before:
            before = card
            level.append(Means(card & 3, place, WEIGHT[card], 1, TEXT[card]))
    found: list[Means] = []
    size = 1
    while level:
        found += level
        size += 1
        larger: list[Means] = []
        for group in level:
            before = -1
            for place in range(group.last + 1, len(cards)):
                card = cards[place]
                if card & 3 == group.suit and card != before:
                    before = card
                    text = group.text + "+" + TEXT[card]
                    larger.append(Means(group.suit, place, group.weight + WEIGHT[card], size, text))
        level = larger
    return found


def lean(found: Sequence[Means], target: Target) -> Means | None:
    """The cheapest group for a target: fewest cards, then least force, then card order."""
    best: Means | None = None
    for group in found:
        if best is not None and group.rank >> _SIZE > best.rank >> _SIZE:
            break
        cheaper = best is None or group.rank < best.rank
        if cheaper and group.suit == target.suit and group.force > target.price:
            best = group
    return best


def extend(listed: list[str], head: str, cards: Sequence[int], targets: Sequence[Target]) -> bool:
    """Put the moves of section 4 behind `listed`; whether there are more than it may hold.

    Lean moves target by target, then all others by size, cards, target. Every target can be had.
    """
    found = groups(cards)
    leans: list[Means | None] = []
    for target in targets:
        cheapest = lean(found, target)
        leans.append(cheapest)
        if cheapest is not None:
            listed.append(head + cheapest.text + target.text)
    for group in found:
        for at, target in enumerate(targets):
            if target.price < group.force and target.suit == group.suit and leans[at] is not group:
                listed.append(head + group.text + target.text)
    if len(listed) <= LISTED:
        return False
    del listed[LISTED:]
    return True
