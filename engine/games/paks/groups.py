"""All groups of cards that a small hand can play, and the moves that they make.

Most hands are small. If a hand has too many groups to list, force.py searches, which is much slower
per group.
"""

from __future__ import annotations

from typing import Final

from engine.deals import LISTED
from engine.games.paks.force import WEIGHT, Group, strength
from engine.games.paks.plays import Play, Target, play_for

_MAX_PAIRS: Final = 2000  # pairs of a group and a target; if there are more, the search is faster
_ALWAYS_CHEAP: Final = 7  # up to this many cards and targets never exceed that limit
_RANK_SHIFT: Final = 10  # the lowest bit of a group's size in its `rank`
_ORDER_SHIFT: Final = 54  # the lowest bit of a group's size in its `order`
_MAX_CACHED: Final = 1 << 12  # entries of `_GROUPS`

_GROUPS: Final[dict[int, list[SuitGroup]]] = {}  # by the cards of a suit (see `groups_of_suit`)
_NONE: Final[list[SuitGroup]] = []  # the groups of no cards


class SuitGroup:
    """A group of cards of one suit. Immutable, so hands share it.

    `last`: the index of its last card among the hand's cards of the suit. `rank`: a number that
    orders groups by size, then by force. `order`: a number that orders groups by size, then by
    cards.
    """

    __slots__ = ("cards", "force", "last", "order", "rank", "weight")

    def __init__(self, cards: Group, last: int, weight: int, order: int) -> None:
        size = len(cards)
        self.cards: Group = cards
        self.last: int = last
        self.weight: int = weight
        self.force: int = strength(weight)
        self.rank: int = size << _RANK_SHIFT | self.force
        # Nine cards fit into the number. Longer groups are in order without it, because a small
        # hand has more than nine cards of only one suit.
        shift = 6 * (9 - size)
        self.order: int = order + (1 << _ORDER_SHIFT) + (cards[-1] << shift if shift >= 0 else 0)


def is_small_search(cards: list[int], targets: list[Target]) -> bool:
    """Whether it is fast to try all groups of these cards on all targets."""
    if len(cards) <= _ALWAYS_CHEAP and len(targets) <= _ALWAYS_CHEAP:
        return True
    counts = [0, 0, 0, 0]
    for card in cards:
        counts[card & 3] += 1
    return sum([1 << count for count in counts]) * len(targets) <= _MAX_PAIRS


def groups(cards: list[int]) -> list[SuitGroup]:
    """All groups of `cards` without duplicates, ordered by size, then by cards.

    `cards`: in card order.
    """
    return _merge_suits(_by_suit(cards))


def _by_suit(cards: list[int]) -> list[list[SuitGroup]]:
    suits = 0
    for card in cards:
        suits |= 1 << (card & 3)
    return [
        groups_of_suit([card for card in cards if card & 3 == suit]) if suits >> suit & 1 else _NONE
        for suit in range(4)
    ]


def _merge_suits(suits: list[list[SuitGroup]]) -> list[SuitGroup]:
    choices = _NONE
    for suit in suits:
        if suit:
            choices = _merge_two(choices, suit) if choices else suit
    return choices


def _merge_two(first: list[SuitGroup], second: list[SuitGroup]) -> list[SuitGroup]:
    choices: list[SuitGroup] = []
    index = 0
    for group in second:
        while index < len(first) and first[index].order < group.order:
            choices.append(first[index])
            index += 1
        choices.append(group)
    choices += first[index:]
    return choices


def groups_of_suit(cards: list[int]) -> list[SuitGroup]:
    """The results of `groups` for cards of one suit; cached. Callers must not change them."""
    key = cards[0] & 3
    for card in cards:
        key += 4 << 2 * (card >> 2)  # two bits for each rank: there are at most two equal cards
    choices = _GROUPS.get(key)
    if choices is None:
        if len(_GROUPS) >= _MAX_CACHED:
            _GROUPS.clear()
        choices = _GROUPS[key] = _list_groups(cards)
    return choices


def _list_groups(cards: list[int]) -> list[SuitGroup]:
    """`groups_of_suit` without the cache.

    Each level has the groups of one size: those of the previous level, each with a later card.
    """
    level: list[SuitGroup] = []
    previous = -1
    for place, card in enumerate(cards):
        if card != previous:
            previous = card
            level.append(SuitGroup((card,), place, WEIGHT[card], 0))
    choices: list[SuitGroup] = []
    while level:
        choices += level
        larger: list[SuitGroup] = []
        for group in level:
            previous = -1
            for place in range(group.last + 1, len(cards)):
                card = cards[place]
                if card != previous:
                    previous = card
                    longer = (*group.cards, card)
                    larger.append(
                        SuitGroup(longer, place, group.weight + WEIGHT[card], group.order)
                    )
        level = larger
    return choices


def cheapest_group(choices: list[SuitGroup], price: int) -> SuitGroup | None:
    """The cheapest of the groups with more force than `price`; None if there is none.

    The cheapest group has the fewest cards; of these groups, the least force; of these, it is the
    first in card order. `choices`: the groups of one suit, ordered as by `groups`.
    """
    best: SuitGroup | None = None
    for group in choices:
        if best is not None and group.rank >> _RANK_SHIFT > best.rank >> _RANK_SHIFT:
            break
        if group.force > price and (best is None or group.rank < best.rank):
            best = group
    return best


def extend(listed: list[Play], cards: list[int], targets: list[Target]) -> bool:
    """Append all paks or thefts to `listed`; cut it at `LISTED` moves, and return whether it was.

    First comes the cheapest move for each target, then all others by size, cards and target
    (docs/rules/paks.md, section 4). The hand must have the force for every target.
    """
    suits = _by_suit(cards)
    cheapest_groups: list[SuitGroup | None] = []
    for target in targets:
        cheapest = cheapest_group(suits[target.suit], target.price)
        cheapest_groups.append(cheapest)
        if cheapest is not None:
            listed.append(play_for(cheapest.cards, target))
    for group in _merge_suits(suits):
        suit = group.cards[0] & 3
        for at, target in enumerate(targets):
            if (
                target.price < group.force
                and target.suit == suit
                and cheapest_groups[at] is not group
            ):
                listed.append(play_for(group.cards, target))
    if len(listed) <= LISTED:
        return False
    del listed[LISTED:]
    return True
