"""Find captures by sums: sets of values that can be divided into groups with the target as sum.

The games that fish with sums share this search (CAS-9, CAS-47, ZWI-10, ZWI-50). Items with equal
values are interchangeable, so a set of items is a count per *kind* (the tuple of values that an
item can have), packed into one integer: the lowest sixteen bits are the sum of the items with one
value. Above them are eight bits per kind: first the kinds of one value in ascending order, then the
others. Counts never use the highest bit of their eight, so that sets can be compared kind by kind.

With the target 9 and items that count 2, 3, 7, and 1 or 4, the kinds and one item of each are

>>> search = Sums(9, [(2,), (3,), (7,), (1, 4)])
>>> search.kinds
[(1,), (2,), (3,), (4,), (7,), (1, 4)]
>>> [f"{search.unit(values):018x}" for values in [(2,), (7,), (1, 4)]]
['000000000001000002', '000001000000000007', '000100000000000000']

Read from the right: four hexadecimal digits of sum, then two digits per kind, which count the
ones, twos, threes and so on. An item of several values adds nothing to the sum. Two twos and a
seven are

>>> two, three, seven = (search.unit((value,)) for value in (2, 3, 7))
>>> f"{two + two + seven:018x}"
'00000100000200000b'

Sum 11 (0b), two of the second kind, one of the fifth: these cannot all be divided into nines. A
seven alone can, if two twos may help; one of them is left over.

>>> search.divides(two + two + seven, 0)
False
>>> search.spare(seven, two + two) == two
True

And from a table of 2, 2, 3 and 7, a nine takes the first 2 with the 7, or the second:

>>> [f"{taken:04b}" for taken in search.walk([two, two, three, seven], [False] * 4)]
['1001', '0101']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

Values = tuple[int, ...]

NO_SETS: Final[list[int]] = []
"""Shared by all cards that capture nothing, so nobody changes it."""
NO_GROUPS: Final[list[list[int]]] = []
"""Shared by all cards that capture no group, so nobody changes it."""

_SUM: Final = 16  # bits of the sum in a packed set
_BITS: Final = 8  # bits of each count
_COUNT: Final = 127  # the largest count of a kind
_MAX_UNIONS: Final = 600  # captures of one card that are stored; if there are more, walk instead
_MIN_STORED_STATES: Final = 4  # a failed search is stored if it visited more states than this


def reached_sums(entries: list[int], mask: int) -> int:
    """The sums in a result of a game's `sets_adding_up`, as bits.

    `mask`: the bits of an entry that hold its sum.
    """
    sums = 0
    for entry in entries:
        sums |= 1 << (entry & mask)
    return sums


class Sums:
    """The search for one target, which caches its results.

    `values`: the values of all possible items. `nodes`: the number of states that searches have
    visited; tests limit it.
    """

    def __init__(self, target: int, values: Iterable[Values]) -> None:
        usable = {
            tuple(sorted(v for v in item_values if 0 < v <= target)) for item_values in values
        }
        usable.discard(())
        self.target: int = target
        self.nodes: int = 0
        self._values: list[int] = sorted({value for item_values in usable for value in item_values})
        multi_valued = sorted(item_values for item_values in usable if len(item_values) > 1)
        self.kinds: list[Values] = [*((value,) for value in self._values), *multi_valued]
        self._ones: list[int] = [
            1 << (_SUM + _BITS * index) | (item_values[0] if len(item_values) == 1 else 0)
            for index, item_values in enumerate(self.kinds)
        ]
        self._units: dict[Values, int] = dict(zip(self.kinds, self._ones, strict=True))
        self._top: int = _SUM + _BITS * len(self._values)  # start of kinds of several values
        # By limit: the bits of all kinds of one value that is at most the limit.
        self._up_to: list[int] = [
            (1 << (_SUM + _BITS * sum([value <= limit for value in self._values]))) - (1 << _SUM)
            for limit in range(target + 1)
        ]
        # The possible uses of a helper, in the order in which the search tries them: the bits of
        # its kind, one item of the kind, and its value in the group.
        self._uses: list[tuple[int, int, int]] = [
            (_COUNT << (_SUM + _BITS * index), self._ones[index], value)
            for index in (
                *range(len(self._values) - 1, -1, -1),
                *range(len(self._values), len(self.kinds)),
            )
            for value in reversed(self.kinds[index])
        ]
        self.guards: int = 1 << (_SUM - 1)
        for index in range(len(self.kinds)):
            self.guards |= 1 << (_SUM + _BITS * index + _BITS - 1)
        self._solved: dict[tuple[int, int], int] = {}
        self._answers: dict[tuple[int, int], int] = {}
        self._refuted: list[tuple[int, int]] = []
        self._splits: dict[int, list[int]] = {}
        self._sums_of: dict[int, tuple[int, int]] = {}

    def unit(self, values: Values) -> int:
        """One item with these values as a packed count; 0 if it can be in no group."""
        return self._units.get(tuple(sorted([v for v in values if 0 < v <= self.target])), 0)

    def divides(self, need: int, helpers: int) -> bool:
        """Whether `need` can be divided completely into groups that add up to the target.

        Each group may contain any of `helpers`, but not all helpers must be used. Both are packed
        sets of items.
        """
        return self.spare(need, helpers) >= 0

    def within(self, smaller: int, larger: int) -> bool:
        """Whether the packed set `smaller` has at most as many items of each kind as `larger`."""
        return ((larger | self.guards) - smaller) & self.guards == self.guards

    def spare(self, need: int, helpers: int) -> int:
        """The helpers that a division leaves over (see `divides`); -1 if there is no division."""
        if need == 0:
            return helpers
        key = (need, helpers)
        spare = self._answers.get(key)
        if spare is None:
            spare = self._answers[key] = self._search_spare(need, helpers)
        return spare

    def _search_spare(self, need: int, helpers: int) -> int:
        whole = need + helpers
        # If a division failed, it also fails with a larger need or fewer helpers.
        for failed_need, failed_whole in self._refuted:
            if self.within(failed_need, need) and self.within(whole, failed_whole):
                return -1
        nodes_before = self.nodes
        multi_valued = need >> self._top
        if multi_valued == 0:
            spare = self._solve(need, helpers)
        else:
            single_valued = need & ((1 << self._top) - 1)
            spare = -1
            for split in self._split(multi_valued):
                spare = self._solve(single_valued + split, helpers)
                if spare >= 0:
                    break
        if spare < 0 and self.nodes > nodes_before + _MIN_STORED_STATES:
            self._refuted.append((need, whole))
        return spare

    def _split(self, multi_valued: int) -> list[int]:
        """All ways to choose a value for each item of several values, packed and ascending."""
        splits = self._splits.get(multi_valued)
        if splits is None:
            splits = [0]
            for index in range(len(self._values), len(self.kinds)):
                count = (multi_valued >> (_BITS * (index - len(self._values)))) & _COUNT
                choices = [
                    sum([self._units[value,] for value in chosen])
                    for chosen in combinations_with_replacement(self.kinds[index], count)
                ]
                splits = [split + choice for split in splits for choice in choices]
            splits.sort(key=_single_sum)
            self._splits[multi_valued] = splits
        return splits

    def _solve(self, need: int, helpers: int) -> int:
        """`spare` if each needed item has one value. It first completes the largest one's group."""
        if need == 0:
            return helpers
        if not self._reachable_sums(helpers)[1] >> (-(need & 0x7FFF) % self.target) & 1:
            return -1
        key = (need, helpers)
        spare = self._solved.get(key)
        if spare is None:
            self.nodes += 1
            index = (need.bit_length() - 1 - _SUM) // _BITS
            value = self._values[index]
            spare = self._fill(self.target - value, value, need - self._ones[index], helpers)
            self._solved[key] = spare
        return spare

    def _fill(self, missing: int, max_value: int, need: int, helpers: int) -> int:
        """Complete a group that lacks `missing`, with needed items, then with helpers.

        Return the result of `spare` for the other items.
        """
        if missing == 0:
            return self._solve(need, helpers)
        candidates = need & self._up_to[max_value if max_value < missing else missing]
        while candidates:
            index = (candidates.bit_length() - 1 - _SUM) // _BITS
            value = self._values[index]
            spare = self._fill(missing - value, value, need - self._ones[index], helpers)
            if spare >= 0:
                return spare
            candidates &= self._up_to[value - 1]
        return self._fill_with_helpers(missing, 0, need, helpers) if helpers else -1

    def _fill_with_helpers(self, missing: int, place: int, need: int, helpers: int) -> int:
        """Complete a group that lacks `missing` with helpers only, from `place` in `_uses` on."""
        if not self._reachable_sums(helpers)[0] >> missing & 1:
            return -1
        for index in range(place, len(self._uses)):
            bits, unit, value = self._uses[index]
            if value > missing or not helpers & bits:
                continue
            if value == missing:
                spare = self._solve(need, helpers - unit)
            else:
                spare = self._fill_with_helpers(missing - value, index, need, helpers - unit)
            if spare >= 0:
                return spare
        return -1

    def _reachable_sums(self, helpers: int) -> tuple[int, int]:
        """The sums up to the target that `helpers` can make, and all their sums modulo the target.

        Both are bit masks.
        """
        result = self._sums_of.get(helpers)
        if result is None:
            target = self.target
            sums = remainders = 1
            for index, values in enumerate(self.kinds):
                count = (helpers >> (_SUM + _BITS * index)) & _COUNT
                for _ in range(count if count < target else target):
                    new_sums, new_remainders = sums, remainders
                    for value in values:
                        new_sums |= sums << value
                        new_remainders |= _rotate(remainders, value % target, target)
                    new_sums &= (2 << target) - 1
                    if new_sums == sums and new_remainders == remainders:
                        break
                    sums, remainders = new_sums, new_remainders
            result = self._sums_of[helpers] = (sums, remainders)
        return result

    def walk(self, units: Sequence[int], alone: Sequence[bool]) -> Iterator[int]:
        """Yield every non-empty set of items that can be captured, as a bit mask.

        Item 0 is the highest bit. `units`: each item as a packed set (`unit`), 0 if it can be in no
        sum. `alone`: whether each item may be a group alone. For each item, the walk tries to take
        it before it tries to leave it, so a set comes before all its subsets. It enters a branch
        only if it leads to a set.
        """
        target = SumTarget(self, list(units), list(alone))
        return walk_targets([target], range(1, len(units) + 1))


