"""Which items a played card may capture (ZWI-10 to ZWI-13, ZWI-24 to ZWI-27), listed or tested.

Sets of items are bit masks with the first item as the highest bit: the order of ZWI-49 ("the one
that takes the first item on which they differ comes first") is then simply descending.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import FIRST_JOKER
from engine.games.zwicker.items import Item
from engine.games.zwicker.options import JOKER, Rules
from engine.sums import Sums, Target, walk_targets


class Captures:
    """The captures from one table; what the cards of a hand share is worked out once.

    Groups of all kinds are joined, no item in two (ZWI-11); any such set will do (ZWI-12).
    """

    def __init__(self, rules: Rules, table: list[Item]) -> None:
        self.rules: Rules = rules
        self.table: list[Item] = table
        self._searches: dict[int, Sums] = {}
        self._after: list[int] = after(table)

    def walk(self, card: int) -> Iterator[int]:
        """All sets that `card` may capture, in the order of ZWI-49, lazily (ZWI-50)."""
        if card == JOKER and self.rules.joker_single:
            return self._singles(card)
        return walk_targets(self.targets(card), self._after)

    def allows(self, card: int, places: list[int]) -> bool:
        """Whether `card` may take exactly the items at `places` (the test of ZWI-50)."""
        if card == JOKER and self.rules.joker_single and len(places) > 1:
            return False
        mask = sum([1 << (len(self.table) - 1 - place) for place in places])
        for target in self.targets(card):
            need, helpers = target.packed(mask)
            if need >= 0 and target.search.divides(need, helpers):
                return True
        return False

    def targets(self, card: int) -> list[Target]:
        """What each item is for each value that `card` can have (ZWI-13)."""
        return [self._target(card, value) for value in self.rules.values[card]]

    def _target(self, card: int, value: int) -> Target:
        search = self._searches.get(value)
        if search is None:
            search = Sums(value, [below(item, value) for item in self.table])
            self._searches[value] = search
        rank = card >> 2 if card < FIRST_JOKER else -2
        jokers = self.rules.takes_joker(card)
        units: list[int] = []
        alone: list[bool] = []
        for item in self.table:
            allowed = jokers or not item.joker
            units.append(search.unit(below(item, value)) if allowed else 0)
            # ZWI-10a; or a sum of one (ZWI-10b, ZWI-33)
            alone.append(allowed and (item.rank == rank or value in item.values))
        return Target(search, units, alone)

    def _singles(self, card: int) -> Iterator[int]:
        """ZWI-27: one item, whatever it is: a joker can have the value of each."""
        place = 0
        while place < len(self.table):
            if not self.table[place].joker or self.rules.takes_joker(card):
                yield 1 << (len(self.table) - 1 - place)
            place = self._after[place]


def below(item: Item, value: int) -> tuple[int, ...]:
    """The values an item can have in a sum of two or more; `value` itself is a group alone."""
    return tuple([own for own in item.values if own < value])


def after(table: list[Item]) -> list[int]:
    """By item, the place of the next item that differs from it (ZWI-48)."""
    places = list(range(1, len(table) + 1))
    for at in range(len(table) - 2, -1, -1):
        if table[at].key == table[at + 1].key:
            places[at] = places[at + 1]
    return places
