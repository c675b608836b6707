"""Knock-outs: all but the winner lose once, and the best seeds meet last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, SimulatedGroup, play_out
from tournaments.deal_groups import match_points
from tournaments.pairing import BracketNode, Pairing, Places, State, count_valid_rounds
from tournaments.pairing.knockout import SYSTEM, first_round


def places(state: State) -> Places:
    assert SYSTEM.places is not None
    return SYSTEM.places(state)


def bracket(state: State) -> list[list[BracketNode]]:
    assert SYSTEM.bracket is not None
    return SYSTEM.bracket(state)


def new_state(entrants: int, sides: int = 2, **given_settings: int) -> State:
    return State(entrants, sides, "s", settings=given_settings, groups=2)


def play(state: State, seed: int) -> State:
    rng = Random(seed)
    ratings = [rng.gauss(1000, 100) for _ in range(state.entrants)]
    return play_out(SYSTEM, state, ByRatings(ratings, rng))


def play_by_seed(state: State) -> State:
    """Play a bracket in which the better seed always wins."""

    def better(sides: Sequence[Pairing]) -> SimulatedGroup:
        points = match_points([1 + sum(other < side for other in sides) for side in sides])
        return SimulatedGroup(points, points)

    return play_out(SYSTEM, state, better)


def meetings(state: State) -> list[list[Pairing]]:
    return [[meeting.entrants for meeting in round_] for round_ in state.rounds]


@given(st.integers(2, 40), st.integers(0, 1), st.integers(0, 5), st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_all_but_the_winner_lose_once(n: int, third_place: int, extra: int, seed: int) -> None:
    state = play(new_state(n, third=third_place, extra=extra), seed)
    assert count_valid_rounds(SYSTEM, state) == len(state.rounds) == (n - 1).bit_length()
    extra_match = int(third_place and n > 3)
    assert sum(map(len, state.rounds)) == n - 1 + extra_match
    for round_ in meetings(state):
        seated = [entrant for pairing in round_ for entrant in pairing]
        assert len(seated) == len(set(seated))
    assert all(m.groups <= 2 + extra for round_ in state.rounds for m in round_)
    nodes = [node for column in bracket(state) for node in column if node.meeting]
    losses = Counter(e for node in nodes for e in node.entrants if e != node.winner)
    ((winner,), *others) = places(state)
    assert losses[winner] == 0
    beaten_twice = {e for e, count in losses.items() if count == 2}
    assert all(losses[e] for level in others for e in level)
    assert len(beaten_twice) <= extra_match  # the fourth
    assert sorted(e for level in others for e in level) == sorted(set(range(n)) - {winner})


@pytest.mark.parametrize("n", range(2, 34))
def test_places_follow_the_rounds(n: int) -> None:
    state = play_by_seed(new_state(n))
    sizes = [len(level) for level in places(state)]
    expected = [1, *(2**i for i in range((n - 1).bit_length()))]
    expected[-1] = n - sum(expected[:-1])
    assert sizes == expected
    assert [e for level in places(state) for e in level] == list(range(n))


@pytest.mark.parametrize("n", range(2, 34))
def test_only_the_best_seeds_have_byes_in_the_first_round(n: int) -> None:
    state = play_by_seed(new_state(n))
    size = 2 ** (n - 1).bit_length()
    paired = {e for pairing in meetings(state)[0] for e in pairing}
    assert paired == set(range(size - n, n))
    for remaining, round_ in enumerate(meetings(state)[::-1], 1):
        if remaining < len(state.rounds):
            assert len(round_) == 2 ** (remaining - 1)
            # The best remaining seed meets the worst remaining seed.
            assert all(a + b == 2**remaining - 1 for a, b in round_)
    assert set(meetings(state)[-1][0]) == {0, 1}


def test_the_bracket_has_the_standard_order() -> None:
    assert first_round(new_state(8)) == [(0, 7), (4, 3), (2, 5), (6, 1)]
    assert first_round(new_state(6)) == [(0, None), (4, 3), (2, 5), (None, 1)]
    columns = bracket(new_state(6, third=1))
    names = [[node.name for node in column] for column in columns]
    assert names == [
        [f"Quarterfinal {i}" for i in range(1, 5)],
        ["Semifinal 1", "Semifinal 2"],
        ["Final", "Third place"],
    ]
    assert [node.entrants for node in columns[0]] == [(0,), (4, 3), (2, 5), (1,)]
    assert [node.winner for node in columns[0]] == [0, None, None, 1]
    assert [node.bye for node in columns[0]] == [True, False, False, True]
    assert [node.entrants for node in columns[1]] == [(0, None), (None, 1)]
    assert columns[2][1].entrants == (None, None)


def test_third_place_is_played_in_the_round_of_the_final() -> None:
    state = play_by_seed(new_state(8, third=1))
    assert [set(pairing) for pairing in meetings(state)[-1]] == [{0, 1}, {2, 3}]
    assert places(state) == [(0,), (1,), (2,), (3,), (4, 5, 6, 7)]
    assert places(play_by_seed(new_state(3, third=1))) == [(0,), (1,), (2,)]


def test_forbidden_pairs_are_avoided_in_the_first_round() -> None:
    apart = frozenset({(0, 7), (3, 4), (1, 2)})
    state = State(8, 2, "s", apart=apart)
    (round_,) = SYSTEM.pair(state).rounds
    assert {tuple(sorted(pairing)) for pairing in round_}.isdisjoint(apart)
    assert [min(pairing) for pairing in round_] == [0, 3, 2, 1]  # the upper half is unchanged
    all_pairs = frozenset((i, j) for i in range(8) for j in range(i + 1, 8))
    assert len(SYSTEM.pair(State(8, 2, "s", apart=all_pairs)).rounds[0]) == 4  # it is unavoidable


@given(st.integers(3, 8), st.integers(0, 40), st.integers(0, 7), st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_heats_lead_to_a_full_final(sides: int, extra: int, through: int, seed: int) -> None:
    n = sides + extra
    state = play(new_state(n, sides, through=through), seed)
    assert count_valid_rounds(SYSTEM, state) == len(state.rounds)
    remaining = set(range(n))
    for number, round_ in enumerate(meetings(state)):
        seated = [e for pairing in round_ for e in pairing]
        assert all(len(pairing) == sides for pairing in round_)
        assert len(seated) == len(set(seated))
        assert set(seated) <= remaining
        if number:
            assert set(seated) == remaining, "no byes in later rounds"
        else:
            assert set(seated) == set(range(n - len(seated), n)), "the best seeds have byes"
        advancing = [e for node in bracket(state)[number] for e in node.through]
        remaining = remaining - set(seated) | set(advancing)
    assert len(state.rounds[-1]) == 1
    groups_of_places = places(state)
    assert len(groups_of_places[0]) == 1
    assert sorted(e for level in groups_of_places for e in level) == list(range(n))
    assert [len(level) for level in groups_of_places[:sides]] == [1] * sides


def test_the_best_seeds_of_heats_meet_in_the_final() -> None:
    state = play_by_seed(new_state(16, 4))
    assert meetings(state)[0] == [(0, 7, 8, 15), (1, 6, 9, 14), (2, 5, 10, 13), (3, 4, 11, 12)]
    assert [set(pairing) for pairing in meetings(state)[1]] == [{0, 3, 4, 7}, {1, 2, 5, 6}]
    assert set(meetings(state)[2][0]) == {0, 1, 2, 3}
    assert places(state)[:5] == [(0,), (1,), (2,), (3,), (4, 5)]


def test_forbidden_pairs_are_avoided_in_heats() -> None:
    apart = frozenset({(0, 5), (2, 3), (0, 8)})
    (round_,) = SYSTEM.pair(State(9, 3, "s", apart=apart)).rounds
    for table in round_:
        assert not any((min(p, q), max(p, q)) in apart for p in table for q in table if p != q)


def test_invalid_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 3 entrants or more; there are 2"):
        SYSTEM.pair(new_state(2, 3))
    with pytest.raises(ValueError, match="needs 2 entrants or more; there is 1"):
        SYSTEM.pair(new_state(1))
    with pytest.raises(ValueError, match="takes at most 1024 entrants"):
        SYSTEM.pair(new_state(1025))
