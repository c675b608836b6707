from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sums import Sums, SumTarget, unions, walk_targets

VALUES = st.sampled_from([(1,), (2,), (3,), (4,), (5,), (6,), (9,), (1, 11), (2, 12), (7, 2)])


def divides_by_brute_force(target: Any, needed: Any, helpers: Any) -> Any:
    """Whether all of `needed` and some of `helpers` divide into groups, by brute force."""

    def divide(items: Any) -> Any:
        if not items:
            return True
        head, tail = items[0], items[1:]
        for pick in product((0, 1), repeat=len(tail)):
            group = [head, *(item for item, is_taken in zip(tail, pick, strict=True) if is_taken)]
            if sum(group) == target and divide(
                [item for item, is_taken in zip(tail, pick, strict=True) if not is_taken]
            ):
                return True
        return False

    for pick in product((0, 1), repeat=len(helpers)):
        items_used = needed + [vals for vals, taken in zip(helpers, pick, strict=True) if taken]
        if any(divide(list(values)) for values in product(*items_used)):
            return True
    return False


def packed(search: Any, items: Any) -> Any:
    return sum(search.unit(values) for values in items)


@settings(max_examples=150, deadline=None)
@given(
    target=st.integers(2, 14),
    needed=st.lists(VALUES, max_size=5),
    helpers=st.lists(VALUES, max_size=3),
)
def test_the_search_agrees_with_brute_force(target: Any, needed: Any, helpers: Any) -> None:
    search = Sums(target, needed + helpers)
    if all(search.unit(values) for values in needed):
        divides = search.divides(packed(search, needed), packed(search, helpers))
        assert divides == divides_by_brute_force(target, needed, helpers)
    else:
        assert not divides_by_brute_force(target, needed, [])


def test_impossible_items_have_no_unit() -> None:
    search = Sums(10, [(4,), (11,), (1, 14), ()])
    assert search.kinds == [(1,), (4,)]
    assert search.unit((11,)) == search.unit(()) == 0
    assert search.unit((1, 14)) == search.unit((1,)) > 0


@settings(max_examples=100, deadline=None)
@given(
    target=st.integers(2, 14),
    needed=st.lists(VALUES, max_size=4),
    helpers=st.lists(VALUES, max_size=4),
)
def test_needed_items_and_used_helpers_divide(target: Any, needed: Any, helpers: Any) -> None:
    """The used helpers and all needed items divide without other items."""
    search = Sums(target, needed + helpers)
    if not all(search.unit(values) for values in needed):
        return
    need, helpers_packed = packed(search, needed), packed(search, helpers)
    spare = search.spare(need, helpers_packed)
    assert (spare >= 0) == divides_by_brute_force(target, needed, helpers)
    if spare >= 0:
        assert search.within(spare, helpers_packed)
        assert Sums(target, needed + helpers).divides(need + helpers_packed - spare, 0)


def test_sets_are_compared_kind_by_kind() -> None:
    search = Sums(14, [(3,), (5,), (1, 11)])
    three, five, ace = search.unit((3,)), search.unit((5,)), search.unit((1, 11))
    assert search.within(0, 0)
    assert search.within(2 * three + ace, 2 * three + 40 * five + ace)
    assert not search.within(3 * three, 2 * three + 9 * five)  # less in sum, more threes
    assert not search.within(ace, 100 * three + 20 * five)
    assert not search.within(five, three)


def test_the_walk_takes_before_it_leaves_and_lists_every_set_once() -> None:
    values = [(1,), (2,), (3,), (4,), (5,), (5,)]
    search = Sums(5, values)
    units = [search.unit(vals) for vals in values]
    alone = [vals == (5,) for vals in values]
    masks = list(search.walk(units, alone))
    assert masks == sorted(set(masks), reverse=True)
    expected = [
        mask
        for mask in range(1, 64)
        if divides_by_brute_force(
            5,
            [values[index] for index in range(6) if mask >> (5 - index) & 1 and not alone[index]],
            [],
        )
    ]
    assert sorted(masks) == expected


def marked(target: int, items: Any) -> SumTarget:
    """Items for a target: items of its value are alone; in sums only lower values count."""
    smaller = [tuple(v for v in values if v < target) for values in items]
    search = Sums(target, smaller)
    return SumTarget(search, [*map(search.unit, smaller)], [target in values for values in items])


def allowed(target: int, items: Any) -> bool:
    """Whether all of `items` can be taken, by brute force."""
    smaller = [tuple(v for v in values if v < target) for values in items]
    alone = [target in values for values in items]
    if not all(map(any, zip(smaller, alone, strict=True))):
        return False
    needed = [vals for vals, single in zip(smaller, alone, strict=True) if not single]
    helpers = [vals for vals, single in zip(smaller, alone, strict=True) if single and vals]
    return bool(divides_by_brute_force(target, needed, helpers))


@settings(max_examples=150, deadline=None)
@given(
    targets=st.lists(st.integers(2, 13), min_size=1, max_size=3, unique=True),
    items=st.lists(VALUES, max_size=6).map(sorted),
)
def test_a_walk_of_several_targets_agrees_with_brute_force(targets: Any, items: Any) -> None:
    """Of equal items the first are taken; a set is listed once, for any number of targets."""
    count = len(items)
    next_different = [
        next((n for n in range(at, count) if items[n] != items[at]), count) for at in range(count)
    ]
    expected = []
    for mask in range((1 << count) - 1, 0, -1):
        taken = [at for at in range(count) if mask >> (count - 1 - at) & 1]
        first = all(at - 1 in taken for at in taken if at and items[at - 1] == items[at])
        if first and any(allowed(target, [items[at] for at in taken]) for target in targets):
            expected.append(mask)
    walked = walk_targets([marked(target, items) for target in targets], next_different)
    assert list(walked) == expected


