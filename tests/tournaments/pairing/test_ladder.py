"""A ladder pairs those whose meeting tells most, newcomers first."""

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
from tournaments.ratings.table import RatedMatch


def known(entrants: int, *, sides: int = 2, seed: str = "s", **more: object) -> State:
    """Entrants whom everybody knows well, 20 Elo points from each to the next."""
    state = State(
        entrants,
        sides,
        seed,
        ratings=tuple(1000.0 + 20 * i for i in range(entrants)),
        errors=(40.0,) * entrants,
        played=(500,) * entrants,
    )
    return replace(state, **more)  # type: ignore[arg-type]


def waiting(state: State, step: PairingStep) -> State:
    """The state when the step has been created and nothing of it is played."""
    made = tuple(tuple(Meeting(pairing, open=True) for pairing in r) for r in step.rounds)
    played = list(state.played)
    for entrant in (i for r in step.rounds for pairing in r for i in pairing):
        played[entrant] += state.groups
    return replace(state, rounds=state.rounds + made, played=tuple(played))


def until_full(state: State) -> tuple[State, list[Round]]:
    """Create rounds until none comes any more."""
    made: list[Round] = []
    for _ in range(1000):
        step = SYSTEM.pair(state)
        if not step.rounds:
            return state, made
        assert len(step.rounds) == 1
        made += step.rounds
        state = waiting(state, step)
    raise AssertionError("It never has enough.")


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([(1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2), (2, 2, 2)]),
    st.integers(0, 30),
    st.integers(1, 40),
    st.integers(1, 6),
    st.data(),
)
def test_rounds_respect_what_waits(
    sizes: tuple[int, ...], more: int, ahead: int, each: int, data: st.DataObject
) -> None:
    entrants = sum(sizes) + more
    gone = data.draw(st.sets(st.integers(0, entrants - 1), max_size=more))
    state = known(
        entrants,
        sides=len(sizes),
        sizes=sizes,
        present=frozenset(range(entrants)) - gone,
        played=tuple(data.draw(st.sampled_from([0, 49, 500])) for _ in range(entrants)),
        settings={"ahead": ahead, "each": each},
    )
    assert SYSTEM.pair(state) == SYSTEM.pair(state)
    full, made = until_full(state)
    assert made
    for round_ in made:
        busy = [entrant for pairing in round_ for entrant in pairing]
        assert len(busy) == len(set(busy))
        assert gone.isdisjoint(busy)
        assert {len(pairing) for pairing in round_} == {sum(sizes)}
    pairings = [pairing for round_ in made for pairing in round_]
    assert len(pairings) <= ahead
    assert max(Counter(i for pairing in pairings for i in pairing).values()) <= each
    assert count_valid_rounds(SYSTEM, full) == len(made)


def test_newcomers_come_first_and_meet_different_opponents() -> None:
    state = known(20, played=(500,) * 19 + (0,), settings={"ahead": 6, "each": 4})
    state = replace(state, errors=(40.0,) * 19 + (UNSURE,))
    assert newcomers(state) == {19}
    full, made = until_full(state)
    assert all(19 in round_[0] for round_ in made[:4])
    opponents = [sum(pairing) - 19 for round_ in made for pairing in round_ if 19 in pairing]
    assert len(opponents) == len(set(opponents)) == 4
    assert sum(map(len, made)) == 6
    finished = replace(full, rounds=tuple(_closed(full, only=19)))
    assert 19 in SYSTEM.pair(finished).rounds[0][0]


def _closed(state: State, *, only: int) -> list[tuple[Meeting, ...]]:
    """The rounds, with one meeting of an entrant finished."""
    rounds = [list(round_) for round_ in state.rounds]
    at = next(
        (r, p) for r, one in enumerate(rounds) for p, m in enumerate(one) if only in m.entrants
    )
    meeting = rounds[at[0]][at[1]]
    rounds[at[0]][at[1]] = replace(
        meeting, open=False, groups=1, points=(1.0, 0.0), differences=(1.0, -1.0)
    )
    return [tuple(round_) for round_ in rounds]


