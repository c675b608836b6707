"""Double knock-outs: all but the winner lose twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, SimulatedGroup, play_out
from tournaments.pairing import BracketNode, Pairing, Places, State, count_valid_rounds
from tournaments.pairing.double_knockout import SYSTEM


def places(state: State) -> Places:
    assert SYSTEM.places is not None
    return SYSTEM.places(state)


def bracket(state: State) -> list[list[BracketNode]]:
    assert SYSTEM.bracket is not None
    return SYSTEM.bracket(state)


def play(entrants: int, seed: int, **given_settings: int) -> State:
    rng = Random(seed)
    ratings = [rng.gauss(1000, 150) for _ in range(entrants)]
    state = State(entrants, 2, "s", settings=given_settings, groups=1)
    return play_out(SYSTEM, state, ByRatings(ratings, rng))


@given(st.integers(2, 40), st.integers(0, 1), st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_all_but_the_winner_lose_twice(n: int, reset: int, seed: int) -> None:
    state = play(n, seed, reset=reset)
    assert count_valid_rounds(SYSTEM, state) == len(state.rounds)
    for round_ in state.rounds:
        seated = [e for meeting in round_ for e in meeting.entrants]
        assert len(seated) == len(set(seated))
    nodes = [node for column in bracket(state) for node in column if node.meeting]
    assert len(nodes) == sum(map(len, state.rounds))
    losses = Counter(e for node in nodes for e in node.entrants if e != node.winner)
    groups_of_places = places(state)
    (winner,), (second,) = groups_of_places[:2]
    assert all(losses[e] == 2 for e in range(n) if e not in {winner, second})
    if reset:
        assert losses[second] == 2
        assert losses[winner] <= 1
        assert len(nodes) == 2 * n - 2 + losses[winner]
    else:
        assert losses[winner] + losses[second] in {2, 3}
        assert len(nodes) == 2 * n - 2
    assert sorted(e for level in groups_of_places for e in level) == list(range(n))
    # A later second loss ranks above an earlier one.
    last_round = {e: i for i, round_ in enumerate(state.rounds) for m in round_ for e in m.entrants}
    order = [last_round[level[0]] for level in groups_of_places[1:]]
    assert order == sorted(order, reverse=True)
    assert all(last_round[e] == last_round[level[0]] for level in groups_of_places for e in level)


def test_the_bracket_of_eight() -> None:
    state = State(8, 2, "s")
    columns = bracket(state)
    names = [[node.name for node in column] for column in columns]
    assert [len(column) for column in columns] == [4, 4, 3, 1, 1, 1, 1]
    assert names[2] == ["Winners 3.1", "Losers 2.1", "Losers 2.2"]
    assert names[4:] == [["Losers 4.1"], ["Grand final"], ["Grand final again"]]
    assert {node.part for column in columns for node in column} == {"Winners", "Losers", "Final"}


def play_by_seed(entrants: int) -> State:
    """Play a bracket in which the better seed always wins."""

    def better(sides: Sequence[Pairing]) -> SimulatedGroup:
        points = (1.0, 0.0) if sides[0] < sides[1] else (0.0, 1.0)
        return SimulatedGroup(points, points)

    return play_out(SYSTEM, State(entrants, 2, "s"), better)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 16])
def test_the_second_seed_wins_the_losers_bracket(n: int) -> None:
    state = play_by_seed(n)
    (final,) = state.rounds[-1]
    assert set(final.entrants) == {0, 1}
    assert places(state)[:2] == [(0,), (1,)]
    assert bracket(state)[-1][0].name == "Grand final"  # no second grand final was needed


def test_losers_do_not_meet_again_immediately() -> None:
    meetings: Counter[frozenset[int]] = Counter()
    rounds = play_by_seed(16).rounds
    for round_ in rounds[:4]:
        meetings.update(frozenset(meeting.entrants) for meeting in round_)
    assert set(meetings.values()) == {1}


def test_a_double_knock_out_needs_two_sides() -> None:
    assert not SYSTEM.wide_tables
