"""Masts: columns of face-up cards, and their values (SPO-2, SPO-7 to SPO-10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.games.spoon_eye.options import FULL, ROW

Mast = tuple[int, ...]  # cards from the bottom up; the last is the crow's nest (SPO-9)

JACK: Final = 10  # ranks as in engine.cards
# SPO-7, SPO-8: the value of a card by rank. A jack counts 10 only at the bottom of a mast.
_WORTH: Final[tuple[int, ...]] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def values(mast: Mast) -> list[int]:
    """The value of each card of a mast; a jack has the value of the card under it (SPO-8)."""
    counted: list[int] = []
    under = _WORTH[JACK]
    for card in mast:
        rank = card >> 2
        if rank != JACK:
            under = _WORTH[rank]
        counted.append(under)
    return counted


def measure(mast: Mast) -> tuple[int, int]:
    """The value of a mast, and the value that a jack laid on it would have (SPO-8, SPO-9)."""
    total = 0
    under = _WORTH[JACK]
    for card in mast:
        rank = card >> 2
        if rank != JACK:
            under = _WORTH[rank]
        total += under
    return total, under


def value(mast: Mast) -> int:
    """The value of a mast (SPO-9)."""
    return measure(mast)[0]


def value_with(mast: Mast, card: int) -> int:
    """The value of a mast with one more card."""
    total, crow = measure(mast)
    return total + adds(card, crow)


def fits(mast: Mast, card: int) -> bool:
    """SPO-10: whether the card may be laid on the mast, which may be worth at most 21."""
    return value_with(mast, card) <= FULL


def measures(row: Iterable[Mast]) -> list[tuple[int, int]]:
    """`measure` of each mast of a row."""
    return [measure(mast) for mast in row]


def adds(card: int, crow: int) -> int:
    """The value of a card laid on a crow's nest of value `crow`."""
    rank = card >> 2
    return crow if rank == JACK else _WORTH[rank]


def has_room(row: list[Mast]) -> bool:
    """SPO-12: a row has at most four masts."""
    return len(row) < ROW


def is_three_sevens(mast: Mast) -> bool:
    """SPO-45: a mast of exactly three cards that each count seven."""
    return len(mast) == 3 and values(mast) == [7, 7, 7]
