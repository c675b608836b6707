"""Swiss rounds: who meets whom, who sits out, how many rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.course.simulation import ByRatings, play_out
from tournaments.pairing import SYSTEMS, Meeting, Pairing, State, count_valid_rounds
from tournaments.pairing.history import PairingHistory
from tournaments.pairing.swiss import MAX_ENTRANTS, _round, round_count

SWISS = SYSTEMS["swiss"]

TABLES = [(1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2), (3, 3), (2, 2, 2)]


def played(state: State, seed: str = "results", spread: float = 200.0) -> State:
    """The state with the results of a whole tournament of entrants of drawn strengths."""
    rng = Random(seed)
    ratings = [rng.gauss(1000, spread) for _ in range(state.entrants)]
    return play_out(SWISS, state, ByRatings(ratings, rng))


def prefixes(state: State) -> Iterator[tuple[State, tuple[Meeting, ...]]]:
    """What was known before each round, and the round."""
    for number, round_ in enumerate(state.rounds):
        yield replace(state, rounds=state.rounds[:number]), round_


def resting(state: State, round_: tuple[Meeting, ...]) -> set[int]:
    playing = {entrant for meeting in round_ for entrant in meeting.entrants}
    return set(range(state.entrants)) - playing


@st.composite
def fields(draw: st.DrawFn, most: int = 14, two: bool = False) -> State:
    """A tournament before its first round."""
    sizes = (1, 1) if two else draw(st.sampled_from(TABLES))
    entrants = draw(st.integers(sum(sizes), sum(sizes) + most))
    pairs = list(combinations(range(entrants), 2))
    return State(
        entrants=entrants,
        sides=len(sizes),
        sizes=sizes,
        seed=draw(st.text("ab", max_size=3)),
        groups=draw(st.integers(1, 3)),
        settings={"rounds": draw(st.integers(1, 7))},
        apart=frozenset(draw(st.lists(st.sampled_from(pairs), max_size=4))),
    )


@settings(max_examples=20, deadline=None)
@given(fields())
def test_everybody_plays_once_a_round_and_as_few_as_can_be_sit_out(state: State) -> None:
    full = played(state)
    assert len(full.rounds) == state.settings["rounds"]
    for _, round_ in prefixes(full):
        seated = [entrant for meeting in round_ for entrant in meeting.entrants]
        assert len(seated) == len(set(seated))
        assert len(seated) == state.entrants - state.entrants % state.seats
        assert all(len(meeting.entrants) == state.seats for meeting in round_)


@settings(max_examples=20, deadline=None)
@given(fields())
def test_nobody_sits_out_twice_before_all_have_once(state: State) -> None:
    full = played(state)
    for before, round_ in prefixes(full):
        history = PairingHistory.from_state(before)
        out = resting(state, round_)
        waiting = set(range(state.entrants)) - out
        assert not any(history.byes[i] > history.byes[j] for i in out for j in waiting)
    assert (
        max(PairingHistory.from_state(full).byes) - min(PairingHistory.from_state(full).byes) <= 1
    )


@settings(max_examples=20, deadline=None)
@given(fields())
def test_those_with_the_fewest_points_sit_out_first(state: State) -> None:
    full = played(replace(state, apart=frozenset()))
    for before, round_ in prefixes(full):
        history = PairingHistory.from_state(before)
        new = all(not history.meetings[min(m.entrants), max(m.entrants)] for m in round_)
        if state.seats == 2 and not (new and len(before.rounds) < state.entrants // 2):
            continue  # another one may have to sit out, for that nobody meets again
        out = resting(state, round_)
        for i in out:
            rivals = [
                j
                for j in range(state.entrants)
                if j not in out and history.byes[j] == history.byes[i]
            ]
            assert all(history.scores[i] <= history.scores[j] for j in rivals)


def best_possible(state: State) -> tuple[int, int]:
    """The fewest pairs apart, and with these the fewest rematches, of all ways to pair a round."""
    history = PairingHistory.from_state(state)
    fewest = min(history.byes)

    def ways(left: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        if not left:
            yield 0, 0
            return
        if len(left) % 2:
            for i in left:
                if history.byes[i] == fewest:
                    yield from ways(tuple(j for j in left if j != i))
            return
        for other in left[1:]:
            pair = (left[0], other)
            for apart, again in ways(tuple(i for i in left[1:] if i != other)):
                yield apart + (pair in state.apart), again + (history.meetings[pair] > 0)

    return min(ways(tuple(range(state.entrants))))


def faults(state: State, pairings: list[Pairing]) -> tuple[int, int]:
    met = PairingHistory.from_state(state).meetings
    pairs = [(min(pair), max(pair)) for pair in pairings]
    return sum(pair in state.apart for pair in pairs), sum(met[pair] > 0 for pair in pairs)


@settings(max_examples=40, deadline=None)
@given(fields(most=6, two=True), st.integers(0, 99))
def test_two_meet_again_only_where_there_is_no_other_way(state: State, results: int) -> None:
    """Against all ways to pair, also with pairs to be kept apart."""
    full = played(state, seed=str(results))
    for before, round_ in prefixes(full):
        found = faults(before, [meeting.entrants for meeting in round_])
        assert found == best_possible(before)


def test_six_rounds_of_ten_hardly_ever_end_in_a_corner() -> None:
    """Rounds without rematches may leave none for the next; that is rare before the last few."""
    rematches = []
    for seed in range(10):
        state = State(entrants=10, sides=2, seed=str(seed), settings={"rounds": 6})
        met = PairingHistory.from_state(played(state, seed=str(seed))).meetings
        rematches.append(sum(count - 1 for count in met.values()))
    assert rematches.count(0) >= 9


@pytest.mark.parametrize("sizes", TABLES, ids=str)
def test_same_authors_do_not_meet(sizes: tuple[int, ...]) -> None:
    """Eighteen authors with two bots each."""
    entrants = 36
    state = State(
        entrants=entrants,
        sides=len(sizes),
        sizes=sizes,
        seed="authors",
        apart=frozenset((i, i + 1) for i in range(0, entrants, 2)),
        settings={"rounds": 5},
    )
    history = PairingHistory.from_state(played(state))
    assert not [pair for pair in history.meetings + history.partnerships if pair in state.apart]


def test_first_the_upper_half_meets_the_lower() -> None:
    (first,) = SWISS.pair(State(entrants=8, sides=2, seed="s")).rounds
    assert first == ((0, 4), (1, 5), (2, 6), (3, 7))
    (first,) = SWISS.pair(State(entrants=9, sides=2, seed="s")).rounds
    assert first == ((0, 4), (1, 5), (2, 6), (3, 7))
    (first,) = SWISS.pair(State(entrants=8, sides=4, seed="s")).rounds
    assert first == ((0, 2, 4, 6), (1, 3, 5, 7))


def test_winners_meet_winners() -> None:
    """The second round of eight after all upper seeds have won."""
    won = tuple(Meeting((i, i + 4), (1.0, 0.0), (5.0, -5.0), 1) for i in range(4))
    (second,) = SWISS.pair(State(entrants=8, sides=2, seed="s", rounds=(won,))).rounds
    assert second == ((0, 2), (1, 3), (4, 6), (5, 7))


def test_opponents_have_nearly_equal_points() -> None:
    """Pairs by lot would differ as any two entrants do."""
    state = played(State(entrants=40, sides=2, seed="near", groups=2), spread=300)
    differences, by_lot = [], []
    for before, round_ in prefixes(state):
        points = PairingHistory.from_state(before).points
        if len(before.rounds) >= 3:
            differences += [abs(points[a] - points[b]) for a, b in (m.entrants for m in round_)]
            by_lot += [abs(a - b) for a, b in combinations(points, 2)]
    assert sum(differences) / len(differences) < sum(by_lot) / len(by_lot) / 4


@pytest.mark.parametrize("sizes", TABLES, ids=str)
def test_the_same_state_gives_the_same_round(sizes: tuple[int, ...]) -> None:
    chosen = {"rounds": 4} if max(sizes) > 1 else {}
    state = State(17, len(sizes), "x", sizes=sizes, groups=2, settings=chosen)
    full = played(state)
    _round.cache_clear()  # not the same only because it has been kept
    again = played(state)
    assert full == again
    assert count_valid_rounds(SWISS, full) == len(full.rounds) == round_count(state)
    assert SWISS.pair(full).rounds == ()
    other = played(replace(state, seed="y"))
    if state.seats > 2 and sizes != (1,) * len(sizes):
        assert other.rounds[0] != full.rounds[0]


def test_a_result_taken_back_takes_the_later_rounds_with_it() -> None:
    full = played(State(entrants=16, sides=2, seed="cut", groups=2))
    third = list(full.rounds[2])
    one = third[0]
    third[0] = replace(one, points=(one.points[0] + 2, one.points[1] - 2))
    changed = replace(full, rounds=(*full.rounds[:2], tuple(third), *full.rounds[3:]))
    assert count_valid_rounds(SWISS, full) == len(full.rounds)
    assert count_valid_rounds(SWISS, changed) == 3


def test_who_has_gone_is_not_paired_and_what_it_played_stays() -> None:
    state = State(entrants=12, sides=2, seed="gone", settings={"rounds": 6})
    half = replace(played(replace(state, settings={"rounds": 3})), settings=state.settings)
    left = replace(half, present=frozenset(range(12)) - {3, 7})
    assert count_valid_rounds(SWISS, left) == 3
    full = played(left)
    assert count_valid_rounds(SWISS, full) == len(full.rounds) == 6
    for round_ in full.rounds[3:]:
        assert resting(full, round_) == {3, 7}
    assert SWISS.byes is not None
    assert SWISS.byes(full) == (0.0,) * 12


def test_an_odd_one_that_has_gone_after_its_bye_changes_nothing() -> None:
    state = State(entrants=9, sides=2, seed="odd", settings={"rounds": 4})
    full = played(state)
    (last,) = resting(state, full.rounds[3])
    left = replace(full, present=frozenset(range(9)) - {last})
    assert count_valid_rounds(SWISS, left) == 4


def test_too_few_and_too_many_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 4 entrants or more at this table; there are 3"):
        SWISS.pair(State(entrants=3, sides=2, sizes=(2, 2), seed="s"))
    with pytest.raises(ValueError, match="at most 512 entrants; there are 513"):
        SWISS.pair(State(entrants=MAX_ENTRANTS + 1, sides=2, seed="s"))


def test_it_is_over_when_too_few_have_stayed() -> None:
    state = played(State(entrants=4, sides=2, seed="s", settings={"rounds": 2}))
    alone = replace(state, settings={"rounds": 3}, present=frozenset({1}))
    assert SWISS.pair(alone).rounds == ()


@pytest.mark.parametrize(
    ("entrants", "sizes", "rounds"),
    [
        (2, (1, 1), 1),
        (3, (1, 1), 3),
        (4, (1, 1), 3),
        (5, (1, 1), 5),
        (8, (1, 1), 5),
        (9, (1, 1), 6),
        (64, (1, 1), 8),
        (256, (1, 1), 10),
        (16, (1, 1, 1, 1), 4),
        (17, (1, 1, 1, 1), 5),
        (64, (1, 1, 1, 1), 5),
        (16, (2, 2), 12),
        (27, (2, 2, 2), 10),
    ],
)
def test_how_many_rounds_are_enough(entrants: int, sizes: tuple[int, ...], rounds: int) -> None:
    state = State(entrants=entrants, sides=len(sizes), sizes=sizes, seed="s")
    assert round_count(state) == rounds
    assert round_count(replace(state, settings={"rounds": 4})) == 4


@pytest.mark.parametrize("sizes", [(1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2)], ids=str)
def test_the_best_wins_far_more_often_than_by_chance(sizes: tuple[int, ...]) -> None:
    """Of 16 entrants in six rounds; by chance it would be among the first three once in five."""
    among = 0
    for seed in range(8):
        rng = Random(f"best {seed}")
        ratings = [rng.gauss(1000, 200) for _ in range(16)]
        state = State(
            entrants=16,
            sides=len(sizes),
            sizes=sizes,
            seed=str(seed),
            groups=2,
            settings={"rounds": 6},
        )
        points = PairingHistory.from_state(play_out(SWISS, state, ByRatings(ratings, rng))).points
        best = points[max(range(16), key=ratings.__getitem__)]
        among += sum(other > best for other in points) < 3
    assert among >= 5


@settings(max_examples=30, deadline=None)
@given(fields(most=8), st.lists(st.integers(0, 3), max_size=6), st.randoms(use_true_random=False))
def test_late_entrants_play_from_the_next_round_on(
    state: State, coming: list[int], rng: Random
) -> None:
    for count in [0, *coming]:
        late = dict.fromkeys(range(state.entrants, state.entrants + count), len(state.rounds))
        entrants = state.entrants + count
        pairs = state.apart | {(i, j) for i, j in combinations(late, 2) if (i + j) % 3 == 0}
        state = replace(state, entrants=entrants, apart=pairs, arrivals={**state.arrivals, **late})
        step = SWISS.pair(state)
        if not step.rounds:
            break
        (round_,) = step.rounds
        seated = {entrant for pairing in round_ for entrant in pairing}
        assert len(seated) == entrants - entrants % state.seats
        meetings = tuple(
            Meeting(pairing, tuple(rng.choice([0.0, 0.5, 1.0]) for _ in state.table), groups=1)
            for pairing in round_
        )
        state = replace(state, rounds=(*state.rounds, meetings))
        # The rounds before still follow, as if nobody had come late.
        assert count_valid_rounds(SWISS, state) == len(state.rounds)
    history = PairingHistory.from_state(state)
    for entrant in range(state.entrants):
        came = state.arrivals.get(entrant, 0)
        played_in = [any(entrant in m.entrants for m in round_) for round_ in state.rounds]
        assert not any(played_in[:came])
        assert history.byes[entrant] == played_in[came:].count(False)
