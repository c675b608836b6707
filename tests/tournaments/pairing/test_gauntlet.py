"""Gauntlets: the first seeds against all others."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, play_out
from tournaments.pairing import Round, State, count_valid_rounds
from tournaments.pairing.gauntlet import SYSTEM, tables_per_challenger


def rounds_of(
    entrants: int, sides: int = 2, seed: str = "s", *, challengers: int = 1, meetings: int = 1
) -> tuple[Round, ...]:
    """The rounds of a gauntlet."""
    settings = {"challengers": challengers, "meetings": meetings}
    return SYSTEM.pair(State(entrants, sides, seed, settings=settings)).rounds


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 17), st.integers(1, 3))
def test_challengers_meet_all_others_equally_often(
    sides: int, challengers: int, extra: int, meetings: int
) -> None:
    entrants = challengers + sides - 1 + extra
    rounds = rounds_of(entrants, sides, challengers=challengers, meetings=meetings)
    meetings_counted: Counter[tuple[int, int]] = Counter()
    for round_ in rounds:
        playing = [entrant for table in round_ for entrant in table]
        assert round_
        assert len(playing) == len(set(playing))
        for first, *others in round_:
            assert first < challengers <= min(others)
            assert len(others) == sides - 1
            meetings_counted.update((first, other) for other in others)
    field = entrants - challengers
    expected = meetings * tables_per_challenger(field, sides) * (sides - 1) // field
    assert expected >= meetings
    assert set(meetings_counted.values()) == {expected}
    assert len(meetings_counted) == challengers * field


def test_two_sides_need_the_fewest_possible_rounds() -> None:
    assert [len(round_) for round_ in rounds_of(9, challengers=2)] == [2] * 7
    assert [len(round_) for round_ in rounds_of(5, challengers=3)] == [2] * 3
    assert [len(round_) for round_ in rounds_of(4)] == [1] * 3


def test_a_wide_gauntlet_is_short_and_mixes_opponents() -> None:
    rounds = rounds_of(10, 4)
    assert len(rounds) == 3  # 9 others, 3 at a table
    twice = rounds_of(10, 4, meetings=2)
    assert {frozenset(t) for r in twice[:3] for t in r} != {
        frozenset(t) for r in twice[3:] for t in r
    }


def test_the_seed_decides() -> None:
    assert rounds_of(12, 3, "a", challengers=2) == rounds_of(12, 3, "a", challengers=2)
    assert rounds_of(12, 3, "a", challengers=2) != rounds_of(12, 3, "b", challengers=2)


def test_a_gauntlet_is_played_to_its_end() -> None:
    state = State(7, 3, "end", settings={"challengers": 2})
    final_state = play_out(SYSTEM, state, ByRatings([1200.0] * 7, Random(1)))
    assert (
        count_valid_rounds(SYSTEM, final_state)
        == len(final_state.rounds)
        == len(rounds_of(7, 3, "end", challengers=2))
    )


@pytest.mark.parametrize(
    ("entrants", "sides", "challengers", "text"),
    [
        (2, 2, 2, "needs 3 entrants or more"),
        (3, 4, 1, "needs 4 entrants or more"),
        (256, 2, 16, "fewer challengers or meetings"),
    ],
)
def test_invalid_gauntlets_are_refused(
    entrants: int, sides: int, challengers: int, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        rounds_of(entrants, sides, challengers=challengers, meetings=100)