class SumTarget(NamedTuple):
    """One value of a played card, and how each item on the table counts for it.

    `units` and `alone` are indexed by item, as in `Sums.walk`; an item with neither cannot be
    taken.
    """

    search: Sums
    units: list[int]
    alone: list[bool]

    def packed(self, mask: int) -> tuple[int, int]:
        """The `need` and the `helpers` of a set of items (see `Sums.divides`).

        Items that may be a group alone are helpers. The need is -1 if an item cannot be taken.
        """
        need = 0
        helpers = 0
        count = len(self.units)
        while mask:
            length = mask.bit_length()
            mask ^= 1 << (length - 1)
            unit = self.units[count - length]
            if self.alone[count - length]:
                helpers += unit
            elif unit:
                need += unit
            else:
                return -1, 0
        return need, helpers


def walk_targets(targets: Sequence[SumTarget], after: Sequence[int]) -> Iterator[int]:
    """`Sums.walk` for a card of several values and a table with equal items.

    Each set that one of the `targets` allows is yielded once (ZWI-13, ZWI-50). `after`: for each
    item, the index of the next different item. Equal items are adjacent, and a capture takes the
    earlier ones first. So if it leaves an item, it also leaves the equal ones after it (ZWI-48).
    """
    count = len(after)
    undecided = [_undecided(target.units) for target in targets]
    barred = [_barred(target) for target in targets]
    packed: list[dict[int, tuple[int, int]]] = [{0: (0, 0)} for _ in targets]
    target_count = len(targets)
    stack = [(0, 0, 0, 0, 0, 0)]
    while stack:
        index, mask, target_index, need, helpers, used = stack.pop()
        while target_index < target_count:
            search = targets[target_index].search
            if need >= 0:
                available = helpers + undecided[target_index][index]
                # A division that was found earlier in this branch is still valid if, of every kind,
                # it contains at least the needed and at most the available items.
                guards = search.guards
                surplus = (used | guards) - need
                if surplus & ((need + available | guards) - used) & guards == guards:
                    break
                spare = search.spare(need, available)
                if spare >= 0:
                    used = need + available - spare
                    break
            # No completion has this value, so no further node of this branch has it either.
            target_index += 1
            while target_index < target_count and mask & barred[target_index]:
                target_index += 1
            if target_index < target_count:
                need, helpers = _packed(targets[target_index], mask, packed[target_index])
                used = 0
        if target_index == target_count:
            continue
        if index == count:
            if mask:
                yield mask
            continue
        stack.append((after[index], mask, target_index, need, helpers, used))
        with_item = mask | 1 << (count - 1 - index)
        unit = targets[target_index].units[index]
        if targets[target_index].alone[index]:
            stack.append((index + 1, with_item, target_index, need, helpers + unit, used))
        else:
            stack.append(
                (index + 1, with_item, target_index, need + unit if unit else -1, helpers, used)
            )


