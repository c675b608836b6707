"""Masts: columns of face-up cards, and their values (SPO-2, SPO-7 to SPO-10)."""

from __future__ import annotations

from typing import Final

from engine.cards import FIRST_JOKER
from engine.games.spoon_eye.options import FULL, ROW

Cards = tuple[int, ...]  # of a mast, from the bottom up; the last is the crow's nest (SPO-9)

JACK: Final = 10  # ranks as in engine.cards
# SPO-7, SPO-8: the value of a card by rank. A jack counts 10 only at the bottom of a mast.
_RANK_VALUES: Final[tuple[int, ...]] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


class Mast:
    """A mast in a row. Immutable, so copies of a deal share it.

    `nest_value`: the value that a jack laid on it would have. `fitting`: the values of the cards
    that fit on it, as bits (SPO-10); bit 0 for a jack. `BIT` has the bit of each card.
    """

    __slots__ = ("cards", "fitting", "nest_value", "value")

    def __init__(self, cards: Cards) -> None:
        self.cards: Cards = cards
        value, nest_value = measure(cards)
        self.value: int = value
        self.nest_value: int = nest_value
        bits = (2 << (FULL - value)) - 2
        self.fitting: int = bits + 1 if bits >> nest_value & 1 else bits

    def value_with(self, card: int) -> int:
        """The value of the mast with one more card."""
        return self.value + added_value(card, self.nest_value)


def values(mast: Cards) -> list[int]:
    """The value of each card of a mast, from the bottom up.

    A jack has the value of the card under it, or 10 at the bottom (SPO-8).
    """
    card_values: list[int] = []
    nest_value = _RANK_VALUES[JACK]
    for card in mast:
        rank = card >> 2
        if rank != JACK:
            nest_value = _RANK_VALUES[rank]
        card_values.append(nest_value)
    return card_values


def measure(mast: Cards) -> tuple[int, int]:
    """The value of a mast, and the value that a jack laid on it would have (SPO-8, SPO-9)."""
    total = 0
    nest_value = _RANK_VALUES[JACK]
    for card in mast:
        rank = card >> 2
        if rank != JACK:
            nest_value = _RANK_VALUES[rank]
        total += nest_value
    return total, nest_value


def value(mast: Cards) -> int:
    """The sum of the values of a mast's cards (SPO-9)."""
    return measure(mast)[0]


def added_value(card: int, nest_value: int) -> int:
    """The value of a card laid on a crow's nest of value `nest_value`."""
    rank = card >> 2
    return nest_value if rank == JACK else _RANK_VALUES[rank]


BIT: Final = [1 << added_value(card, 0) for card in range(FIRST_JOKER)]
"""By card: its bit in `Mast.fitting`."""


def has_room(row: list[Mast]) -> bool:
    """Whether a row has fewer than four masts, so that its owner may start a new one (SPO-12)."""
    return len(row) < ROW


def is_three_sevens(mast: Cards) -> bool:
    """Whether a mast has exactly three cards that count seven each: it swaps hands (SPO-45)."""
    return len(mast) == 3 and values(mast) == [7, 7, 7]
