"""Lists the captures of a played card, and tests single ones (ZWI-10 to ZWI-13, ZWI-24 to ZWI-27).

A set of items is a bit mask in which the first item of the table is the highest bit. Of two
captures, the one that takes the first item on which they differ comes first in a list (ZWI-49). So
masks are listed in descending order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cards import FIRST_JOKER
from engine.games.zwicker.items import ZwickerItem
from engine.games.zwicker.options import JOKER, ZwickerRules
from engine.sums import (
    NO_GROUPS,
    NO_SETS,
    Sums,
    SumTarget,
    descending,
    reached_sums,
    unions,
    walk_targets,
)

_MAX_SETS: Final = 1500  # sets of items that are stored; if there are more, walk instead


class Captures:
    """The captures from one table. Cards share the results of common computations.

    A capture joins one or more groups of items (ZWI-10) that share no item (ZWI-11). It need not
    take all items that the card could take (ZWI-12).
    """

    def __init__(self, rules: ZwickerRules, table: list[ZwickerItem]) -> None:
        self.rules: ZwickerRules = rules
        self.table: list[ZwickerItem] = table
        self._searches: dict[int, Sums] | None = None

    def walk(self, card: int) -> Iterator[int]:
        """Yield all sets that `card` may capture, one by one, in list order (ZWI-49, ZWI-50)."""
        if card == JOKER and self.rules.joker_single:
            return _singles(self.rules, self.table, card)
        return walk_targets(self.targets(card), next_different(self.table))

    def allows(self, card: int, places: list[int]) -> bool:
        """Whether `card` may take exactly the items at these places of the table (ZWI-50)."""
        if card == JOKER and self.rules.joker_single and len(places) > 1:
            return False
        mask = sum([1 << (len(self.table) - 1 - place) for place in places])
        for target in self.targets(card):
            need, helpers = target.packed(mask)
            if need >= 0 and target.search.divides(need, helpers):
                return True
        return False

    def targets(self, card: int) -> list[SumTarget]:
        """A `SumTarget` for each value that `card` can have (ZWI-13).

        It says what each item adds to a sum.

        The highest value comes first. It usually allows the most captures, so a walk seldom has to
        try a second value.
        """
        return [self._target(card, value) for value in reversed(self.rules.values[card])]

    def _target(self, card: int, value: int) -> SumTarget:
        if self._searches is None:
            self._searches = {}
        search = self._searches.get(value)
        if search is None:
            search = Sums(value, [values_below(item, value) for item in self.table])
            self._searches[value] = search
        rank = card >> 2 if card < FIRST_JOKER else -2
        jokers = self.rules.takes_joker(card)
        units: list[int] = []
        alone: list[bool] = []
        for item in self.table:
            allowed = jokers or not item.joker
            units.append(search.unit(values_below(item, value)) if allowed else 0)
            # the card takes the item alone: by rank (ZWI-10a), or by value (ZWI-10b, ZWI-33)
            alone.append(allowed and (item.rank == rank or value in item.values))
        return SumTarget(search, units, alone)


def capture_lists(
    rules: ZwickerRules, table: list[ZwickerItem], cards: list[int]
) -> list[list[int]] | None:
    """The results of `Captures.walk` for each of `cards`, as lists; None if there are too many.

    May be empty if no card takes anything. The function computes the sets of each sum only once,
    and all cards share them. For each card it then joins sets without a common item. It is fast if
    there are few items, as usual.
    """
    entries = sets_adding_up(table, _wanted(rules, cards))
    if entries is None:
        return None
    reached = reached_sums(entries, 31)
    if reached == 1 and not rules.joker_single:  # only the empty set, with sum 0
        return NO_GROUPS
    twins = _twins(table)
    captures_by_card: list[list[int]] = []
    last_rank = -1
    for card in cards:
        # cards of equal rank capture the same items (ZWI-10)
        if card < FIRST_JOKER and card >> 2 == last_rank:
            captures_by_card.append(captures_by_card[-1])
            continue
        last_rank = card >> 2
        if card == JOKER and rules.joker_single:
            captures = list(_singles(rules, table, card))
        elif reached & rules.loose[card].bits:
            banned = 0 if rules.takes_joker(card) else _jokers(table)
            joined = _captures_of(rules.values[card], entries, reached, banned)
            if joined is None:
                return None
            captures = joined
        else:
            captures_by_card.append(NO_SETS)
            continue
        if twins:  # ZWI-48: of equal items, a capture takes the earlier ones first
            captures = [mask for mask in captures if not mask & twins & ~(mask >> 1)]
        captures_by_card.append(captures)
    return captures_by_card


def _captures_of(
    values: tuple[int, ...], entries: list[int], reached: int, banned: int
) -> list[int] | None:
    """The captures of a card with these values, made from the results of `sets_adding_up`.

    None if too many. `reached`: the sums in `entries`, as bits. `banned`: the items that the card
    may not take. A card on the table of the same rank (ZWI-10a) has the same values, so `entries`
    contain it.
    """
    captures = NO_SETS
    for value in values:
        if not reached >> value & 1:
            continue
        groups = sets_with_sum(entries, value)
        if banned:
            groups = [group for group in groups if not group & banned]
        joined = unions(groups)
        if joined is None:
            return None
        if captures:
            captures += joined
        else:
            captures = joined
    return descending(captures) if len(values) > 1 else captures


def _jokers(table: list[ZwickerItem]) -> int:
    """The items that are or contain a wild joker, as a bit mask."""
    jokers = 0
    for item in table:
        jokers = jokers << 1 | item.joker
    return jokers


def _twins(table: list[ZwickerItem]) -> int:
    """The items that equal the item before them, as a bit mask."""
    twins = 0
    first = -1  # the first card of the item before
    for place, item in enumerate(table):
        twins <<= 1
        if item.first == first and item.id == table[place - 1].id:
            twins |= 1
        first = item.first
    return twins


def _singles(rules: ZwickerRules, table: list[ZwickerItem], card: int) -> Iterator[int]:
    """Yield each single item that a wild joker may take; it can have any value (ZWI-27)."""
    place = 0
    places = next_different(table)
    while place < len(places):
        if not table[place].joker or rules.takes_joker(card):
            yield 1 << (len(table) - 1 - place)
        place = places[place]


def values_below(item: ZwickerItem, value: int) -> tuple[int, ...]:
    """The values that an item can have in a sum of several items that add up to `value`."""
    return tuple([item_value for item_value in item.values if item_value < value])


def sets_by_sum(table: list[ZwickerItem], top: int) -> list[list[int]] | None:
    """For each value from 0 to `top`, the sets of items that can add up to it.

    None if there are too many sets.
    """
    entries = sets_adding_up(table, (2 << top) - 1)
    if entries is None:
        return None
    by_target: list[list[int]] = [[] for _ in range(top + 1)]
    for entry in entries:
        by_target[entry & 31].append(entry >> 5)
    return by_target


def sets_by_value(
    rules: ZwickerRules, table: list[ZwickerItem], hand: list[int]
) -> list[list[list[int]]] | None:
    """For each card and each of its values, the sets that add up to it; None if too many.

    Values to which no items add up are left out. Call this only if every card may take jokers and a
    joker may take several items (options `joker_table`, `joker_single`).
    """
    entries = sets_adding_up(table, _wanted(rules, hand))
    if entries is None:
        return None
    reached = reached_sums(entries, 31)
    sets: list[list[list[int]]] = []
    for card in hand:
        if rules.loose[card].bits & reached:
            sets.append(
                [
                    sets_with_sum(entries, value)
                    for value in rules.values[card]
                    if reached >> value & 1
                ]
            )
        else:
            sets.append(NO_GROUPS)
    return sets


def _wanted(rules: ZwickerRules, hand: list[int]) -> int:
    """The values that the cards of a hand can have, as bits (bit v for value v)."""
    bits = 0
    for card in hand:
        bits |= rules.loose[card].bits
    return bits


def sets_with_sum(entries: list[int], value: int) -> list[int]:
    """The sets in a result of `sets_adding_up` that add up to a value."""
    return [entry >> 5 for entry in entries if entry & 31 == value]


def sets_adding_up(table: list[ZwickerItem], targets: int) -> list[int] | None:
    """The sets of items that can add up to a wanted value, each as ``set << 5 | sum``.

    The list may also contain sets with other sums. None if it would be too long. `targets`: the
    wanted values, as bits.
    """
    return _sets_of_first(table, len(table), 32, targets)


def _sets_of_first(
    table: list[ZwickerItem], count: int, last_bit: int, wanted: int
) -> list[int] | None:
    """`sets_adding_up` for the first `count` items. `last_bit`: the bit of the last of them.

    The recursion needs no list of the sums that further items can complete, by item.
    """
    if count == 0:
        return [0]
    item = table[count - 1]
    value = item.value
    if value:
        needed = wanted >> value  # the sums of sets to which the item can be added
        entries = _sets_of_first(table, count - 1, last_bit << 1, wanted | needed)
        if entries is None:
            return None
        _add_item(entries, len(entries), needed, last_bit | value)
    else:
        needed = wanted
        for value in item.values:
            needed |= wanted >> value
        entries = _sets_of_first(table, count - 1, last_bit << 1, needed)
        if entries is None:
            return None
        size = len(entries)
        for value in item.values:
            _add_item(entries, size, wanted >> value, last_bit | value)
        entries = list(set(entries))  # remove duplicates
    return entries if len(entries) <= _MAX_SETS else None


def _add_item(entries: list[int], size: int, needed: int, added: int) -> None:
    """Extend `entries`: add an item to each of the first `size` sets whose sum is in `needed`.

    `needed`: sums, as bits. `added`: the item's bit and value, as they are added to an entry.
    """
    if not needed:
        return
    for place in range(size):
        entry = entries[place]
        if needed >> (entry & 31) & 1:
            entries.append(entry + added)


def next_different(table: list[ZwickerItem]) -> list[int]:
    """For each item, the place of the next item that does not equal it (ZWI-48)."""
    places = list(range(1, len(table) + 1))
    for place in range(len(table) - 2, -1, -1):
        if table[place].key == table[place + 1].key:
            places[place] = places[place + 1]
    return places
