"""Deal groups: rotations, seeds, points and differences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.deal_groups import (
    MatchResult,
    group_score,
    group_seed,
    match_points,
    rotations,
    score_differences,
)

TABLES = {
    "1v1": ((0,), (1,)),
    "2v2": ((0, 2), (1, 3)),
    "3v3": ((0, 2, 4), (1, 3, 5)),
    "2v2v2": ((0, 3), (1, 4), (2, 5)),
    "3v2-rest": ((0, 2, 4), (1, 3)),
    **{f"ffa{n}": tuple((seat,) for seat in range(n)) for n in range(3, 9)},
}


@pytest.mark.parametrize("table", TABLES)
def test_every_entrant_plays_each_side_once(table: str) -> None:
    sides = TABLES[table]
    entrants = [f"bot{i}" for i in range(len(sides))]
    matches = rotations(sides, entrants)
    assert len(matches) == len(sides)
    for seats in matches:
        assert sorted({seats[side[0]] for side in sides}) == entrants
        for side in sides:
            assert len({seats[seat] for seat in side}) == 1  # copies of one bot fill a side
    for side in sides:
        assert sorted(seats[side[0]] for seats in matches) == entrants


def test_first_match_seats_the_entrants_in_order() -> None:
    assert rotations(TABLES["2v2"], ["x", "y"]) == [("x", "y", "x", "y"), ("y", "x", "y", "x")]
    assert rotations(TABLES["ffa3"], "abc")[1] == ("c", "a", "b")


def test_rotations_refuse_a_wrong_number_of_entrants() -> None:
    with pytest.raises(ValueError, match="3 sides; 2 entrants"):
        rotations(TABLES["ffa3"], ["a", "b"])
    with pytest.raises(ValueError, match="Each seat 0, 1, 2"):
        rotations(((0,), (2,)), ["a", "b"])


def test_group_seeds_differ_by_every_part() -> None:
    seeds = {
        group_seed(name, *parts)
        for name in ("t", "t1")
        for parts in [(), (1,), (1, 2), (12,), ("1", "2", "")]
    }
    assert len(seeds) == 10
    assert group_seed("t", 1, 2) == group_seed("t", "1", "2")
    assert group_seed("spring cup", 0, 0) == "f7f0310b1d9dcb21194adf4f795e7171"


@given(st.lists(st.integers(1, 8), min_size=2, max_size=8))
def test_points_of_any_ranks_have_the_same_sum(ranks: list[int]) -> None:
    points = match_points(ranks)
    assert sum(points) == pytest.approx(len(ranks) / 2)
    assert all(0 <= p <= 1 for p in points)
    assert [b for a, b in sorted(zip(ranks, points, strict=True))] == sorted(points, reverse=True)


def test_points_of_a_match() -> None:
    assert match_points((1, 2)) == (1, 0)
    assert match_points((1, 1)) == (0.5, 0.5)
    assert match_points((2, 1, 4, 3)) == (2 / 3, 1, 0, 1 / 3)


def test_a_split_group_is_a_tie_for_any_scores() -> None:
    score = group_score(
        [
            MatchResult(("a", "b"), (21, 3), (1, 2)),
            MatchResult(("b", "a"), (22, 20), (1, 2)),
        ]
    )
    assert score.entrants == ("a", "b")
    assert score.points == (0.5, 0.5)
    assert score.ranks == (1, 1)
    assert score.differences == (16.0, -16.0)
    assert score.matches == 2


def test_a_fault_loses_the_match_and_earns_no_difference() -> None:
    match = MatchResult(("a", "b"), (21, 3), (2, 1), faulting_sides=(0,))
    assert score_differences(match) == (0, 0)
    score = group_score([match])
    assert score.points == (0.0, 1.0)
    assert score.fault_counts == (1, 0)


def test_a_group_needs_matches_of_the_same_entrants() -> None:
    with pytest.raises(ValueError, match="at least one"):
        group_score([])
    with pytest.raises(ValueError, match="same entrants"):
        group_score(
            [MatchResult(("a", "b"), (1, 0), (1, 2)), MatchResult(("a", "c"), (1, 0), (1, 2))]
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((("a", "a"), (1, 2), (2, 1)), "entrant of its own"),
        ((("a", "b"), (1,), (2, 1)), "entrant, score and rank"),
        ((("a", "b"), (1, 2), (2, 1), (2,)), "among 0 to 1"),
        ((("a", "b"), (1, 2), (2, 1), (1,)), "Faulting sides must rank last"),
    ],
)
def test_malformed_results_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchResult(*arguments)  # type: ignore[arg-type]  # wrong on purpose
