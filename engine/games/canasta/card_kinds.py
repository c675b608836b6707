"""Kinds of cards that Canasta distinguishes (CAN-2, CAN-3).

Suits matter only for threes. So moves name one of fifteen kinds, and legality depends on them only.
Kinds are numbered in the order in which moves are listed (CAN-85). A hand is counted as a list: the
number of its cards of each kind.
"""

from __future__ import annotations

from typing import Final

from engine.cards import RANK_NAMES

SYMBOLS: Final = "A23R456789TJQKX"  # 3: a black three, R: a red three (CAN-2)
TWO: Final = 1
BLACK: Final = 2
RED: Final = 3
JOKER: Final = 14
KINDS: Final = 15
UNKNOWN: Final = 15  # in counts only: a card that a tested move would draw (CAN-91)

# Typed as tuples of any length, because compiled code rebuilds fixed-length ones at each index.

# The kinds whose melds do not oblige the seat to go out: no threes (CAN-21, CAN-40), no wild cards
# (CAN-39).
NATURAL: Final[tuple[int, ...]] = (0, *range(4, 14))
RANKED: Final[tuple[int, ...]] = (0, BLACK, *range(4, 14))  # kinds that have melds, in rank order
# by kind: card points (CAN-3)
POINTS: Final[tuple[int, ...]] = (20, 20, 5, 0, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 50, 0)

_RANKS: Final[tuple[int, ...]] = (0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)


def _kind(card: int) -> int:
    if card >= 52:
        return JOKER
    if card in (9, 10):  # three of diamonds, three of hearts
        return RED
    return _RANKS[card >> 2]


KIND: Final[tuple[int, ...]] = tuple(_kind(card) for card in range(53))  # by card
# by kind: its cards, the lowest first
CARDS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(c for c in range(53) if _kind(c) == k) for k in range(KINDS)
)


def is_wild(kind: int) -> bool:
    """Whether cards of this kind are wild: jokers and twos (CAN-2)."""
    return kind in (TWO, JOKER)


def is_takeable(kind: int) -> bool:
    """Whether a seat can take a pile with this kind on top: no three, no wild card (CAN-31)."""
    return kind not in (TWO, BLACK, RED, JOKER)


def freezes(kind: int) -> bool:
    """Whether a card of this kind freezes the pile: wild cards and red threes do (CAN-25)."""
    return kind in (TWO, JOKER, RED)


_NO_COUNTS: Final = [0] * (KINDS + 1)


def kind_counts(cards: list[int]) -> list[int]:
    """The number of cards of each kind; the last entry, for `UNKNOWN`, is 0."""
    counts = _NO_COUNTS[:]  # when compiled, a product is slower
    for card in cards:
        kind = KIND[card]
        counts[kind] = counts[kind] + 1  # when compiled, += is slower
    return counts


def points(cards: list[int]) -> int:
    """The sum of the card points of `cards` (CAN-3)."""
    value = 0
    for card in cards:
        value += POINTS[KIND[card]]
    return value


def lowest(hand: list[int], kind: int) -> int:
    """The index of the lowest card of this kind in a sorted hand (CAN-84); -1 if there is none."""
    for place, card in enumerate(hand):
        if KIND[card] == kind:
            return place
    return -1


def kind_name(kind: int) -> str:
    """``king``, ``black three``, ``joker``."""
    if kind in (BLACK, RED):
        return "black three" if kind == BLACK else "red three"
    return "joker" if kind == JOKER else RANK_NAMES[_RANKS.index(kind)]


def kind_names(kind: int) -> str:
    """``kings``, ``sixes``, ``black threes``."""
    name = kind_name(kind)
    return name + ("es" if name == "six" else "s")
