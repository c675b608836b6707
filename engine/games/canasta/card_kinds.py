"""Kinds of cards that Canasta distinguishes (CAN-2, CAN-3).

Suits matter only for threes, so moves and legality use fifteen kinds, in the order in which moves
are listed (CAN-85). A hand is counted as a list of numbers by kind.
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
UNKNOWN: Final = 15  # in counts only: a card drawn by a tested step (CAN-91)

# Typed as tuples of any length, because compiled code rebuilds fixed-length ones at each index.

# Kinds that are melded freely: no wild cards (CAN-39), no red threes (CAN-21).
NATURAL: Final[tuple[int, ...]] = (0, *range(4, 14))
RANKED: Final[tuple[int, ...]] = (0, BLACK, *range(4, 14))  # kinds that have melds, in rank order
# CAN-3: card points by kind
POINTS: Final[tuple[int, ...]] = (20, 20, 5, 0, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 50, 0)

_RANKS: Final[tuple[int, ...]] = (0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)


def _kind(card: int) -> int:
    if card >= 52:
        return JOKER
    if card in (9, 10):  # three of diamonds, three of hearts
        return RED
    return _RANKS[card >> 2]


KIND: Final[tuple[int, ...]] = tuple(_kind(card) for card in range(53))  # by card
# Cards of each kind, lowest first.
CARDS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(c for c in range(53) if _kind(c) == k) for k in range(KINDS)
)


def is_wild(kind: int) -> bool:
    """CAN-2: jokers and twos."""
    return kind in (TWO, JOKER)


def is_takeable(kind: int) -> bool:
    """CAN-31: whether a pile with this kind on top can be taken: no three, no wild card."""
    return kind not in (TWO, BLACK, RED, JOKER)


def freezes(kind: int) -> bool:
    """CAN-25: a wild card or a red three freezes the pile; a black three does not (CAN-31)."""
    return kind in (TWO, JOKER, RED)


def kind_counts(cards: list[int]) -> list[int]:
    """How many of each kind; one place more, for `UNKNOWN`."""
    counts = [0] * (KINDS + 1)
    for card in cards:
        kind = KIND[card]
        counts[kind] = counts[kind] + 1  # when compiled, += is slower
    return counts


def points(cards: list[int]) -> int:
    """CAN-3: the card points of `cards`."""
    value = 0
    for card in cards:
        value += POINTS[KIND[card]]
    return value


def lowest(hand: list[int], kind: int) -> int:
    """CAN-84: the index of the lowest card of this kind in a sorted hand; -1 if there is none."""
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
