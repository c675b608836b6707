"""Common parts of knock-outs: filling boxes, extra groups, forbidden pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.pairing import Meeting, PairingStep, State
from tournaments.pairing.brackets import (
    Box,
    From,
    columns,
    fill_boxes,
    next_step,
    places,
    seat_apart,
)

BOXES = [
    Box("Semifinal 1", 1, (0, 3), worth=1),
    Box("Semifinal 2", 1, (1, 2), worth=1),
    Box("Final", 2, (From(0, 0), From(1, 0)), worth=3),
    Box("Third place", 2, (From(0, 1), From(1, 1)), worth=2),
]
FIRST = (Meeting((0, 3), (2.0, 0.0), (5.0, -5.0), 2), Meeting((1, 2), (0.5, 1.5), (-3.0, 3.0), 2))


def state(*rounds: tuple[Meeting, ...], **given_settings: int) -> State:
    return State(4, 2, "s", rounds, given_settings, groups=2)


def columns_of(groups: int, difference: float = 0.0) -> Meeting:
    return Meeting((1, 2), (groups / 2, groups / 2), (difference, -difference), groups)


def test_winners_and_losers_move_to_their_boxes() -> None:
    assert next_step(state(), BOXES) == PairingStep((((0, 3), (1, 2)),))
    assert next_step(state(FIRST), BOXES) == PairingStep((((0, 2), (3, 1)),))
    second_round = (
        Meeting((0, 2), (1.0, 1.0), (1.0, -1.0), 6),
        Meeting((3, 1), (2.0, 0.0), (1.0, -1), 2),
    )
    assert next_step(state(FIRST, second_round), BOXES) == PairingStep()
    assert places(state(FIRST, second_round), BOXES) == [(0,), (2,), (3,), (1,)]


def test_extra_groups_are_requested_until_a_pairing_is_decided() -> None:
    for groups in (0, 2, 3, 5):
        assert next_step(state((FIRST[0], columns_of(groups))), BOXES) == PairingStep(more=(1,))
    # After four extra groups the score difference decides, then the seed.
    assert next_step(state((FIRST[0], columns_of(6, -1.0))), BOXES).rounds == (((0, 2), (3, 1)),)
    assert next_step(state((FIRST[0], columns_of(6))), BOXES).rounds == (((0, 1), (3, 2)),)
    assert next_step(state((FIRST[0], columns_of(2)), extra=0), BOXES).rounds == (((0, 1), (3, 2)),)


def test_one_counted_deal_group_suffices() -> None:
    one = Meeting((1, 2), (0.0, 1.0), (-3.0, 3.0), 1)
    assert next_step(state((FIRST[0], one)), BOXES) == PairingStep((((0, 2), (3, 1)),))


def test_an_unfinished_pairing_shows_no_winner() -> None:
    leading = replace(FIRST[0], open=True)
    live = state((leading, FIRST[1]))
    assert places(live, BOXES) == [(0, 2, 3), (1,)]
    (first, last) = columns(live, BOXES)
    assert (first[0].winner, first[0].meeting, first[1].winner) == (None, leading, 2)
    assert [node.entrants for node in last] == [(None, 2), (None, 1)]
    assert next_step(live, BOXES) == PairingStep((((0, 2), (3, 1)),))


def test_places_in_an_unfinished_bracket() -> None:
    assert places(state(), BOXES) == [(0, 1, 2, 3)]
    assert places(state(FIRST), BOXES) == [(0, 2), (1, 3)]
    second_round = (Meeting((0, 2)), Meeting((3, 1), (2.0, 0.0), (1.0, -1.0), 2))
    assert places(state(FIRST, second_round), BOXES) == [(0, 2), (3,), (1,)]


def test_an_unexpected_entrant_fills_no_box() -> None:
    first_round = (Meeting((-1, 3), (2.0, 0.0), (1.0, -1.0), 2), FIRST[1])
    filled = fill_boxes(state(first_round), BOXES)
    assert filled[0].meeting is None
    assert filled[0].ranking is None


pairs = st.frozensets(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda p: p[0] < p[1]), max_size=20
)


@given(pairs)
@settings(max_examples=50, deadline=None)
def test_as_few_forbidden_pairs_as_possible_meet(apart: frozenset[tuple[int, int]]) -> None:
    rows = [list(range(6)), list(range(6, 12))]
    tables = seat_apart(rows, apart)
    assert [table[0] for table in tables] == rows[0]
    assert sorted(table[1] for table in tables) == rows[1]
    violations = sum(tuple(table) in apart for table in tables)
    assert violations == 6 - _most(rows, apart)
    if all(pair not in apart for pair in zip(*rows, strict=True)):
        assert [tuple(table) for table in tables] == list(zip(*rows, strict=True))


def _most(rows: list[list[int]], apart: frozenset[tuple[int, int]]) -> int:
    """The largest number of allowed tables, by trying subsets of the second row (2^6)."""
    best = {0: 0}
    for a in rows[0]:
        following = dict(best)
        for (used, count), (bit, b) in product(best.items(), enumerate(rows[1])):
            if (a, b) not in apart and not used >> bit & 1:
                key = used | 1 << bit
                following[key] = max(following.get(key, 0), count + 1)
        best = following
    return max(best.values())
