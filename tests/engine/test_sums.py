from itertools import product
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sums import Sums

VALUES = st.sampled_from([(1,), (2,), (3,), (4,), (5,), (6,), (9,), (1, 11), (2, 12), (7, 2)])


def brute(target: Any, needed: Any, helpers: Any) -> Any:
    """Whether all of `needed` and some of `helpers` divide into groups, by trying everything."""

    def divide(items: Any) -> Any:
        if not items:
            return True
        first, rest = items[0], items[1:]
        for pick in product((0, 1), repeat=len(rest)):
            group = [first, *(item for item, taken in zip(rest, pick, strict=True) if taken)]
            if sum(group) == target and divide(
                [item for item, taken in zip(rest, pick, strict=True) if not taken]
            ):
                return True
        return False

    for pick in product((0, 1), repeat=len(helpers)):
        used = needed + [vals for vals, taken in zip(helpers, pick, strict=True) if taken]
        if any(divide(list(values)) for values in product(*used)):
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
def test_the_search_agrees_with_trying_everything(target: Any, needed: Any, helpers: Any) -> None:
    search = Sums(target, needed + helpers)
    if all(search.unit(values) for values in needed):
        found = search.divides(packed(search, needed), packed(search, helpers))
        assert found == brute(target, needed, helpers)
    else:
        assert not brute(target, needed, [])


def test_no_unit_for_what_cannot_be_in_a_group() -> None:
    search = Sums(10, [(4,), (11,), (1, 14), ()])
    assert search.kinds == [(1,), (4,)]
    assert search.unit((11,)) == search.unit(()) == 0
    assert search.unit((1, 14)) == search.unit((1,)) > 0


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
        if brute(
            5,
            [values[at] for at in range(6) if mask >> (5 - at) & 1 and not alone[at]],
            [],
        )
    ]
    assert sorted(masks) == expected


def test_the_work_for_a_full_table_is_bounded() -> None:
    """CAS-47: 512 captures of 40 loose cards without enumerating billions; counted, not clocked."""
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


def test_the_work_for_one_set_of_forty_is_bounded() -> None:
    rng = Random(8)
    for target in (7, 10, 13):
        for size in (12, 25, 38):
            values = [(rng.randrange(1, target),) for _ in range(size)]
            search = Sums(target, values)
            search.divides(packed(search, values), 0)
            assert search.nodes < 5_000
