"""All groups that a small hand can play, and their moves against the targets.

Most hands are small. Hands with too many groups to list need the much slower search of force.py.
"""

from __future__ import annotations

from typing import Final

from engine.deals import LISTED
from engine.games.paks.force import WEIGHT, Group, strength
from engine.games.paks.plays import Play, Target, play_for

_MAX_PAIRS: Final = 2000  # limit of (group, target) pairs; above it, the search is faster
_ALWAYS_CHEAP: Final = 7  # up to this many cards and targets never exceed that limit
_SIZE: Final = 10  # position of a group's size in its rank
_CARDS: Final = 54  # position of a group's size in its order
_MAX_CACHED: Final = 1 << 12  # cached sets of cards of a suit

_GROUPS: Final[dict[int, list[Means]]] = {}
_NONE: Final[list[Means]] = []  # the groups of no cards


class Means:
    """Cards of one suit that can be played together. Immutable, so hands share them.

    `last`: the index of its last card in the hand. `rank`: its price in the order of section 4,
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
        # Longer groups are already in order: all their cards are of one suit.
        shift = 6 * (9 - size)
        self.order: int = order + (1 << _CARDS) + (cards[-1] << shift if shift >= 0 else 0)


def is_small_search(cards: list[int], targets: list[Target]) -> bool:
    """Whether trying all groups of these cards on all targets is cheap."""
    if len(cards) <= _ALWAYS_CHEAP and len(targets) <= _ALWAYS_CHEAP:
        return True
    counts = [0, 0, 0, 0]
    for card in cards:
        counts[card & 3] += 1
    return sum([1 << count for count in counts]) * len(targets) <= _MAX_PAIRS


def groups(cards: list[int]) -> list[Means]:
    """All groups of `cards` (in card order), by size, then in card order, without duplicates."""
    return _merge_suits(_by_suit(cards))


def _by_suit(cards: list[int]) -> list[list[Means]]:
    suits: list[list[int]] = [[], [], [], []]
    for card in cards:
        suits[card & 3].append(card)
    return [of_suit(suit) if suit else _NONE for suit in suits]


def _merge_suits(suits: list[list[Means]]) -> list[Means]:
    choices = _NONE
    for suit in suits:
        if suit:
            choices = _merge_two(choices, suit) if choices else suit
    return choices


def _merge_two(first: list[Means], second: list[Means]) -> list[Means]:
    choices: list[Means] = []
    index = 0
    for means in second:
        while index < len(first) and first[index].order < means.order:
            choices.append(first[index])
            index += 1
        choices.append(means)
    choices += first[index:]
    return choices


def of_suit(cards: list[int]) -> list[Means]:
    """`groups` of cards of one suit, cached. Callers must not change the result."""
    key = cards[0] & 3
    for card in cards:
        key += 4 << 2 * (card >> 2)  # at most two of each
    choices = _GROUPS.get(key)
    if choices is None:
        if len(_GROUPS) >= _MAX_CACHED:
            _GROUPS.clear()
        choices = _GROUPS[key] = _of_suit(cards)
    return choices


def _of_suit(cards: list[int]) -> list[Means]:
    """Each level extends the previous one by a later card, which keeps the order."""
    level: list[Means] = []
    previous = -1
    for place, card in enumerate(cards):
        if card != previous:
            previous = card
            level.append(Means((card,), place, WEIGHT[card], 0))
    choices: list[Means] = []
    while level:
        choices += level
        larger: list[Means] = []
        for group in level:
            previous = -1
            for place in range(group.last + 1, len(cards)):
                card = cards[place]
                if card != previous:
                    previous = card
                    longer = (*group.cards, card)
                    larger.append(Means(longer, place, group.weight + WEIGHT[card], group.order))
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
    """Append the moves of section 4 to `listed`; return whether there are more than the limit.

    Lean moves come first, target by target, then all others by size, cards, target. Every target
    must be affordable.
    """
    suits = _by_suit(cards)
    lean_groups: list[Means | None] = []
    for target in targets:
        cheapest = lean(suits[target.suit], target.price)
        lean_groups.append(cheapest)
        if cheapest is not None:
            listed.append(play_for(cheapest.cards, target))
    for group in _merge_suits(suits):
        suit = group.cards[0] & 3
        for at, target in enumerate(targets):
            if target.price < group.force and target.suit == suit and lean_groups[at] is not group:
                listed.append(play_for(group.cards, target))
    if len(listed) <= LISTED:
        return False
    del listed[LISTED:]
    return True