def unions(parts: list[int]) -> list[int] | None:
    """All unions of one or more sets of `parts` that share no item, descending; None if too many.

    >>> unions([0b001, 0b011, 0b100])
    [7, 5, 4, 3, 1]
    """
    if len(parts) < 2:
        return parts
    if len(parts) == 2:
        first, second = parts
        if first == second:
            return [first]
        if first < second:
            first, second = second, first
        return [first, second] if first & second else [first | second, first, second]
    sets = [0]
    is_ascending = True  # as long as no two parts begin with the same item
    for part in sorted(parts):
        is_ascending = is_ascending and part > sets[-1]
        for index in range(len(sets)):
            if not sets[index] & part:
                sets.append(sets[index] | part)
        if len(sets) > _MAX_UNIONS and not is_ascending:
            sets = list(set(sets))  # remove duplicates
        if len(sets) > _MAX_UNIONS:
            return None
    if is_ascending:
        sets.reverse()
    else:
        sets = descending(sets)
    sets.pop()  # 0
    return sets


def descending(numbers: list[int]) -> list[int]:
    """The numbers, which are not negative, in descending order and without duplicates.

    >>> descending([4, 7, 5, 4])
    [7, 5, 4]
    """
    ordered = sorted(numbers)
    distinct: list[int] = []
    last = -1
    for number in reversed(ordered):
        if number != last:
            last = number
            distinct.append(number)
    return distinct


