"""Whist movements: all pairs are partners and opponents equally often."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.pairing import Meeting, Pairing, PairingStep, Round, State, get_system
from tournaments.pairing.whist import MAX_ENTRANTS, movement, whist_rounds
from tournaments.pairing.whist_starters import STARTERS

FULL = os.environ.get("CARDROOM_FULL") == "1"
SHAPES = ((2, 2), (3, 3), (2, 2, 2))


@dataclass
class MeetingHistory:
    """Meetings of pairs, and the number of byes of each entrant."""

    met: Counter[Pairing]
    partnered: Counter[Pairing]
    byes: list[int]


def counts(rounds: list[Round], entrants: int, sizes: tuple[int, ...]) -> MeetingHistory:
    state = State(entrants, len(sizes), "", sizes=sizes)
    history = MeetingHistory(Counter(), Counter(), [len(rounds)] * entrants)
    for pairing in (pairing for round_ in rounds for pairing in round_):
        teams = [set(team) for team in state.teams(pairing)]
        for a, b in combinations(sorted(pairing), 2):
            together = any({a, b} <= team for team in teams)
            (history.partnered if together else history.met)[a, b] += 1
        for entrant in pairing:
            history.byes[entrant] -= 1
    return history


def spread(counts: Counter[Pairing], entrants: int) -> int:
    values = [counts[pair] for pair in combinations(range(entrants), 2)]
    return max(values) - min(values)


def check(rounds: list[Round], entrants: int, sizes: tuple[int, ...]) -> MeetingHistory:
    games: Counter[int] = Counter()
    for round_ in rounds:
        seated = [entrant for pairing in round_ for entrant in pairing]
        assert round_
        assert len(seated) == len(set(seated)) == len(round_) * sum(sizes)
        games.update(seated)
    assert set(games) == set(range(entrants))
    assert len(set(games.values())) == 1  # all play equally often
    return counts(rounds, entrants, sizes)


@pytest.mark.parametrize("sizes", SHAPES)
def test_balance_for_all_numbers(sizes: tuple[int, ...]) -> None:
    seats = sum(sizes)
    for entrants in range(seats, 65) if FULL else (*range(seats, 20), 27, 34, 40):
        history = check(whist_rounds(entrants, sizes, seed="s"), entrants, sizes)
        assert spread(history.partnered, entrants) <= 1, entrants
        assert spread(history.met, entrants) <= (1 if entrants <= 40 else 3), entrants
        assert min(history.partnered[pair] for pair in combinations(range(entrants), 2)) >= 1


@pytest.mark.parametrize(
    ("entrants", "size", "sides"),
    [*STARTERS, (5, 2, 2), (61, 2, 2), (7, 3, 2), (61, 3, 2), (43, 2, 3)],
)
def test_exact_movements(entrants: int, size: int, sides: int) -> None:
    sizes = (size,) * sides
    rounds = whist_rounds(entrants, sizes, seed="x")
    history = check(rounds, entrants, sizes)
    assert len(rounds) == entrants - (entrants % (size * sides) == 0)
    assert set(history.partnered.values()) == {size - 1}
    assert set(history.met.values()) == {size * (sides - 1)}
    assert set(history.byes) == {entrants % (size * sides)}


def test_a_single_table_of_six_plays_every_split() -> None:
    rounds = whist_rounds(6, (3, 3), seed="s")
    assert len({frozenset(map(frozenset, (r[0][:3], r[0][3:]))) for r in rounds}) == 10
    history = check(rounds, 6, (3, 3))
    assert set(history.partnered.values()) == {4}
    assert set(history.met.values()) == {6}


@given(st.sampled_from(SHAPES), st.integers(0, 9), st.integers(2, 4), st.text(max_size=3))
@settings(max_examples=15, deadline=None)
def test_meeting_more_often(sizes: tuple[int, ...], extra: int, meetings: int, seed: str) -> None:
    entrants = sum(sizes) + extra
    rounds = whist_rounds(entrants, sizes, seed=seed, meetings=meetings)
    assert rounds == whist_rounds(entrants, sizes, seed=seed, meetings=meetings)
    history = check(rounds, entrants, sizes)
    assert spread(history.partnered, entrants) <= 1
    assert min(history.partnered[pair] for pair in combinations(range(entrants), 2)) >= meetings


@pytest.mark.parametrize(("entrants", "sizes"), [(16, (2, 2)), (12, (3, 3)), (12, (2, 2, 2))])
def test_entrants_change_seats(entrants: int, sizes: tuple[int, ...]) -> None:
    places: dict[int, Counter[int]] = {i: Counter() for i in range(entrants)}
    for round_ in whist_rounds(entrants, sizes, seed="s"):
        for pairing in round_:
            for place, entrant in enumerate(pairing):
                places[entrant][place] += 1
    assert all(max(counts_by_place.values()) <= entrants / 2 for counts_by_place in places.values())


def test_the_seed_decides() -> None:
    assert whist_rounds(9, (2, 2), seed="a") == whist_rounds(9, (2, 2), seed="a")
    assert whist_rounds(9, (2, 2), seed="a") != whist_rounds(9, (2, 2), seed="b")
    # Stored results: schedules must not change between versions.
    assert whist_rounds(5, (2, 2), seed="demo")[0] == ((3, 4, 0, 2),)
    assert whist_rounds(8, (2, 2), seed="demo")[0] == ((2, 0, 7, 1), (6, 5, 3, 4))
    assert whist_rounds(10, (2, 2), seed="demo")[0] == ((4, 7, 3, 6), (0, 2, 9, 1))


def test_the_round_robin_seats_changing_partners() -> None:
    system = get_system("round-robin")
    assert system.rotating_partners
    state = State(entrants=6, sides=3, seed="x", sizes=(2, 2, 2))
    rounds = system.pair(state).rounds
    assert list(rounds) == whist_rounds(6, (2, 2, 2), seed="x")
    results = tuple(tuple(Meeting(p) for p in round_) for round_ in rounds)
    assert system.pair(replace(state, rounds=results)) == PairingStep()
    alone = State(entrants=6, sides=3, seed="x", sizes=(1, 1, 1))
    assert len(system.pair(alone).rounds[0][0]) == 3


@pytest.mark.parametrize(
    ("entrants", "sizes", "meetings", "message"),
    [
        (3, (2, 2), 1, "need 4 entrants or more here; 3 have entered"),
        (0, (2, 2), 1, "none has entered"),
        (MAX_ENTRANTS + 1, (3, 3), 1, "takes at most 64 entrants; 65"),
        (9, (2, 3), 1, "need equally large sides"),
        (9, (1, 1), 1, "need equally large sides"),
        (9, (2, 2), 0, "1 to 100 times, not 0"),
    ],
)
def test_invalid_numbers_are_refused(
    entrants: int, sizes: tuple[int, ...], meetings: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        whist_rounds(entrants, sizes, seed="", meetings=meetings)


def test_movements_are_cached() -> None:
    assert movement(20, 2, 2, 1) is movement(20, 2, 2, 1)
