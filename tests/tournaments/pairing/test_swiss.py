"""Swiss rounds: pairings, byes, number of rounds."""

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


def play(state: State, seed: str = "results", spread: float = 200.0) -> State:
    """Play a whole tournament of entrants with random strengths; return its state."""
    rng = Random(seed)
    ratings = [rng.gauss(1000, spread) for _ in range(state.entrants)]
    return play_out(SWISS, state, ByRatings(ratings, rng))


def prefixes(state: State) -> Iterator[tuple[State, tuple[Meeting, ...]]]:
    """The state before each round, and the round."""
    for number, round_ in enumerate(state.rounds):
        yield replace(state, rounds=state.rounds[:number]), round_


def byes_of(state: State, round_: tuple[Meeting, ...]) -> set[int]:
    playing = {entrant for meeting in round_ for entrant in meeting.entrants}
    return set(range(state.entrants)) - playing


@st.composite
def fields(draw: st.DrawFn, max_extra: int = 14, two: bool = False) -> State:
    """A tournament before its first round."""
    sizes = (1, 1) if two else draw(st.sampled_from(TABLES))
    entrants = draw(st.integers(sum(sizes), sum(sizes) + max_extra))
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
def test_all_play_once_a_round_with_the_fewest_byes(state: State) -> None:
    final_state = play(state)
    assert len(final_state.rounds) == state.settings["rounds"]
    for _, round_ in prefixes(final_state):
        seated = [entrant for meeting in round_ for entrant in meeting.entrants]
        assert len(seated) == len(set(seated))
        assert len(seated) == state.entrants - state.entrants % state.seats
        assert all(len(meeting.entrants) == state.seats for meeting in round_)


@settings(max_examples=20, deadline=None)
@given(fields())
def test_no_entrant_has_a_second_bye_before_all_have_one(state: State) -> None:
    final_state = play(state)
    for earlier, round_ in prefixes(final_state):
        history = PairingHistory.from_state(earlier)
        byes = byes_of(state, round_)
        waiting = set(range(state.entrants)) - byes
        assert not any(history.byes[i] > history.byes[j] for i in byes for j in waiting)
    assert (
        max(PairingHistory.from_state(final_state).byes)
        - min(PairingHistory.from_state(final_state).byes)
        <= 1
    )