@settings(max_examples=60, deadline=None)
@given(target=st.integers(2, 13), items=st.lists(VALUES, max_size=6), mask=st.integers(0, 63))
def test_what_a_set_needs_and_has_to_help(target: Any, items: Any, mask: Any) -> None:
    marks = marked(target, items)
    mask &= (1 << len(items)) - 1
    taken = [at for at in range(len(items)) if mask >> (len(items) - 1 - at) & 1]
    need, helpers = marks.packed(mask)
    if need < 0:
        assert any(not marks.units[at] and not marks.alone[at] for at in taken)
    else:
        assert need == sum(marks.units[at] for at in taken if not marks.alone[at])
        assert helpers == sum(marks.units[at] for at in taken if marks.alone[at])


def test_the_work_for_a_full_table_is_limited() -> None:
    """CAS-47: 512 captures of 40 loose cards without enumerating billions; states are counted."""
    rng = Random(7)
    worst = 0
    for target in (5, 8, 10, 13, 14):
        for _ in range(6):
            values = [(card % 13 + 1,) for card in rng.sample(range(52), 40)]
            search = Sums(target, values)
            units = [search.unit(vals) if vals[0] < target else 0 for vals in values]
            alone = [vals[0] == target for vals in values]
            for number, _ in enumerate(search.walk(units, alone)):
                if number == 512:
                    break
            worst = max(worst, search.nodes)
    assert worst < 40_000


def test_the_work_for_one_set_of_forty_is_limited() -> None:
    rng = Random(8)
    for target in (7, 10, 13):
        for size in (12, 25, 38):
            values = [(rng.randrange(1, target),) for _ in range(size)]
            search = Sums(target, values)
            search.divides(packed(search, values), 0)
            assert search.nodes < 5_000


def parse_items(text: str) -> Any:
    """Items written as "3×4; 2×2/12": three fours, two that are 2 or 12."""
    items = []
    for part in text.split("; "):
        number, values = part.split("×")
        items += [tuple(map(int, values.split("/")))] * int(number)
    return items


# the worst from random tables and hill climbing: needed, helpers, answer, allowed states
HARD = [
    (
        "4×10; 1×9; 3×8; 3×7; 4×6; 4×5; 4×4; 4×3; 2×2; 4×2/12; 3×1/11",
        *("3×3", 13, False, 100),
    ),
    (
        "2×10; 3×9; 4×8; 3×7; 3×6; 4×5; 4×4; 4×3; 4×2; 4×2/12; 4×1/11",
        *("1×4; 2×3", 13, False, 20),
    ),
    (
        "2×10; 3×9; 3×8; 2×7; 3×6; 2×5; 7×4; 2×3; 3×2; 4×2/12; 2×1/11",
        *("1×8; 1×6; 1×4; 1×3; 1×2", 13, False, 4_000),
    ),
    (
        "3×10; 2×9; 4×8; 2×7; 4×6; 2×5; 7×4; 3×3; 4×2; 4×2/12; 1×1/11",
        *("1×10; 1×7; 1×4; 3×3; 2×1/11", 13, False, 10_000),
    ),
    (
        "3×10; 2×9; 2×8; 2×7; 4×6; 2×5; 2×4; 2×3; 3×2; 2×4/14; 3×3/13; 1×2/12; 1×1/11",
        *("2×4/14", 15, True, 2_000),
    ),
    (
        "1×20; 2×16; 3×10; 1×9; 4×8; 1×7; 2×6; 2×5; 3×4; 2×2; 1×3/13; 2×2/12; 2×1/11",
        *("3×4/14", 25, False, 6_000),
    ),
]


@pytest.mark.parametrize(("needed", "helpers", "target", "answer", "max_states"), HARD)
def test_the_work_for_the_hardest_sets_is_limited(
    needed: Any, helpers: Any, target: Any, answer: Any, max_states: Any
) -> None:
    """ZWI-50: cards of two values; trying values last took 20,000 states."""
    search = Sums(target, parse_items(needed) + parse_items(helpers))
    need, helpers_packed = packed(search, parse_items(needed)), packed(search, parse_items(helpers))
    assert search.divides(need, helpers_packed) == answer
    assert search.nodes < max_states
    if not answer:  # a refuted set is not searched again with fewer helpers
        nodes = search.nodes
        assert not search.divides(need, helpers_packed - search.unit(parse_items(helpers)[-1]))
        assert search.nodes <= nodes + 4


def test_all_unions_of_disjoint_sets_are_made_if_they_are_few() -> None:
    assert unions([]) == []
    assert unions([0b110]) == [0b110]
    assert unions([0b010, 0b101]) == [0b111, 0b101, 0b010]
    assert unions([0b011, 0b110]) == [0b110, 0b011]
    assert unions([0b110, 0b011, 0b001]) == [0b111, 0b110, 0b011, 0b001]
    assert unions([1 << at for at in range(9)]) == [*range(511, 0, -1)]
    assert unions([1 << at for at in range(10)]) is None