def _undecided(units: Sequence[int]) -> list[int]:
    """The sum of the units of all items from each index on."""
    sums = [0] * (len(units) + 1)
    for index in range(len(units) - 1, -1, -1):
        sums[index] = sums[index + 1] + units[index]
    return sums


def _packed(target: SumTarget, mask: int, packed: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """`SumTarget.packed` of a set without barred items.

    `packed`: the results so far, which include that of the empty set. A walk adds items at the end
    of a set, so the result of the set without its last item is usually known.
    """
    result = packed.get(mask)
    if result is None:
        last_item = mask & -mask
        need, helpers = _packed(target, mask ^ last_item, packed)
        index = len(target.units) - last_item.bit_length()
        if target.alone[index]:
            result = (need, helpers + target.units[index])
        else:
            result = (need + target.units[index], helpers)
        packed[mask] = result
    return result


def _barred(target: SumTarget) -> int:
    """The items that a card cannot take with this value, as a bit mask."""
    barred = 0
    for unit, alone in zip(target.units, target.alone, strict=True):
        barred = barred << 1 | (not unit and not alone)
    return barred


def _single_sum(packed: int) -> int:
    """The sum of the items with one value."""
    return packed & ((1 << _SUM) - 1)


def _rotate(bits: int, shift: int, size: int) -> int:
    """Rotate a set of remainders modulo `size`."""
    return ((bits << shift) | (bits >> (size - shift))) & ((1 << size) - 1)