@settings(max_examples=20, deadline=None)
@given(fields())
def test_entrants_with_the_fewest_points_get_byes(state: State) -> None:
    final_state = play(replace(state, apart=frozenset()))
    for earlier, round_ in prefixes(final_state):
        history = PairingHistory.from_state(earlier)
        all_new = all(not history.meetings[min(m.entrants), max(m.entrants)] for m in round_)
        if state.seats == 2 and not (all_new and len(earlier.rounds) < state.entrants // 2):
            continue  # another entrant may get the bye to avoid a rematch
        byes = byes_of(state, round_)
        for i in byes:
            rivals = [
                j
                for j in range(state.entrants)
                if j not in byes and history.byes[j] == history.byes[i]
            ]
            assert all(history.scores[i] <= history.scores[j] for j in rivals)


def best_possible(state: State) -> tuple[int, int]:
    """The fewest forbidden pairs, then the fewest rematches, of all ways to pair a round."""
    history = PairingHistory.from_state(state)
    fewest = min(history.byes)

    def ways(remaining: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        if not remaining:
            yield 0, 0
            return
        if len(remaining) % 2:
            for i in remaining:
                if history.byes[i] == fewest:
                    yield from ways(tuple(j for j in remaining if j != i))
            return
        for other in remaining[1:]:
            pair = (remaining[0], other)
            for apart, rematches in ways(tuple(i for i in remaining[1:] if i != other)):
                yield apart + (pair in state.apart), rematches + (history.meetings[pair] > 0)

    return min(ways(tuple(range(state.entrants))))


def faults(state: State, pairings: list[Pairing]) -> tuple[int, int]:
    meetings = PairingHistory.from_state(state).meetings
    pairs = [(min(pair), max(pair)) for pair in pairings]
    return sum(pair in state.apart for pair in pairs), sum(meetings[pair] > 0 for pair in pairs)


@settings(max_examples=40, deadline=None)
@given(fields(max_extra=6, two=True), st.integers(0, 99))
def test_rematches_occur_only_if_unavoidable(state: State, results: int) -> None:
    """Compare with all ways to pair, also with forbidden pairs."""
    final_state = play(state, seed=str(results))
    for earlier, round_ in prefixes(final_state):
        pair_faults = faults(earlier, [meeting.entrants for meeting in round_])
        assert pair_faults == best_possible(earlier)


def test_six_rounds_of_ten_rarely_need_rematches() -> None:
    """Rounds without rematches may force one later; that is rare before the last rounds."""
    rematches = []
    for seed in range(10):
        state = State(entrants=10, sides=2, seed=str(seed), settings={"rounds": 6})
        meetings = PairingHistory.from_state(play(state, seed=str(seed))).meetings
        rematches.append(sum(count - 1 for count in meetings.values()))
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
    history = PairingHistory.from_state(play(state))
    assert not [pair for pair in history.meetings + history.partnerships if pair in state.apart]


def test_in_round_one_the_upper_half_meets_the_lower() -> None:
    (first_round,) = SWISS.pair(State(entrants=8, sides=2, seed="s")).rounds
    assert first_round == ((0, 4), (1, 5), (2, 6), (3, 7))
    (first_round,) = SWISS.pair(State(entrants=9, sides=2, seed="s")).rounds
    assert first_round == ((0, 4), (1, 5), (2, 6), (3, 7))
    (first_round,) = SWISS.pair(State(entrants=8, sides=4, seed="s")).rounds
    assert first_round == ((0, 2, 4, 6), (1, 3, 5, 7))


def test_winners_meet_winners() -> None:
    """The second round of eight after wins of all upper seeds."""
    won = tuple(Meeting((i, i + 4), (1.0, 0.0), (5.0, -5.0), 1) for i in range(4))
    (second_round,) = SWISS.pair(State(entrants=8, sides=2, seed="s", rounds=(won,))).rounds
    assert second_round == ((0, 2), (1, 3), (4, 6), (5, 7))


def test_opponents_have_nearly_equal_points() -> None:
    """Random pairs would differ as much as any two entrants."""
    state = play(State(entrants=40, sides=2, seed="near", groups=2), spread=300)
    differences, by_lot = [], []
    for earlier, round_ in prefixes(state):
        points = PairingHistory.from_state(earlier).points
        if len(earlier.rounds) >= 3:
            differences += [abs(points[a] - points[b]) for a, b in (m.entrants for m in round_)]
            by_lot += [abs(a - b) for a, b in combinations(points, 2)]
    assert sum(differences) / len(differences) < sum(by_lot) / len(by_lot) / 4


@pytest.mark.parametrize("sizes", TABLES, ids=str)
def test_the_same_state_gives_the_same_round(sizes: tuple[int, ...]) -> None:
    chosen_settings = {"rounds": 4} if max(sizes) > 1 else {}
    state = State(17, len(sizes), "x", sizes=sizes, groups=2, settings=chosen_settings)
    final_state = play(state)
    _round.cache_clear()  # not equal merely because of a cache
    second_run = play(state)
    assert final_state == second_run
    assert count_valid_rounds(SWISS, final_state) == len(final_state.rounds) == round_count(state)
    assert SWISS.pair(final_state).rounds == ()
    other = play(replace(state, seed="y"))
    if state.seats > 2 and sizes != (1,) * len(sizes):
        assert other.rounds[0] != final_state.rounds[0]


def test_a_changed_result_retires_later_rounds() -> None:
    final_state = play(State(entrants=16, sides=2, seed="cut", groups=2))
    third_round = list(final_state.rounds[2])
    one = third_round[0]
    third_round[0] = replace(one, points=(one.points[0] + 2, one.points[1] - 2))
    changed_state = replace(
        final_state, rounds=(*final_state.rounds[:2], tuple(third_round), *final_state.rounds[3:])
    )
    assert count_valid_rounds(SWISS, final_state) == len(final_state.rounds)
    assert count_valid_rounds(SWISS, changed_state) == 3


def test_departed_entrants_are_not_paired_and_their_results_stay() -> None:
    state = State(entrants=12, sides=2, seed="gone", settings={"rounds": 6})
    half = replace(play(replace(state, settings={"rounds": 3})), settings=state.settings)
    reduced = replace(half, present=frozenset(range(12)) - {3, 7})
    assert count_valid_rounds(SWISS, reduced) == 3
    final_state = play(reduced)
    assert count_valid_rounds(SWISS, final_state) == len(final_state.rounds) == 6
    for round_ in final_state.rounds[3:]:
        assert byes_of(final_state, round_) == {3, 7}
    assert SWISS.byes is not None
    assert SWISS.byes(final_state) == (0.0,) * 12


def test_a_departure_after_a_bye_keeps_earlier_rounds() -> None:
    state = State(entrants=9, sides=2, seed="odd", settings={"rounds": 4})
    final_state = play(state)
    (rested,) = byes_of(state, final_state.rounds[3])
    reduced = replace(final_state, present=frozenset(range(9)) - {rested})
    assert count_valid_rounds(SWISS, reduced) == 4


def test_too_few_and_too_many_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 4 entrants or more at this table; there are 3"):
        SWISS.pair(State(entrants=3, sides=2, sizes=(2, 2), seed="s"))
    with pytest.raises(ValueError, match="at most 512 entrants; there are 513"):
        SWISS.pair(State(entrants=MAX_ENTRANTS + 1, sides=2, seed="s"))


def test_a_swiss_ends_when_too_few_entrants_are_left() -> None:
    state = play(State(entrants=4, sides=2, seed="s", settings={"rounds": 2}))
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
def test_the_number_of_rounds_that_suffice(
    entrants: int, sizes: tuple[int, ...], rounds: int
) -> None:
    state = State(entrants=entrants, sides=len(sizes), sizes=sizes, seed="s")
    assert round_count(state) == rounds
    assert round_count(replace(state, settings={"rounds": 4})) == 4


@pytest.mark.parametrize("sizes", [(1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2)], ids=str)
def test_the_best_wins_far_more_often_than_by_chance(sizes: tuple[int, ...]) -> None:
    """16 entrants, six rounds; by chance the best would be among the first three in a fifth."""
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
@given(
    fields(max_extra=8), st.lists(st.integers(0, 3), max_size=6), st.randoms(use_true_random=False)
)
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
        # Earlier rounds are the same as without late entrants.
        assert count_valid_rounds(SWISS, state) == len(state.rounds)
    history = PairingHistory.from_state(state)
    for entrant in range(state.entrants):
        arrival = state.arrivals.get(entrant, 0)
        played_in = [any(entrant in m.entrants for m in round_) for round_ in state.rounds]
        assert not any(played_in[:arrival])
        assert history.byes[entrant] == played_in[arrival:].count(False)


def test_the_draw_for_the_bye_does_not_depend_on_later_entrants() -> None:
    """Formerly a late entry could retire an earlier round in which a rematch was unavoidable."""
    for seed in map(str, range(25)):
        state = State(entrants=3, sides=2, seed=seed, settings={"rounds": 8})
        final_state = play(state, seed=seed, spread=50.0)
        late = replace(final_state, entrants=4, arrivals={3: 8})
        assert count_valid_rounds(SWISS, late) == 8
