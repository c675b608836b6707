"""Captures that the next hands can expect at Cassino and Zwicker, before and after each move.

A move is as good as what it brings, less what the next hands can be expected to take from the table
that it leaves, more what the own hand can then take. Cards are told apart by *kind*: what takes the
same has the same kind, such as all tens. What a kind takes is worked out once for the table as it
lies, and changed for each move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.fishing import TableItem

LATER: Final = 0.75
"""How much of a capture next time round counts as if it were made now."""
SECOND: Final = 0.25
"""The same for the second best card of the hand."""
STOPS: Final = 0.7
"""How often what a hand can take is gone after its turn."""


class Leavings:
    """A table to which hands come. Sets of items are masks with the first item as the highest bit.

    `worth`: by item. `clearing`: what it brings to take all. `groups`: by kind, the single sets
    that it takes. `made`: by sum, the set of items that make it and are worth most, 0 if there is
    none. `numbers`: by kind, the sums that it takes. `prices`: by kind, what a card of it is worth
    to the captor. `chances`: by kind, how probably the next hand has one. `live`: by kind,
    whether a hand can have one: any other takes nothing.
    """

    def __init__(
        self,
        worth: list[float],
        clearing: float,
        groups: list[list[int]],
        sums: list[int],
        numbers: Sequence[Sequence[int]],
        prices: list[float],
        chances: list[float],
        live: list[bool],
    ) -> None:
        self.worth: list[float] = worth
        self.clearing: float = clearing
        self.made: list[int] = sums
        self.numbers: Sequence[Sequence[int]] = numbers
        self.prices: list[float] = prices
        self.chances: list[float] = chances
        self.live: list[bool] = live
        self.whole: int = (1 << len(worth)) - 1
        self.chosen: list[list[int]] = [joined(sets, worth) for sets in groups]
        self.union: list[int] = []
        self.gains: list[float] = []
        for kind, sets in enumerate(self.chosen):
            mask = 0
            for one in sets:
                mask |= one
            self.union.append(mask)
            self.gains.append(self._gain(kind, mask, self.whole))

    def weight(self, mask: int) -> float:
        return weight(mask, self.worth)

    def _gain(self, kind: int, mask: int, whole: int) -> float:
        """What a card of a kind gains by taking a set of items from those in `whole`."""
        if not mask:
            return 0.0
        return self.weight(mask) + self.prices[kind] + (self.clearing if mask == whole else 0.0)

    def after_capture(self, taken: int) -> list[float]:
        """By kind, what it gains when the items of a set are gone."""
        whole = self.whole & ~taken
        gains: list[float] = []
        for kind, union in enumerate(self.union):
            if not union:
                gains.append(0.0)
                continue
            if not union & taken and union != whole:
                gains.append(self.gains[kind])
                continue
            mask = 0
            for one in self.chosen[kind]:
                if not one & taken:
                    mask |= one
            gains.append(self._gain(kind, mask, whole))
        return gains

    def after_trail(self, kind: int, values: Sequence[int], price: float) -> list[float]:
        """By kind, its gain when a card of `kind` lies on the table too."""
        return [
            self._with_trail(other, gain, kind, values, price) if self.live[other] else 0.0
            for other, gain in enumerate(self.gains)
        ]

    def _with_trail(
        self, other: int, gain: float, kind: int, values: Sequence[int], price: float
    ) -> float:
        """What a card of kind `other` gains, which gained `gain` before."""
        alone = gain + price + (0.0 if gain else self.prices[other])
        if not self.whole:
            alone += self.clearing
        if other == kind:
            return alone
        union = self.union[other]
        # The card trailed stays where it cannot be taken, too.
        best = gain - self.clearing if union and union == self.whole else gain
        for number in self.numbers[other]:
            for value in values:
                rest = number - value
                if rest == 0:
                    best = max(best, alone)
                elif 0 < rest < len(self.made) and self.made[rest]:
                    best = max(best, price + self._with_sum(other, gain, self.made[rest]))
        return best

    def _with_sum(self, other: int, gain: float, mask: int) -> float:
        """The same with the items of a set that makes a sum with the card trailed."""
        union = self.union[other]
        if mask & union:
            union = 0
            gain = 0.0
        total = (gain or self.prices[other]) + self.weight(mask)
        return total + (self.clearing if union | mask == self.whole else 0.0)

    def after_build(self, place: int, takers: Sequence[int], worth: float) -> list[float]:
        """By kind, what it gains when the item at `place` has become a build for `takers`."""
        bit = 1 << (len(self.worth) - 1 - place)
        gains = self.after_capture(bit)
        whole = self.whole & ~bit
        for kind, union in enumerate(self.union):
            if kind in takers:
                gain = gains[kind] or self.prices[kind]
                gains[kind] = gain + worth + (self.clearing if not whole else 0.0)
            elif gains[kind] and union & ~bit == whole:
                gains[kind] -= self.clearing
        return gains

    def promise(self, gains: list[float], own: Sequence[int], turns: Sequence[float]) -> float:
        """The promise of a table, given the gain of each kind: what I take, less what others do.

        `own`: the kinds left in the hand. `turns`: of the next hands, 1 for each of the own side,
        -1 for others.
        """
        offers: list[tuple[float, float]] = []
        for kind, gain in enumerate(gains):
            if gain > 0.0 and self.chances[kind]:
                offers.append((gain, self.chances[kind]))
        expected = 0.0
        without = 1.0
        if offers:
            offers.sort(reverse=True)
            for gain, chance in offers:
                expected += without * chance * gain
                without *= 1.0 - chance
        stays = 1.0
        total = 0.0
        for sign in turns:
            total += sign * stays * expected
            stays *= 1.0 - STOPS * (1.0 - without)
        first = second = 0.0
        for kind in own:
            gain = gains[kind]
            if gain > first:
                first, second = gain, first
            elif gain > second:
                second = gain
        return total + stays * (LATER * first + SECOND * second)


def weight(mask: int, worth: Sequence[float]) -> float:
    total = 0.0
    at = len(worth)
    while mask:
        at -= 1
        if mask & 1:
            total += worth[at]
        mask >>= 1
    return total


def joined(sets: list[int], worth: Sequence[float]) -> list[int]:
    """Disjoint sets, the one worth most that can be added first."""
    if len(sets) < 2:
        return sets
    ranked = [(weight(one, worth), one) for one in sets]
    ranked.sort(reverse=True)
    mask = 0
    chosen: list[int] = []
    for _, one in ranked:
        if not one & mask:
            mask |= one
            chosen.append(one)
    return chosen


def heaviest(sets: Sequence[int], worth: Sequence[float]) -> int:
    """The set that is worth most, 0 if there is none."""
    best = 0
    most = 0.0
    for one in sets:
        value = weight(one, worth)
        if value > most:
            best, most = one, value
    return best


def best_sums(sums: Sequence[list[int]], worth: Sequence[float]) -> list[int]:
    """By sum, the set worth most that makes it."""
    return [heaviest(sets, worth) for sets in sums]


def worths(table: Sequence[TableItem], prices: Sequence[float]) -> list[float]:
    """By item, the worth of its cards, and a little more to prefer larger sets."""
    totals: list[float] = []
    for item in table:
        total = 0.001
        for card in item.cards:
            total += prices[card]
        totals.append(total)
    return totals


def holds(count: int, hidden: int, size: int) -> float:
    """About the chance that a hand of `size` has one of `count` of the `hidden` cards."""
    if count <= 0:
        return 0.0
    left: float = 1.0 - count / hidden
    missing = 1.0
    for _ in range(size):
        missing *= left
    return 1.0 - missing
