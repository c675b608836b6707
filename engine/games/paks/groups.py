"""All groups that a small hand can play, and the moves that they make with the targets.

Most hands are small. A hand with too many groups to list needs the search of force.py, which is
much slower.
"""

from __future__ import annotations

from typing import Final

from engine.deals import LISTED
from engine.games.paks.force import WEIGHT, Group, strength
from engine.games.paks.plays import Play, Target, play_for

_MANY: Final = 2000  # pairs of a group and a target: with more of them the search is quicker
_FEW: Final = 7  # with at most this many cards and targets there are never as many pairs
_SIZE: Final = 10  # bits below the size of a group in its rank
_CARDS: Final = 54  # bits below the size of a group in its order
_KEPT: Final = 1 << 12  # hands' cards of a suit whose groups are remembered

_GROUPS: Final[dict[int, list[Means]]] = {}
_NONE: Final[list[Means]] = []  # of no card


class Means:
    """Cards of one suit that can be played together. Never changed, so hands share it.

    `last`: the place of its last card in the hand. `rank`: its price in the order of section 4,
    size before force. `order`: size before cards.
    """

    __slots__ = ("cards", "force", "last", "order", "rank", "weight")

    def __init__(self, cards: Group, last: int, weight: int, order: int) -> None:
        size = len(cards)
        self.cards: Group = cards
        self.last: int = last
        self.weight: int = weight
        self.force: int = strength(weight)
        self.rank: int = size << _SIZE | self.force
        # beyond nine cards it stays as it is: they are all of one suit, and that list is in order
        shift = 6 * (9 - size)
        self.order: int = order + (1 << _CARDS) + (cards[-1] << shift if shift >= 0 else 0)


def few(cards: list[int], targets: list[Target]) -> bool:
    """Whether all groups of these cards can be tried on all targets in no time."""
    if len(cards) <= _FEW and len(targets) <= _FEW:
        return True
    counts = [0, 0, 0, 0]
    for card in cards:
        counts[card & 3] += 1
    return sum([1 << count for count in counts]) * len(targets) <= _MANY


def groups(cards: list[int]) -> list[Means]:
    """All groups of `cards` (in card order), by size, then in card order; equal ones once."""
    return _all(_by_suit(cards))


def _by_suit(cards: list[int]) -> list[list[Means]]:
    suits: list[list[int]] = [[], [], [], []]
    for card in cards:
        suits[card & 3].append(card)
    return [of_suit(suit) if suit else _NONE for suit in suits]


def _all(suits: list[list[Means]]) -> list[Means]:
    choices = _NONE
    for suit in suits:
        if suit:
            choices = _merged(choices, suit) if choices else suit
    return choices


def _merged(one: list[Means], other: list[Means]) -> list[Means]:
    choices: list[Means] = []
    at = 0
    for means in other:
        while at < len(one) and one[at].order < means.order:
            choices.append(one[at])
            at += 1
        choices.append(means)
    choices += one[at:]
    return choices


def of_suit(cards: list[int]) -> list[Means]:
    """`groups` of cards of one suit, which come again and again. Not to be changed."""
    key = cards[0] & 3
    for card in cards:
        key += 4 << 2 * (card >> 2)  # two of each at most
    choices = _GROUPS.get(key)
    if choices is None:
        if len(_GROUPS) >= _KEPT:
            _GROUPS.clear()
        choices = _GROUPS[key] = _of_suit(cards)
    return choices


def _of_suit(cards: list[int]) -> list[Means]:
    """Each level is made from the one below by a later card, which keeps the order."""
    level: list[Means] = []
    before = -1
    for place, card in enumerate(cards):
        if card != before:
            before = card
            level.append(Means((card,), place, WEIGHT[card], 0))
    choices: list[Means] = []
    while level:
        choices += level
        larger: list[Means] = []
        for group in level:
            before = -1
            for place in range(group.last + 1, len(cards)):
                card = cards[place]
                if card != before:
                    before = card
                    grown = (*group.cards, card)
                    larger.append(Means(grown, place, group.weight + WEIGHT[card], group.order))
        level = larger
    return choices


def lean(choices: list[Means], price: int) -> Means | None:
    """The cheapest group of a suit for a price: fewest cards, then least force, then card order."""
    best: Means | None = None
    for group in choices:
        if best is not None and group.rank >> _SIZE > best.rank >> _SIZE:
            break
        if group.force > price and (best is None or group.rank < best.rank):
            best = group
    return best


def extend(listed: list[Play], cards: list[int], targets: list[Target]) -> bool:
    """Put the moves of section 4 behind `listed`; whether there are more than it may hold.

    Lean moves target by target, then all others by size, cards, target. Every target can be had.
    """
    suits = _by_suit(cards)
    leans: list[Means | None] = []
    for target in targets:
        cheapest = lean(suits[target.suit], target.price)
        leans.append(cheapest)
        if cheapest is not None:
            listed.append(play_for(cheapest.cards, target))
    for group in _all(suits):
        suit = group.cards[0] & 3
        for place, target in enumerate(targets):
            if target.price < group.force and target.suit == suit and leans[place] is not group:
                listed.append(play_for(group.cards, target))
    if len(listed) <= LISTED:
        return False
    del listed[LISTED:]
    return True
