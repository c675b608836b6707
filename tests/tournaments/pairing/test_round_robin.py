"""Round robins: all pairs meet equally often, and each entrant plays at one table a round."""

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.pairing import Meeting, PairingStep, Round, State, count_valid_rounds
from tournaments.pairing.round_robin import (
    MAX_ENTRANTS,
    MAX_GROUPS,
    SYSTEM,
    meeting_table,
    pair,
    round_robin,
)

FULL = os.environ.get("CARDROOM_FULL") == "1"


def pairings(rounds: list[Round], entrants: int) -> list[int]:
    counts = [0] * entrants
    for deal_group in (deal_group for round_ in rounds for deal_group in round_):
        for entrant in deal_group:
            counts[entrant] += 1
    return counts


def check_rounds(rounds: list[Round], sides: int) -> None:
    for round_ in rounds:
        assert round_
        seated = [entrant for deal_group in round_ for entrant in deal_group]
        assert len(seated) == len(set(seated))
        assert all(len(deal_group) == sides for deal_group in round_)


@given(st.integers(2, 70), st.integers(1, 3), st.text(max_size=5))
@settings(max_examples=60, deadline=None)
def test_two_sides(entrants: int, meetings: int, seed: str) -> None:
    rounds = round_robin(entrants, 2, seed=seed, meetings=meetings)
    check_rounds(rounds, 2)
    table = meeting_table(rounds, entrants)
    assert table.min_count == table.max_count == meetings
    assert set(pairings(rounds, entrants)) == {(entrants - 1) * meetings}
    assert len(rounds) == meetings * (entrants - 1 + entrants % 2)
    byes = {sum(all(e not in f for f in r) for r in rounds) for e in range(entrants)}
    assert byes == {meetings * (entrants % 2)}


@pytest.mark.parametrize("sides", range(3, 9))
def test_wider_tables_are_balanced_for_all_numbers(sides: int) -> None:
    step = 1 if FULL else 4
    for entrants in range(sides, 65, step):
        rounds = round_robin(entrants, sides, seed="s")
        check_rounds(rounds, sides)
        table = meeting_table(rounds, entrants)
        assert len(table.counts) == entrants * (entrants - 1) // 2
        assert 1 <= table.min_count <= table.max_count <= table.min_count + 1, (entrants, sides)
        assert len(set(pairings(rounds, entrants))) == 1
        assert sum(map(len, rounds)) <= max(MAX_GROUPS, 20 * entrants)


@given(st.integers(3, 8), st.integers(0, 12), st.integers(2, 3), st.text(max_size=5))
@settings(max_examples=25, deadline=None)
def test_wider_tables_meet_again(sides: int, extra: int, meetings: int, seed: str) -> None:
    entrants = sides + extra
    rounds = round_robin(entrants, sides, seed=seed, meetings=meetings)
    check_rounds(rounds, sides)
    table = meeting_table(rounds, entrants)
    assert meetings <= table.min_count <= table.max_count <= table.min_count + 1
    assert len(set(pairings(rounds, entrants))) == 1


def test_small_fields_play_every_table() -> None:
    rounds = round_robin(9, 4, seed="")
    deal_groups = [frozenset(deal_group) for round_ in rounds for deal_group in round_]
    assert len(deal_groups) == len(set(deal_groups)) == 126


def test_the_seed_determines_the_schedule() -> None:
    assert round_robin(20, 3, seed="a") == round_robin(20, 3, seed="a")
    assert round_robin(20, 3, seed="a") != round_robin(20, 3, seed="b")
    # Stored results: schedules must not change between versions.
    assert round_robin(5, 2, seed="demo")[0] == ((1, 0), (2, 3))
    assert round_robin(12, 3, seed="demo")[0] == ((7, 1, 11), (10, 9, 3), (5, 6, 0))


def test_the_second_meeting_swaps_the_sides() -> None:
    rounds = round_robin(4, 2, seed="s", meetings=2)
    first_half = {deal_group for round_ in rounds[:3] for deal_group in round_}
    second_half = {deal_group for round_ in rounds[3:] for deal_group in round_}
    assert second_half == {(b, a) for a, b in first_half}


@pytest.mark.parametrize(
    ("entrants", "sides", "meetings", "message"),
    [
        (2, 3, 1, r"This format needs 3 entrants or more; 2 have entered\."),
        (1, 2, 1, r"This format needs 2 entrants or more; 1 has entered\."),
        (0, 2, 1, r"needs 2 entrants or more; none has entered\."),
        (65, 3, 1, "at tables of 3 sides takes at most 64 entrants"),
        (MAX_ENTRANTS + 1, 2, 1, f"takes at most {MAX_ENTRANTS} entrants"),
        (20, 9, 1, "2 to 8 sides, not 9"),
        (20, 1, 1, "2 to 8 sides, not 1"),
        (4, 2, 0, "1 to 100 times, not 0"),
    ],
)
def test_invalid_numbers_are_refused(
    entrants: int, sides: int, meetings: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        round_robin(entrants, sides, seed="", meetings=meetings)


def test_the_system_creates_all_rounds_in_one_step() -> None:
    state = State(entrants=5, sides=2, seed="x", settings={"meetings": 2})
    rounds = pair(state).rounds
    assert list(rounds) == round_robin(5, 2, seed="x", meetings=2)
    paired = tuple(tuple(Meeting(pairing) for pairing in round_) for round_ in rounds)
    assert pair(replace(state, rounds=paired)) == PairingStep()
    assert count_valid_rounds(SYSTEM, replace(state, rounds=paired)) == len(rounds)
    other = replace(state, seed="y", rounds=paired)
    assert count_valid_rounds(SYSTEM, other) == 0