def test_the_first_deal_groups_of_a_newcomer_are_bounded() -> None:
    """As each of its meetings ends the next is made, whatever else waits, until it has had 50."""
    state = known(12, groups=2, settings={"ahead": 8})
    state, _ = until_full(state)
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
            state = waiting(state, step)
        else:  # every place is taken: one meeting ends, the newcomer's sooner than others
            mine = any(12 in m.entrants and m.open for r in state.rounds for m in r)
            state = _one_over(state, 12 if mine else None)
        turns += 1
    assert state.played[12] == 50
    assert turns <= 60


def _one_over(state: State, entrant: int | None) -> State:
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
    _, made = until_full(known(40, settings={"ahead": 20, "rest": 0}))
    gaps = [abs(a - b) for round_ in made for a, b in round_]
    assert sum(gaps) / len(gaps) < 5  # of 40 in a row two chosen blindly are 13.7 apart
    assert information(0, 5000.0) > information(200, 5000.0) > information(600, 5000.0) > 0
    assert information(200, 40_000.0) > information(200, 5000.0)


def test_the_least_sure_play_first() -> None:
    errors = (40.0,) * 10 + (200.0,) * 2
    round_ = SYSTEM.pair(known(12, errors=errors, settings={"ahead": 1})).rounds[0]
    assert set(round_[0]) == {10, 11}


def test_a_pair_rests_before_it_meets_again() -> None:
    state = known(9, errors=(40.0,) * 9, settings={"ahead": 1, "rest": 3, "each": 1})
    last: dict[int, list[int]] = {i: [] for i in range(9)}
    for _ in range(200):
        state = waiting(state, SYSTEM.pair(state))
        a, b = state.rounds[-1][0].entrants
        assert b not in last[a][-3:]
        assert a not in last[b][-3:]
        last[a].append(b)
        last[b].append(a)
        state = _one_over(state, None)
    assert min(map(len, last.values())) > 20


def test_half_of_the_places_come_free_first() -> None:
    state, _ = until_full(known(12, settings={"ahead": 6}))
    for _ in range(2):
        state = _one_over(state, None)
        assert not SYSTEM.pair(state).rounds
    assert len(SYSTEM.pair(_one_over(state, None)).rounds[0]) == 3


@pytest.mark.parametrize("seed", "abcdefgh")
def test_those_who_should_not_meet_stay_apart(seed: str) -> None:
    """While there is a choice: of ten with three pairings the last two are never all there are."""
    apart = frozenset({(2 * i, 2 * i + 1) for i in range(5)})
    _, made = until_full(known(10, seed=seed, apart=apart, settings={"ahead": 3, "rest": 2}))
    met = {(min(pairing), max(pairing)) for round_ in made for pairing in round_}
    assert met
    assert met.isdisjoint(apart)


def test_two_alone_go_on_meeting() -> None:
    draw = ByRatings([1200.0, 1300.0], Random(1))
    played = play_out(SYSTEM, State(2, 2, "two"), draw, max_rounds=30)
    assert all(set(round_[0].entrants) == {0, 1} for round_ in played.rounds)
    assert not SYSTEM.pair(replace(State(2, 2, "two"), present=frozenset({1}))).rounds


def test_a_ladder_rests_when_all_have_had_enough_until_somebody_comes() -> None:
    enough = {"first": 5, "enough": 20, "ahead": 64, "each": 32}
    state, made = until_full(known(4, settings=enough, played=(20, 20, 20, 17)))
    met = Counter(entrant for round_ in made for pairing in round_ for entrant in pairing)
    assert met[3] == 3  # who lacks some gets them; the others are only its opponents
    assert len([pairing for round_ in made for pairing in round_]) == 3
    assert not SYSTEM.pair(state).rounds
    _, made = until_full(known(4, settings=enough, played=(20, 20, 20, 0)))
    assert sum(3 in pairing for round_ in made for pairing in round_) == 20


