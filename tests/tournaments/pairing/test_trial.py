"""Trials: pairings, and the number of open groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, play_out
from tournaments.pairing import Meeting, State
from tournaments.pairing.trial import CANDIDATE, DIRECT, STABLE, SYSTEM


def play_rounds(entrants: int, sides: int, rounds: int) -> State:
    """Play at least a number of rounds of a trial."""
    state = State(entrants=entrants, sides=sides, seed="t")
    ratings = [1000.0] * entrants
    return play_out(SYSTEM, state, ByRatings(ratings, Random(1)), max_rounds=rounds)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(0, 6))
def test_both_versions_and_all_field_bots_play_equally_often(sides: int, extra: int) -> None:
    entrants = sides + extra
    laps = (DIRECT + 2) * max(entrants - 2, 1)
    state = play_rounds(entrants, sides, laps)
    pairings = [meeting.entrants for (meeting,) in state.rounds[:laps]]
    assert all(len(set(pairing)) == sides for pairing in pairings)
    seated = Counter(entrant for pairing in pairings for entrant in pairing)
    assert seated[CANDIDATE] == seated[STABLE]
    assert len({seated[other] for other in range(2, entrants)}) <= 1
    if sides > 2:
        assert all({CANDIDATE, STABLE} <= set(pairing) for pairing in pairings)


def test_two_versions_mostly_meet_each_other_or_the_same_opponent() -> None:
    pairings = [set(meeting.entrants) for (meeting,) in play_rounds(4, 2, 12).rounds[:12]]
    one = [{0, 1}] * DIRECT
    assert pairings == [*one, {0, 2}, {1, 2}, *one, {0, 3}, {1, 3}]
    firsts = [meeting.entrants[0] for (meeting,) in play_rounds(2, 2, 40).rounds]
    assert 5 < sum(firsts) < 35  # both get the first side


def test_the_number_of_open_groups_is_limited() -> None:
    state = State(entrants=3, sides=2, seed="t", settings={"ahead": 3})
    step = SYSTEM.pair(state)
    assert [len(round_) for round_ in step.rounds] == [1, 1, 1]
    meetings = tuple((Meeting(round_[0], open=True),) for round_ in step.rounds)
    state = replace(state, rounds=meetings)
    assert SYSTEM.pair(state).rounds == ()
    finished = replace(
        meetings[1][0], points=(1.0, 0.0), differences=(2.0, -2.0), groups=1, open=False
    )
    state = replace(state, rounds=(meetings[0], (finished,), meetings[2]))
    following = SYSTEM.pair(state).rounds
    assert len(following) == 1
    # Later pairings do not depend on results.
    assert following == SYSTEM.pair(replace(state, settings={"ahead": 4})).rounds[:1]


def test_too_few_for_the_table_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 4 entrants; there are 3"):
        SYSTEM.pair(State(entrants=3, sides=4, seed="t"))
