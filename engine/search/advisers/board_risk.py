"""Estimate what the next hands can take from the table in Cassino and Zwicker, after each move.

The value of a move is its own gain, minus the likely captures of the next hands from the table that
it leaves, plus the later captures of the mover's hand. Cards that take the same items have the same
*kind*; all tens, for example. `BoardRisk` computes the gain of each kind once for the present
table, and adjusts it for each move. Values are in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.fishing import TableItem

LATER: Final = 0.75
"""The value of a capture in the seat's next turn, as a share of the same capture now."""
SECOND: Final = 0.25
"""`LATER` for the second best card in the hand."""
STOPS: Final = 0.7
"""The chance that a hand that can capture does so in its turn."""


class BoardRisk:
    """The table that the next hands find.

    A set of items is a bit mask in which the first item is the highest bit. A *take* is a kind with
    one of its numbers; a wild joker has many numbers.

    `worth`: the value of each item. `clearing`: the points for taking all items. `kinds` and
    `numbers`: kind and number of each take; number 0 if it has none. `groups`: for each take, the
    sets that it can take; it may take several that share no item. `sets_by_sum`: for each sum, the
    most valuable set of items with that sum, or 0. `prices`: for each kind, the value of such a
    card to the captor. `chances`: for each kind, the chance that the next hand has such a card.
    `live`: for each kind, whether any hand can have such a card; other kinds take nothing.
    """

    def __init__(
        self,
        worth: list[float],
        clearing: float,
        groups: list[list[int]],
        sets_by_sum: list[int],
        kinds: list[int],
        numbers: list[int],
        prices: list[float],
        chances: list[float],
        live: list[bool],
    ) -> None:
        self.worth: list[float] = worth
        self.clearing: float = clearing
        self.sets_by_sum: list[int] = sets_by_sum
        self.kinds: list[int] = kinds
        self.numbers: list[int] = numbers
        self.prices: list[float] = prices
        self.chances: list[float] = chances
        self.live: list[bool] = live
        self.whole: int = (1 << len(worth)) - 1
        self.chosen: list[list[int]] = [greedy_sets(sets, worth) for sets in groups]
        self.union: list[int] = []
        self.gains: list[float] = []
        for take, sets in enumerate(self.chosen):
            mask = 0
            for item_set in sets:
                mask |= item_set
            self.union.append(mask)
            self.gains.append(self._gain(take, mask, self.whole))

    def set_weight(self, mask: int) -> float:
        """The value of a set of items."""
        return set_weight(mask, self.worth)

    def _gain(self, take: int, mask: int, whole: int) -> float:
        """The gain of a take that captures the set `mask` from a table with the set `whole`."""
        if not mask:
            return 0.0
        price = self.prices[self.kinds[take]]
        return self.set_weight(mask) + price + (self.clearing if mask == whole else 0.0)

    def _by_kind(self, gains: list[float]) -> list[float]:
        """For each kind, the highest gain of its takes."""
        if len(gains) == len(self.prices):
            return gains
        gains_by_kind = [0.0] * len(self.prices)
        for take, gain in enumerate(gains):
            if gain > 0.0:
                kind = self.kinds[take]
                if gain > gains_by_kind[kind]:
                    gains_by_kind[kind] = gain
        return gains_by_kind

    def after_capture(self, taken: int) -> list[float]:
        """The gain of each kind after the items of a set have been taken."""
        return self._by_kind(self._without(taken))

    def _without(self, taken: int) -> list[float]:
        """The gain of each take after the items of a set have been taken."""
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
            for item_set in self.chosen[take]:
                if not item_set & taken:
                    mask |= item_set
            gains.append(self._gain(take, mask, whole))
        return gains

    def after_trail(self, kind: int, values: Sequence[int], price: float) -> list[float]:
        """The gain of each kind after a card of `kind` has been trailed to the table."""
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
        """The gain of a take after a card of `kind` has been trailed. `gain`: the gain before."""
        captor_price = self.prices[self.kinds[take]]
        gain_with_card = gain + price + (0.0 if gain else captor_price)
        if not self.whole:
            gain_with_card += self.clearing
        if self.kinds[take] == kind:
            return gain_with_card
        union = self.union[take]
        # If the trailed card cannot be taken, it stays, and the take no longer clears the table.
        best_gain = gain - self.clearing if union and union == self.whole else gain
        number = self.numbers[take]
        for value in values:
            missing = number - value
            if missing == 0:
                best_gain = max(best_gain, gain_with_card)
            elif 0 < missing < len(self.sets_by_sum) and self.sets_by_sum[missing]:
                best_gain = max(
                    best_gain, price + self._with_sum(take, gain, self.sets_by_sum[missing])
                )
        return best_gain

    def _with_sum(self, take: int, gain: float, mask: int) -> float:
        """The gain of a take that also takes the set `mask` in a sum with the trailed card."""
        union = self.union[take]
        if mask & union:
            union = 0
            gain = 0.0
        total = (gain or self.prices[self.kinds[take]]) + self.set_weight(mask)
        return total + (self.clearing if union | mask == self.whole else 0.0)

    def after_build(self, place: int, takers: Sequence[int], worth: float) -> list[float]:
        """The gain of each kind after the item at `place` has become a build for `takers`."""
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

    def expected_balance(
        self,
        gains: list[float],
        own_kinds: Sequence[int],
        extra: Sequence[float],
        turns: Sequence[float],
    ) -> float:
        """The expected captures of this side from the table minus those of the other sides.

        `gains`: the gain of each kind. `own_kinds`: the kinds of the cards left in the hand.
        `extra`: for each of these cards, its value minus the price of its kind. `turns`: for each
        of the next hands, 1 if it is on this side; otherwise negative.
        """
        offers: list[tuple[float, float]] = []
        for kind, gain in enumerate(gains):
            if gain > 0.0 and self.chances[kind]:
                offers.append((gain, self.chances[kind]))
        expected = 0.0
        none_before = 1.0
        if offers:
            offers.sort(reverse=True)
            for gain, chance in offers:
                expected += none_before * chance * gain
                none_before *= 1.0 - chance
        left_on_table = 1.0
        total = 0.0
        for sign in turns:
            total += sign * left_on_table * expected
            left_on_table *= 1.0 - STOPS * (1.0 - none_before)
        best_gain = second_gain = 0.0
        for index, kind in enumerate(own_kinds):
            gain = gains[kind]
            if gain:
                gain += extra[index]
            if gain > best_gain:
                best_gain, second_gain = gain, best_gain
            elif gain > second_gain:
                second_gain = gain
        return total + left_on_table * (LATER * best_gain + SECOND * second_gain)


