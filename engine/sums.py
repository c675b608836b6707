"""Captures by sums: can a set of values be divided into groups that each make the target?

Shared by the games that fish with sums (CAS-9, CAS-47; the same search serves other games of the
family). Items of equal values are interchangeable, so a state is a count per *kind* (the tuple of
values that an item can have), packed into one integer, seven bits a kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

Values = tuple[int, ...]

_BITS: Final = 7
_COUNT: Final = 127  # the largest count a kind can have


class Sums:
    """The search for one target, with its memory of what was refuted.

    `values` are the values of all items that may come up. `nodes` counts the states looked at: the
    measure of work that tests bound.
    """

    def __init__(self, target: int, values: Iterable[Values]) -> None:
        usable = {tuple(sorted(v for v in vals if 0 < v <= target)) for vals in values}
        usable.discard(())
        # single-valued kinds first, large before small; then those with several values
        self.kinds: list[Values] = sorted(usable, key=lambda vals: (len(vals) > 1, -vals[-1], vals))
        self.target: int = target
        self.nodes: int = 0
        self._answers: dict[tuple[int, int], bool] = {}

    def unit(self, values: Values) -> int:
        """One item of these values as a packed count; 0 if none of them can be in a group."""
        usable = tuple(sorted(v for v in values if 0 < v <= self.target))
        return 1 << (_BITS * self.kinds.index(usable)) if usable in self.kinds else 0

    def divides(self, need: int, helpers: int) -> bool:
        """Whether all of `need` can be divided into groups of the target, with any of `helpers`."""
        if need == 0:
            return True
        key = (need, helpers)
        answer = self._answers.get(key)
        if answer is None:
            self.nodes += 1
            answer = self._remainder(need, helpers) and self._lead(need, helpers)
            self._answers[key] = answer
        return answer

    def _divides_rest(self, need: int, helpers: int) -> bool:
        """As `divides`, after a group without helpers: the remainder is as it was."""
        if need == 0:
            return True
        key = (need, helpers)
        answer = self._answers.get(key)
        if answer is None:
            self.nodes += 1
            answer = self._lead(need, helpers)
            self._answers[key] = answer
        return answer

    def _remainder(self, need: int, helpers: int) -> bool:
        """Whether some sum of all of `need` and some of `helpers` is a multiple of the target."""
        target = self.target
        full = (1 << target) - 1
        reached = 1
        for kind, values in enumerate(self.kinds):
            count = (need >> (_BITS * kind)) & _COUNT
            if len(values) == 1:
                reached = _turn(reached, values[0] * count % target, target)
            else:
                for _ in range(count):
                    spread = 0
                    for value in values:
                        spread |= _turn(reached, value % target, target)
                    reached = spread
            for _ in range(min((helpers >> (_BITS * kind)) & _COUNT, target)):
                spread = reached
                for value in values:
                    spread |= _turn(reached, value % target, target)
                if spread == reached:
                    break
                reached = spread
            if reached == full:
                return True
        return bool(reached & 1)

    def _lead(self, need: int, helpers: int) -> bool:
        """Form the group of the first kind that is needed: the largest number left."""
        kind = 0
        while not (need >> (_BITS * kind)) & _COUNT:
            kind += 1
        rest = need - (1 << (_BITS * kind))
        for value in reversed(self.kinds[kind]):
            if self._fill(self.target - value, kind, rest, helpers):
                return True
        return False

    def _fill(self, rest: int, place: int, need: int, helpers: int) -> bool:
        """Fill a group up by `rest`: needed kinds from `place` on, then the helpers."""
        if rest == 0:
            return self._divides_rest(need, helpers)
        kinds = len(self.kinds)
        for at in range(place, 2 * kinds):
            kind = at if at < kinds else at - kinds
            shift = _BITS * kind
            if not ((need if at < kinds else helpers) >> shift) & _COUNT:
                continue
            one = 1 << shift
            for value in reversed(self.kinds[kind]):
                if value > rest:
                    continue
                if at < kinds:
                    if self._fill(rest - value, at, need - one, helpers):
                        return True
                elif self._help(rest - value, at, need, helpers - one):
                    return True
        return False

    def _help(self, rest: int, place: int, need: int, helpers: int) -> bool:
        """`_fill` by helpers alone, which change the remainder."""
        if rest == 0:
            return self.divides(need, helpers)
        kinds = len(self.kinds)
        for kind in range(place - kinds, kinds):
            shift = _BITS * kind
            if not (helpers >> shift) & _COUNT:
                continue
            for value in reversed(self.kinds[kind]):
                if value <= rest and self._help(
                    rest - value, kind + kinds, need, helpers - (1 << shift)
                ):
                    return True
        return False

    def walk(self, units: Sequence[int], alone: Sequence[bool]) -> Iterator[int]:
        """Every non-empty set of items that can be captured, as bit masks, item 0 the highest bit.

        `units`: each item's packed count (`unit`), 0 if it can be in no sum. `alone`: it may be a
        group by itself. Order: "take" before "leave", item by item, so a set comes before all its
        subsets. The walk is lazy, and a branch is entered only if it leads to a set.
        """
        count = len(units)
        undecided = [0] * (count + 1)
        for at in range(count - 1, -1, -1):
            undecided[at] = undecided[at + 1] + units[at]
        stack = [(0, 0, 0, 0)]
        while stack:
            at, mask, need, helpers = stack.pop()
            if not self.divides(need, helpers + undecided[at]):
                continue
            if at == count:
                if mask:
                    yield mask
                continue
            stack.append((at + 1, mask, need, helpers))
            taken = mask | 1 << (count - 1 - at)
            if alone[at]:
                stack.append((at + 1, taken, need, helpers + units[at]))
            elif units[at]:
                stack.append((at + 1, taken, need + units[at], helpers))


class Target(NamedTuple):
    """One value that a played card can have, and what each item of the table is for it.

    `units` and `alone` go by item, as in `Sums.walk`; an item without either cannot be taken.
    """

    search: Sums
    units: list[int]
    alone: list[bool]

    def packed(self, mask: int) -> tuple[int, int]:
        """What a set of items needs and what it has to help; need -1: one cannot be taken."""
        need = 0
        helpers = 0
        bit = 1 << len(self.units)
        for unit, alone in zip(self.units, self.alone, strict=True):
            bit >>= 1
            if not mask & bit:
                continue
            if alone:
                helpers += unit
            elif unit:
                need += unit
            else:
                return -1, 0
        return need, helpers


def walk_targets(targets: Sequence[Target], after: Sequence[int]) -> Iterator[int]:
    """`Sums.walk` for a card of several values and a table with equal items.

    Every set that one of the `targets` allows comes once (ZWI-13, ZWI-50). `after`: by item, the
    place of the next item that differs from it; equal items lie side by side and the earlier are
    taken first, so whoever leaves one leaves those behind it too (ZWI-48, ZWI-49).
    """
    count = len(after)
    undecided = [_undecided(target.units) for target in targets]
    stack = [(0, 0, 0, 0, 0)]
    while stack:
        at, mask, which, need, helpers = stack.pop()
        while need < 0 or not targets[which].search.divides(need, helpers + undecided[which][at]):
            # no completion has this value, so none further down this branch has it either
            which += 1
            if which == len(targets):
                break
            need, helpers = targets[which].packed(mask)
        if which == len(targets):
            continue
        if at == count:
            if mask:
                yield mask
            continue
        stack.append((after[at], mask, which, need, helpers))
        taken = mask | 1 << (count - 1 - at)
        unit = targets[which].units[at]
        if targets[which].alone[at]:
            stack.append((at + 1, taken, which, need, helpers + unit))
        else:
            stack.append((at + 1, taken, which, need + unit if unit else -1, helpers))


def _undecided(units: Sequence[int]) -> list[int]:
    """The units of all items from each place on."""
    rest = [0] * (len(units) + 1)
    for at in range(len(units) - 1, -1, -1):
        rest[at] = rest[at + 1] + units[at]
    return rest


def _turn(bits: int, by: int, size: int) -> int:
    """Rotate a set of remainders modulo `size`."""
    return ((bits << by) | (bits >> (size - by))) & ((1 << size) - 1)
