"""What a table offers the next hands at Cassino and Zwicker, before and after each move.

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

    A *take* is a kind with one of its numbers: a wild joker has many. `kinds` and `numbers`: by
    take, its kind and its number, 0 if it has none. `worth`: by item. `clearing`: what it brings to
    take all. `groups`: by take, the single sets that it takes. `made`: by sum, the set of items
    that make it and are worth most, 0 if there is none. `prices`: by kind, what a card of it is
    worth to the captor. `chances`: by kind, how probably the next hand has one. `live`: by kind,
    whether a hand can have one: any other takes nothing.
    """

    def __init__(
        self,
        worth: list[float],
        clearing: float,
        groups: list[list[int]],
        made: list[int],
        kinds: list[int],
        numbers: list[int],
        prices: list[float],
        chances: list[float],
        live: list[bool],
    ) -> None:
        self.worth: list[float] = worth
        self.clearing: float = clearing
        self.made: list[int] = made
        self.kinds: list[int] = kinds
        self.numbers: list[int] = numbers
        self.prices: list[float] = prices
        self.chances: list[float] = chances
        self.live: list[bool] = live
        self.whole: int = (1 << len(worth)) - 1
        self.chosen: list[list[int]] = [joined(sets, worth) for sets in groups]
        self.union: list[int] = []
        self.gains: list[float] = []
        for take, sets in enumerate(self.chosen):
            mask = 0
            for one in sets:
                mask |= one
            self.union.append(mask)
            self.gains.append(self._gain(take, mask, self.whole))

    def weight(self, mask: int) -> float:
        return weight(mask, self.worth)

    def _gain(self, take: int, mask: int, whole: int) -> float:
        """What a take gains by a set of items from those in `whole`."""
        if not mask:
            return 0.0
        price = self.prices[self.kinds[take]]
        return self.weight(mask) + price + (self.clearing if mask == whole else 0.0)

    def _by_kind(self, gains: list[float]) -> list[float]:
        """By kind, the most of what its takes gain."""
        if len(gains) == len(self.prices):
            return gains
        most = [0.0] * len(self.prices)
        for take, gain in enumerate(gains):
            if gain > 0.0:
                kind = self.kinds[take]
                if gain > most[kind]:
                    most[kind] = gain
        return most

    def after_capture(self, taken: int) -> list[float]:
        """By kind, what it gains when the items of a set are gone."""
        return self._by_kind(self._without(taken))

    def _without(self, taken: int) -> list[float]:
        """The same by take."""
        whole = self.whole & ~taken
        gains: list[float] = []
        for take, union in enumerate(self.union):
            if not union:
                gains.append(0.0)
                continue
            if not union & taken and union != whole:
                gains.append(self.gains[take])
                continue
            mask = 0
            for one in self.chosen[take]:
                if not one & taken:
                    mask |= one
            gains.append(self._gain(take, mask, whole))
        return gains

    def after_trail(self, kind: int, values: Sequence[int], price: float) -> list[float]:
        """By kind, its gain when a card of `kind` lies on the table too."""
        return self._by_kind(
            [
                self._with_trail(take, gain, kind, values, price)
                if self.live[self.kinds[take]]
                else 0.0
                for take, gain in enumerate(self.gains)
            ]
        )

    def _with_trail(
        self, take: int, gain: float, kind: int, values: Sequence[int], price: float
    ) -> float:
        """What a take gains, which gained `gain` before."""
        own = self.prices[self.kinds[take]]
        alone = gain + price + (0.0 if gain else own)
        if not self.whole:
            alone += self.clearing
        if self.kinds[take] == kind:
            return alone
        union = self.union[take]
        # The card trailed stays where it cannot be taken, too.
        best = gain - self.clearing if union and union == self.whole else gain
        number = self.numbers[take]
        for value in values:
            rest = number - value
            if rest == 0:
                best = max(best, alone)
            elif 0 < rest < len(self.made) and self.made[rest]:
                best = max(best, price + self._with_sum(take, gain, self.made[rest]))
        return best

    def _with_sum(self, take: int, gain: float, mask: int) -> float:
        """The same with the items of a set that makes a sum with the card trailed."""
        union = self.union[take]
        if mask & union:
            union = 0
            gain = 0.0
        total = (gain or self.prices[self.kinds[take]]) + self.weight(mask)
        return total + (self.clearing if union | mask == self.whole else 0.0)

    def after_build(self, place: int, takers: Sequence[int], worth: float) -> list[float]:
        """By kind, its gain when the item at `place` has become a build for the takes `takers`."""
        bit = 1 << (len(self.worth) - 1 - place)
        gains = self._without(bit)
        whole = self.whole & ~bit
        for take, union in enumerate(self.union):
            if take in takers:
                if self.live[self.kinds[take]]:
                    gain = gains[take] or self.prices[self.kinds[take]]
                    gains[take] = gain + worth + (self.clearing if not whole else 0.0)
            elif gains[take] and union & ~bit == whole:
                gains[take] -= self.clearing
        return self._by_kind(gains)

    def promise(
        self,
        gains: list[float],
        own: Sequence[int],
        extra: Sequence[float],
        turns: Sequence[float],
    ) -> float:
        """The promise of a table, given the gain of each kind: what I take, less what others do.

        `own`: the kinds left in the hand; `extra`: what those cards are worth beyond `prices`.
        `turns`: of the next hands, 1 for each of the own side, -1 for others.
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
        for at, kind in enumerate(own):
            gain = gains[kind]
            if gain:
                gain += extra[at]
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


def best_sums(made: Sequence[list[int]], worth: Sequence[float]) -> list[int]:
    """By sum, the set worth most that makes it."""
    return [heaviest(sets, worth) for sets in made]


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