def set_weight(mask: int, worth: Sequence[float]) -> float:
    """The value of a set of items. `worth`: the value of each item."""
    total = 0.0
    index = len(worth)
    while mask:
        index -= 1
        if mask & 1:
            total += worth[index]
        mask >>= 1
    return total


def greedy_sets(sets: list[int], worth: Sequence[float]) -> list[int]:
    """Sets that share no item, chosen greedily: the most valuable first."""
    if len(sets) < 2:
        return sets
    ranked = [(set_weight(item_set, worth), item_set) for item_set in sets]
    ranked.sort(reverse=True)
    mask = 0
    chosen: list[int] = []
    for _, item_set in ranked:
        if not item_set & mask:
            mask |= item_set
            chosen.append(item_set)
    return chosen


def heaviest(sets: Sequence[int], worth: Sequence[float]) -> int:
    """The most valuable set; 0 if there is none."""
    best_set = 0
    most_value = 0.0
    for item_set in sets:
        value = set_weight(item_set, worth)
        if value > most_value:
            best_set, most_value = item_set, value
    return best_set


def best_sums(sets_by_sum: Sequence[list[int]], worth: Sequence[float]) -> list[int]:
    """For each sum, the most valuable set of items with that sum; 0 if there is none."""
    return [heaviest(sets, worth) for sets in sets_by_sum]


def item_worths(table: Sequence[TableItem], prices: Sequence[float]) -> list[float]:
    """The value of each item: that of its cards, plus 0.001, so that larger sets are preferred."""
    totals: list[float] = []
    for item in table:
        total = 0.001
        for card in item.cards:
            total += prices[card]
        totals.append(total)
    return totals


def chance_to_hold(count: int, hidden: int, size: int) -> float:
    """The approximate chance that a hand has at least one of `count` cards.

    `hidden`: the number of cards that the seat to act does not see, these included. `size`: the
    number of cards in the hand.
    """
    if count <= 0:
        return 0.0
    miss_chance: float = 1.0 - count / hidden
    none_chance = 1.0
    for _ in range(size):
        none_chance *= miss_chance
    return 1.0 - none_chance
