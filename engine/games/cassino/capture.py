"""The captures of a played card (CAS-9 to CAS-14): lists of them, and the test of one.

A set of items is a bit mask in which the first item of the table is the highest bit. Of two
captures, the one that takes the first item on which they differ comes first in a list (CAS-46). So
masks are listed in descending order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.games.cassino.items import PAIR, CassinoItem
from engine.games.cassino.options import FACES, CassinoRules
from engine.sums import NO_GROUPS, Sums, Values, reached_sums, unions

_MAX_SETS: Final = 1500  # sets of items that are stored; if there are more, walk instead


def sets_adding_up(table: list[CassinoItem], targets: int) -> list[int] | None:
    """The sets of items that add up to a wanted number, each as ``set << 4 | sum``.

    The list may also contain sets with other sums. None if it would be too long. `targets`: the
    wanted numbers, as bits.
    """
    return _sets_of_first(table, len(table), 16, targets)


def _sets_of_first(
    table: list[CassinoItem], count: int, last_bit: int, wanted: int
) -> list[int] | None:
    """`sets_adding_up` for the first `count` items. `last_bit`: the bit of the last of them.

    The recursion needs no list of the sums that further items can complete, by item.
    """
    if count == 0:
        return [0]
    value = table[count - 1].value
    needed = wanted >> value if value else 0  # the sums of sets to which the item can be added
    entries = _sets_of_first(table, count - 1, last_bit << 1, wanted | needed)
    if needed and entries is not None:
        added = last_bit | value
        for place in range(len(entries)):
            entry = entries[place]
            if needed >> (entry & 15) & 1:
                entries.append(entry + added)
        if len(entries) > _MAX_SETS:
            return None
    return entries


def single_groups(
    rules: CassinoRules, table: list[CassinoItem], rank: int, entries: list[int], pairs: int
) -> list[int]:
    """The groups of items that a card of `rank` takes (CAS-9), as sets. A capture joins some.

    `entries`: the result of `sets_adding_up` for numbers that include the card's number. `pairs`:
    the number of pair builds on the table.
    """
    number = rules.takes[rank]
    groups: list[int] = []
    # CAS-9b and c: sets that add up to the card's number, including single items of this number
    if number:
        groups = [entry >> 4 for entry in entries if entry & 15 == number]
    by_rank_only = number == 0 or number != rules.number[rank]
    # CAS-9a: cards of the same rank, if no sum has found them; CAS-9d: pair builds of this rank
    if by_rank_only or pairs:
        bit = 1 << len(table)
        for item in table:
            bit >>= 1
            if item.rank == rank and (by_rank_only or item.kind == PAIR):
                groups.append(bit)
    return groups


def reached_numbers(entries: list[int]) -> int:
    """The sums of the sets that `sets_adding_up` found, as bits."""
    return reached_sums(entries, 15)


def may_take(rules: CassinoRules, rank: int, reached: int) -> bool:
    """Whether a card of `rank` may take anything but pair builds.

    `reached`: the numbers that items add up to, as bits.
    """
    number = rules.takes[rank]
    return number == 0 or number != rules.number[rank] or reached >> number & 1 == 1


def groups_by_card(
    rules: CassinoRules, table: list[CassinoItem], hand: list[int], entries: list[int]
) -> list[list[list[int]]]:
    """For each card of a hand, a list with its `single_groups`; an empty list if it has none."""
    pairs = pair_builds(table)
    reached = reached_numbers(entries)
    groups: list[list[list[int]]] = []
    for card in hand:
        if pairs or may_take(rules, card >> 2, reached):
            groups.append([single_groups(rules, table, card >> 2, entries, pairs)])
        else:
            groups.append(NO_GROUPS)
    return groups


def all_captures(
    rules: CassinoRules, table: list[CassinoItem], rank: int, entries: list[int], pairs: int
) -> list[int] | None:
    """All sets that a card of `rank` may capture, in list order (CAS-46); None if too many.

    A capture joins one or more groups of `single_groups` (CAS-10) that share no item (CAS-11). It
    need not take all items that the card could take (CAS-12).
    """
    joined = unions(single_groups(rules, table, rank, entries, pairs))
    if joined and rank >= FACES and not rules.face_pairs:
        return [mask for mask in joined if faces_allowed(table, mask, rank)]
    return joined


def wanted_numbers(rules: CassinoRules, hand: list[int]) -> int:
    """The numbers that the cards of a hand take, as bits (bit n for number n)."""
    numbers = 0
    for card in hand:
        numbers |= 1 << rules.takes[card >> 2]
    return numbers & ~1


def pair_builds(table: list[CassinoItem]) -> int:
    """The number of pair builds on the table."""
    pairs = 0
    for item in table:
        if item.kind == PAIR:
            pairs += 1
    return pairs


def faces_allowed(table: list[CassinoItem], mask: int, rank: int) -> bool:
    """Whether ``face_pairs=false`` lets a face of `rank` take the set `mask` (CAS-13).

    It may not take exactly two cards of its own rank.
    """
    count = 0
    for place, item in enumerate(reversed(table)):
        if mask >> place & 1:
            count += item.count(rank)
    return count != 2


def stands_alone(rules: CassinoRules, item: CassinoItem, rank: int) -> bool:
    """Whether a card of `rank` may take an item alone: by its rank or as a build (CAS-9a, c, d)."""
    return item.rank == rank or (item.rank < 0 and item.value == rules.takes[rank])


def can_take(rules: CassinoRules, items: list[CassinoItem], rank: int) -> bool:
    """Whether a card of `rank` may take exactly these items (CAS-9, CAS-47).

    It may if they can be divided into groups. An item that the card takes alone is a group, but may
    also complete a sum of other items.
    """
    number = rules.takes[rank]
    values_by_item = [numbers_in_sum(rules, item, rank) for item in items]
    search = Sums(number, values_by_item) if number else None
    need = 0
    helpers = 0
    for item, item_values in zip(items, values_by_item, strict=True):
        unit = search.unit(item_values) if search else 0
        if stands_alone(rules, item, rank):
            helpers += unit
        elif unit == 0:
            return False  # CAS-13, CAS-14: the item cannot be part of a sum
        else:
            need += unit
    return search is None or search.divides(need, helpers)


def numbers_in_sum(rules: CassinoRules, item: CassinoItem, rank: int) -> Values:
    """The number of an item in a sum of several items for a card of `rank` (CAS-9b); or nothing.

    It must be less than the number that the card takes. An ace on the table always counts 1, even
    where a played ace takes 14 (CAS-42).
    """
    return (item.value,) if 0 < item.value < rules.takes[rank] else ()


def walk_captures(rules: CassinoRules, table: list[CassinoItem], rank: int) -> Iterator[int]:
    """Yield the results of `all_captures` one by one, for tables of any size (CAS-47)."""
    number = rules.takes[rank]
    values_by_item = [numbers_in_sum(rules, item, rank) for item in table]
    search = Sums(max(number, 1), values_by_item)
    units = [search.unit(item_values) for item_values in values_by_item]
    alone = [stands_alone(rules, item, rank) for item in table]
    for mask in search.walk(units, alone):
        if rank < FACES or rules.face_pairs or faces_allowed(table, mask, rank):
            yield mask