def test_places_go_by_rating_and_who_has_not_played_is_last() -> None:
    state = known(5, ratings=(1100.0, 1300.0, 1300.0, 1500.0, 900.0), played=(9, 9, 9, 0, 9))
    assert places(state) == [(1, 2), (0,), (4,), (3,)]


@pytest.mark.parametrize(
    ("sizes", "entrants", "off"), [((1, 1), 16, 75), ((1, 1, 1, 1), 16, 75), ((2, 2), 8, 100)]
)
def test_ratings_converge_and_a_newcomer_arrives(
    sizes: tuple[int, ...], entrants: int, off: int
) -> None:
    chance = Random(f"ladder {sizes}")
    ladder = _Simulated([chance.gauss(1200, 200) for _ in range(entrants)], sizes, chance)
    ladder.play(until=20)
    early = ladder.error()
    ladder.play(until=80)
    assert ladder.error() < early
    assert ladder.error() < off
    assert ladder.covered() >= 0.8 * entrants
    ladder.enter(1450.0)
    began = ladder.turns
    while entrants in newcomers(ladder.state):
        ladder.turn()
    ladder.refit()
    assert ladder.turns - began == ladder.state.played[entrants] == 50
    assert ladder.covered() >= 0.8 * entrants
    assert ladder.state.errors[entrants] < 250


class _Simulated:
    """A ladder whose results are drawn from true strengths; fits follow now and then."""

    def __init__(self, truth: list[float], sizes: tuple[int, ...], chance: Random) -> None:
        self.truth: list[float] = []
        self.chance = chance
        self.games: list[RatedMatch] = []
        self.turns = 0
        self.state = State(0, len(sizes), "ladder", sizes=sizes, settings={"ahead": 8})
        for strength in truth:
            self.enter(strength)

    def enter(self, strength: float) -> None:
        """Somebody new."""
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
        """Go on until everybody has had so many deal groups."""
        while min(self.state.played) < until:
            self.turn()
        self.refit()

    def turn(self) -> None:
        """One round and its results: a match each, after Luce."""
        self.turns += 1
        step = SYSTEM.pair(self.state)
        state = waiting(self.state, step)
        for pairing in step.rounds[0]:
            teams = state.teams(pairing)
            means = [sum(self.truth[i] for i in team) / len(team) for team in teams]
            times = [self.chance.expovariate(10 ** ((mean - 1200) / 400)) for mean in means]
            ranks = tuple(1 + sum(other < mine for other in times) for mine in times)
            self.games.append(RatedMatch(tuple(teams), ranks, len(self.games)))
        closed = tuple(Meeting(pairing) for pairing in step.rounds[0])
        rounds = (*state.rounds[:-1], closed)[-20:]
        before = state.before + len(state.rounds) - len(rounds)
        self.state = replace(state, rounds=rounds, before=before)
        if self.turns % 20 == 0:
            self.refit()

    def refit(self) -> None:
        """What the ladder knows of everybody."""
        found = fit(self.games).ratings
        everybody = range(self.state.entrants)
        ratings = [found[i].rating if i in found else 1200.0 for i in everybody]
        ends = [(r.rating, r.low, r.high) if (r := found.get(i)) else None for i in everybody]
        errors = [(half_width(*each) if each else None) or UNSURE for each in ends]
        self.state = replace(self.state, ratings=tuple(ratings), errors=tuple(errors))

    def error(self) -> float:
        """Root mean square error of the ratings."""
        shift = (sum(self.truth) - sum(self.state.ratings)) / len(self.truth)
        squares = [
            (r + shift - t) ** 2 for r, t in zip(self.state.ratings, self.truth, strict=True)
        ]
        return float((sum(squares) / len(squares)) ** 0.5)

    def covered(self) -> int:
        """How many true strengths lie in their intervals."""
        shift = (sum(self.truth) - sum(self.state.ratings)) / len(self.truth)
        return sum(
            abs(r + shift - t) <= e
            for r, e, t in zip(self.state.ratings, self.state.errors, self.truth, strict=True)
        )
