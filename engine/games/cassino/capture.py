"""Captures of a played card (CAS-9 to CAS-14), listed or tested.

Sets of items are bit masks with the first item as the highest bit, so the order of CAS-46 ("the one
that takes the first item on which they differ comes first") is descending.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.games.cassino.items import PAIR, CassinoItem
from engine.games.cassino.options import FACES, CassinoRules
from engine.sums import Sums, Values, unions

_SETS: Final = 1500  # limit of sums for all numbers together; above it, the walk is used
_NOTHING: Final[list[list[int]]] = []  # shared by all cards that take nothing


def sets_adding_up(table: list[CassinoItem], targets: int) -> list[int] | None:
    """The sets of items that add up to a number, each as ``set << 4 | sum``; None: too many.

    `targets`: the wanted numbers, as bits. Sets with other sums may be included.
    """
    # By number of items left: the sums from which these can reach a wanted number.
    open_sums = [targets]
    reachable = targets
    for item in reversed(table):
        reachable |= reachable >> item.value
        open_sums.append(reachable)
    entries = [0]
    if not reachable & 1:  # from no item, no wanted number can be reached
        return entries
    items_left = len(table)
    bit = 16 << items_left
    for item in table:
        bit >>= 1
        items_left -= 1
        value = item.value
        if value:
            needed = open_sums[items_left] >> value
            added = bit | value
            for place in range(len(entries)):
                entry = entries[place]
                if needed >> (entry & 15) & 1:
                    entries.append(entry + added)
            if len(entries) > _SETS:
                return None
    return entries


def single_groups(
    rules: CassinoRules, table: list[CassinoItem], rank: int, entries: list[int], pairs: int
) -> list[int]:
    """The single groups that a card of `rank` takes, as sets.

    `entries`: the result of `sets_adding_up` with the card's number among the wanted. `pairs`: the
    number of pair builds on the table.
    """
    number = rules.takes[rank]
    groups: list[int] = []
    if number:  # CAS-9b and c; a single item of the number itself is such a set
        groups = [entry >> 4 for entry in entries if entry & 15 == number]
    by_rank_only = number == 0 or number != rules.number[rank]
    if by_rank_only or pairs:  # CAS-9a for cards whose rank is not a number, CAS-9d
        bit = 1 << len(table)
        for item in table:
            bit >>= 1
            if item.rank == rank and (by_rank_only or item.kind == PAIR):
                groups.append(bit)
    return groups


def reached_numbers(entries: list[int]) -> int:
    """The sums of the sets that `sets_adding_up` found, as bits."""
    numbers = 0
    for entry in entries:
        numbers |= 1 << (entry & 15)
    return numbers


def may_take(rules: CassinoRules, rank: int, reached: int) -> bool:
    """Whether a card of `rank` may take anything but pair builds.

    `reached`: the numbers that items add up to, as bits.
    """
    number = rules.takes[rank]
    return number == 0 or number != rules.number[rank] or reached >> number & 1 == 1


def groups_by_card(
    rules: CassinoRules, table: list[CassinoItem], hand: list[int], entries: list[int]
) -> list[list[list[int]]]:
    """By card of a hand: no list, or one list of the single groups that the card takes."""
    pairs = pair_builds(table)
    reached = reached_numbers(entries)
    groups: list[list[list[int]]] = []
    for card in hand:
        if pairs or may_take(rules, card >> 2, reached):
            groups.append([single_groups(rules, table, card >> 2, entries, pairs)])
        else:
            groups.append(_NOTHING)
    return groups


def all_captures(
    rules: CassinoRules, table: list[CassinoItem], rank: int, entries: list[int], pairs: int
) -> list[int] | None:
    """All sets that a card of `rank` may capture, in the order of CAS-46; None: too many.

    Groups of `single_groups` may be joined (CAS-10) if they share no item (CAS-11), and a capture
    may take fewer items than possible (CAS-12).
    """
    joined = unions(single_groups(rules, table, rank, entries, pairs))
    if joined and rank >= FACES and not rules.face_pairs:
        return [mask for mask in joined if faces_allowed(table, mask, rank)]
    return joined


def wanted_numbers(rules: CassinoRules, hand: list[int]) -> int:
    """The numbers that the cards of a hand take, as bits."""
    numbers = 0
    for card in hand:
        numbers |= 1 << rules.takes[card >> 2]
    return numbers & ~1


def pair_builds(table: list[CassinoItem]) -> int:
    pairs = 0
    for item in table:
        if item.kind == PAIR:
            pairs += 1
    return pairs


def faces_allowed(table: list[CassinoItem], mask: int, rank: int) -> bool:
    """CAS-13 with ``face_pairs=false``: a face may not take exactly two cards of its own rank."""
    count = 0
    for place, item in enumerate(reversed(table)):
        if mask >> place & 1:
            count += item.count(rank)
    return count != 2


def stands_alone(rules: CassinoRules, item: CassinoItem, rank: int) -> bool:
    """Whether an item alone is a group for a card of `rank` (CAS-9a, c, d)."""
    return item.rank == rank or (item.rank < 0 and item.value == rules.takes[rank])


def can_take(rules: CassinoRules, items: list[CassinoItem], rank: int) -> bool:
    """Whether a card of `rank` may take exactly these items (CAS-9), by the test of CAS-47."""
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
            return False  # CAS-13, CAS-14: it is in no sum
        else:
            need += unit
    return search is None or search.divides(need, helpers)


def numbers_in_sum(rules: CassinoRules, item: CassinoItem, rank: int) -> Values:
    """The numbers that an item can have in a sum of two or more for a card of `rank` (CAS-9b).

    They are less than the number taken: in the sums of an ace, CAS-42's ace counts as 1.
    """
    return (item.value,) if 0 < item.value < rules.takes[rank] else ()


def walk_captures(rules: CassinoRules, table: list[CassinoItem], rank: int) -> Iterator[int]:
    """Like `all_captures`, lazily, for tables of any size (CAS-47)."""
    number = rules.takes[rank]
    values_by_item = [numbers_in_sum(rules, item, rank) for item in table]
    search = Sums(max(number, 1), values_by_item)
    units = [search.unit(item_values) for item_values in values_by_item]
    alone = [stands_alone(rules, item, rank) for item in table]
    for mask in search.walk(units, alone):
        if rank < FACES or rules.face_pairs or faces_allowed(table, mask, rank):
            yield mask
