"""Ladders pair the most informative meetings, newcomers first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, play_out
from tournaments.pairing import Meeting, PairingStep, Round, State, count_valid_rounds
from tournaments.pairing.ladder import SYSTEM, UNSURE, information, newcomers, places
from tournaments.ratings.elo import half_width
from tournaments.ratings.fit import fit
from tournaments.ratings.result_arrays import RatedMatch


def rated_state(entrants: int, *, sides: int = 2, seed: str = "s", **fields: object) -> State:
    """A state of entrants with certain ratings in steps of 20 Elo points."""
    state = State(
        entrants,
        sides,
        seed,
        ratings=tuple(1000.0 + 20 * i for i in range(entrants)),
        errors=(40.0,) * entrants,
        played=(500,) * entrants,
    )
    return replace(state, **fields)  # type: ignore[arg-type]


def with_open_meetings(state: State, step: PairingStep) -> State:
    """The state after a step has been created, before any of it is played."""
    meetings = tuple(tuple(Meeting(pairing, open=True) for pairing in r) for r in step.rounds)
    played = list(state.played)
    for entrant in (i for r in step.rounds for pairing in r for i in pairing):
        played[entrant] += state.groups
    return replace(state, rounds=state.rounds + meetings, played=tuple(played))


def pair_until_full(state: State) -> tuple[State, list[Round]]:
    """Create rounds until no more come."""
    rounds: list[Round] = []
    for _ in range(1000):
        step = SYSTEM.pair(state)
        if not step.rounds:
            return state, rounds
        assert len(step.rounds) == 1
        rounds += step.rounds
        state = with_open_meetings(state, step)
    raise AssertionError("It never has enough.")


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([(1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2), (2, 2, 2)]),
    st.integers(0, 30),
    st.integers(1, 40),
    st.integers(1, 6),
    st.data(),
)
def test_rounds_respect_open_meetings(
    sizes: tuple[int, ...], extra: int, ahead: int, each: int, data: st.DataObject
) -> None:
    entrants = sum(sizes) + extra
    absent = data.draw(st.sets(st.integers(0, entrants - 1), max_size=extra))
    state = rated_state(
        entrants,
        sides=len(sizes),
        sizes=sizes,
        present=frozenset(range(entrants)) - absent,
        played=tuple(data.draw(st.sampled_from([0, 49, 500])) for _ in range(entrants)),
        settings={"ahead": ahead, "each": each},
    )
    assert SYSTEM.pair(state) == SYSTEM.pair(state)
    full_state, rounds = pair_until_full(state)
    assert rounds
    for round_ in rounds:
        playing = [entrant for pairing in round_ for entrant in pairing]
        assert len(playing) == len(set(playing))
        assert absent.isdisjoint(playing)
        assert {len(pairing) for pairing in round_} == {sum(sizes)}
    pairings = [pairing for round_ in rounds for pairing in round_]
    assert len(pairings) <= ahead
    assert max(Counter(i for pairing in pairings for i in pairing).values()) <= each
    assert count_valid_rounds(SYSTEM, full_state) == len(rounds)


def test_newcomers_are_paired_first_with_different_opponents() -> None:
    state = rated_state(20, played=(500,) * 19 + (0,), settings={"ahead": 6, "each": 4})
    state = replace(state, errors=(40.0,) * 19 + (UNSURE,))
    assert newcomers(state) == {19}
    full_state, rounds = pair_until_full(state)
    assert all(19 in round_[0] for round_ in rounds[:4])
    opponents = [sum(pairing) - 19 for round_ in rounds for pairing in round_ if 19 in pairing]
    assert len(opponents) == len(set(opponents)) == 4
    assert sum(map(len, rounds)) == 6
    next_state = replace(full_state, rounds=tuple(_closed(full_state, only=19)))
    assert 19 in SYSTEM.pair(next_state).rounds[0][0]


def _closed(state: State, *, only: int) -> list[tuple[Meeting, ...]]:
    """The rounds with one meeting of an entrant finished."""
    rounds = [list(round_) for round_ in state.rounds]
    index = next(
        (r, p) for r, one in enumerate(rounds) for p, m in enumerate(one) if only in m.entrants
    )
    meeting = rounds[index[0]][index[1]]
    rounds[index[0]][index[1]] = replace(
        meeting, open=False, groups=1, points=(1.0, 0.0), differences=(1.0, -1.0)
    )
    return [tuple(round_) for round_ in rounds]


def test_a_newcomer_gets_its_first_deal_groups_soon() -> None:
    """Each ended meeting is followed by another one before all others, up to 50."""
    state = rated_state(12, groups=2, settings={"ahead": 8})
    state, _ = pair_until_full(state)
    state = replace(
        state,
        entrants=13,
        ratings=(*state.ratings, 1200.0),
        errors=(*state.errors, UNSURE),
        played=(*state.played, 0),
    )
    turns = 0
    while 12 in newcomers(state):
        step = SYSTEM.pair(state)
        if step.rounds:
            assert 12 in step.rounds[0][0]
            state = with_open_meetings(state, step)
        else:  # no place is free: one meeting ends, preferably the newcomer's
            has_open = any(12 in m.entrants and m.open for r in state.rounds for m in r)
            state = _finish_one(state, 12 if has_open else None)
        turns += 1
    assert state.played[12] == 50
    assert turns <= 60


def _finish_one(state: State, entrant: int | None) -> State:
    rounds = [list(round_) for round_ in state.rounds]
    for round_ in rounds:
        for index, meeting in enumerate(round_):
            if meeting.open and (entrant is None or entrant in meeting.entrants):
                round_[index] = replace(
                    meeting, open=False, groups=2, points=(1.0, 1.0), differences=(0.0, 0.0)
                )
                return replace(state, rounds=tuple(map(tuple, rounds)))
    raise AssertionError("Nothing is open.")


def test_close_opponents_are_preferred() -> None:
    _, rounds = pair_until_full(rated_state(40, settings={"ahead": 20, "rest": 0}))
    gaps = [abs(a - b) for round_ in rounds for a, b in round_]
    assert sum(gaps) / len(gaps) < 5  # two random ones of 40 are 13.7 apart
    assert information(0, 5000.0) > information(200, 5000.0) > information(600, 5000.0) > 0
    assert information(200, 40_000.0) > information(200, 5000.0)


def test_the_most_uncertain_entrants_play_first() -> None:
    errors = (40.0,) * 10 + (200.0,) * 2
    round_ = SYSTEM.pair(rated_state(12, errors=errors, settings={"ahead": 1})).rounds[0]
    assert set(round_[0]) == {10, 11}


def test_a_pair_waits_before_it_meets_again() -> None:
    state = rated_state(9, errors=(40.0,) * 9, settings={"ahead": 1, "rest": 3, "each": 1})
    opponents: dict[int, list[int]] = {i: [] for i in range(9)}
    for _ in range(200):
        state = with_open_meetings(state, SYSTEM.pair(state))
        a, b = state.rounds[-1][0].entrants
        assert b not in opponents[a][-3:]
        assert a not in opponents[b][-3:]
        opponents[a].append(b)
        opponents[b].append(a)
        state = _finish_one(state, None)
    assert min(map(len, opponents.values())) > 20


def test_new_rounds_wait_until_half_of_the_places_are_free() -> None:
    state, _ = pair_until_full(rated_state(12, settings={"ahead": 6}))
    for _ in range(2):
        state = _finish_one(state, None)
        assert not SYSTEM.pair(state).rounds
    assert len(SYSTEM.pair(_finish_one(state, None)).rounds[0]) == 3


@pytest.mark.parametrize("seed", "abcdefgh")
def test_forbidden_pairs_do_not_meet(seed: str) -> None:
    """This holds while there is a choice: ten entrants with three pairings always have one."""
    apart = frozenset({(2 * i, 2 * i + 1) for i in range(5)})
    _, rounds = pair_until_full(
        rated_state(10, seed=seed, apart=apart, settings={"ahead": 3, "rest": 2})
    )
    pairs = {(min(pairing), max(pairing)) for round_ in rounds for pairing in round_}
    assert pairs
    assert pairs.isdisjoint(apart)


def test_two_entrants_keep_meeting() -> None:
    draw = ByRatings([1200.0, 1300.0], Random(1))
    final_state = play_out(SYSTEM, State(2, 2, "two"), draw, max_rounds=30)
    assert all(set(round_[0].entrants) == {0, 1} for round_ in final_state.rounds)
    assert not SYSTEM.pair(replace(State(2, 2, "two"), present=frozenset({1}))).rounds


def test_a_ladder_rests_after_enough_groups_until_a_newcomer_enters() -> None:
    enough = {"first": 5, "enough": 20, "ahead": 64, "each": 32}
    state, rounds = pair_until_full(rated_state(4, settings=enough, played=(20, 20, 20, 17)))
    counts = Counter(entrant for round_ in rounds for pairing in round_ for entrant in pairing)
    assert counts[3] == 3  # the one that lacks groups gets them; the others are its opponents
    assert len([pairing for round_ in rounds for pairing in round_]) == 3
    assert not SYSTEM.pair(state).rounds
    _, rounds = pair_until_full(rated_state(4, settings=enough, played=(20, 20, 20, 0)))
    assert sum(3 in pairing for round_ in rounds for pairing in round_) == 20


def test_places_follow_ratings_with_unplayed_entrants_last() -> None:
    state = rated_state(5, ratings=(1100.0, 1300.0, 1300.0, 1500.0, 900.0), played=(9, 9, 9, 0, 9))
    assert places(state) == [(1, 2), (0,), (4,), (3,)]


@pytest.mark.parametrize(
    ("sizes", "entrants", "off"), [((1, 1), 16, 75), ((1, 1, 1, 1), 16, 75), ((2, 2), 8, 100)]
)
def test_ratings_converge_also_for_a_newcomer(
    sizes: tuple[int, ...], entrants: int, off: int
) -> None:
    chance = Random(f"ladder {sizes}")
    ladder = _Simulation([chance.gauss(1200, 200) for _ in range(entrants)], sizes, chance)
    ladder.play(until=20)
    early = ladder.error()
    ladder.play(until=80)
    assert ladder.error() < early
    assert ladder.error() < off
    assert ladder.covered_count() >= 0.8 * entrants
    ladder.enter(1450.0)
    began = ladder.turns
    while entrants in newcomers(ladder.state):
        ladder.turn()
    ladder.refit()
    assert ladder.turns - began == ladder.state.played[entrants] == 50
    assert ladder.covered_count() >= 0.8 * entrants
    assert ladder.state.errors[entrants] < 250


class _Simulation:
    """A ladder with random results by true strengths, and occasional fits."""

    def __init__(self, truth: list[float], sizes: tuple[int, ...], chance: Random) -> None:
        self.truth: list[float] = []
        self.chance = chance
        self.games: list[RatedMatch] = []
        self.turns = 0
        self.state = State(0, len(sizes), "ladder", sizes=sizes, settings={"ahead": 8})
        for strength in truth:
            self.enter(strength)

    def enter(self, strength: float) -> None:
        """Add an entrant."""
        self.truth.append(strength)
        state = self.state
        self.state = replace(
            state,
            entrants=len(self.truth),
            ratings=(*state.ratings, 1200.0),
            errors=(*state.errors, UNSURE),
            played=(*state.played, 0),
        )

    def play(self, until: int) -> None:
        """Play until every entrant has had `until` deal groups."""
        while min(self.state.played) < until:
            self.turn()
        self.refit()

    def turn(self) -> None:
        """Pair a round and draw a match for each pairing, after Luce."""
        self.turns += 1
        step = SYSTEM.pair(self.state)
        state = with_open_meetings(self.state, step)
        for pairing in step.rounds[0]:
            teams = state.teams(pairing)
            means = [sum(self.truth[i] for i in team) / len(team) for team in teams]
            times = [self.chance.expovariate(10 ** ((mean - 1200) / 400)) for mean in means]
            ranks = tuple(1 + sum(other < time for other in times) for time in times)
            self.games.append(RatedMatch(tuple(teams), ranks, len(self.games)))
        meetings = tuple(Meeting(pairing) for pairing in step.rounds[0])
        rounds = (*state.rounds[:-1], meetings)[-20:]
        earlier_rounds = state.before + len(state.rounds) - len(rounds)
        self.state = replace(state, rounds=rounds, before=earlier_rounds)
        if self.turns % 20 == 0:
            self.refit()

    def refit(self) -> None:
        """Update ratings and errors of all entrants."""
        fitted = fit(self.games).ratings
        entrants = range(self.state.entrants)
        ratings = [fitted[i].rating if i in fitted else 1200.0 for i in entrants]
        ends = [(r.rating, r.low, r.high) if (r := fitted.get(i)) else None for i in entrants]
        errors = [(half_width(*end) if end else None) or UNSURE for end in ends]
        self.state = replace(self.state, ratings=tuple(ratings), errors=tuple(errors))

    def error(self) -> float:
        """Root mean square error of the ratings."""
        shift = (sum(self.truth) - sum(self.state.ratings)) / len(self.truth)
        squares = [
            (r + shift - t) ** 2 for r, t in zip(self.state.ratings, self.truth, strict=True)
        ]
        return float((sum(squares) / len(squares)) ** 0.5)

    def covered_count(self) -> int:
        """The number of true strengths inside their intervals."""
        shift = (sum(self.truth) - sum(self.state.ratings)) / len(self.truth)
        return sum(
            abs(r + shift - t) <= e
            for r, e, t in zip(self.state.ratings, self.state.errors, self.truth, strict=True)
        )
