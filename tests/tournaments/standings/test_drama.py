"""What makes a match worth watching again."""

from __future__ import annotations

import pytest

from tournaments.standings.drama import MAX_DRAMA, SWING, MatchCourse, drama, highlight
from tournaments.standings.leads import leads_of


def test_a_swing_counts_more_than_any_close_end() -> None:
    close = drama([[10, 9], [20, 20]])
    swings = drama([[10, 0], [10, 1000]])
    assert close < SWING <= swings


def test_of_equal_swings_the_closer_end_counts_more() -> None:
    assert drama([[5, 2], [5, 9]]) > drama([[5, 2], [5, 50]])


def test_a_tie_between_takes_no_lead() -> None:
    assert drama([[5, 2], [5, 5], [9, 5]]) == drama([[5, 2], [9, 5]])
    assert drama([[5, 2], [5, 5], [5, 9]]) == drama([[5, 2], [5, 9]])


def test_anything_is_scored_within_the_bound() -> None:
    assert drama([]) == 0
    assert drama([[7]]) == 0
    assert drama([[0, 0]]) == SWING - 1
    assert drama([[-5, -10], [-30, -10]]) >= SWING
    assert drama([[1, 0], [0, 1]] * 500) == MAX_DRAMA


def _course(
    scores: list[int], *, faulted: int | None = None, seen: list[list[int]] | None = None
) -> MatchCourse:
    ranks = [1 + sum(other > own for other in scores) for own in scores]
    faults = [side == faulted for side in range(len(scores))]
    return MatchCourse(
        scores, ranks, faults, leads_of([*seen, scores]) if seen is not None else None
    )


@pytest.mark.parametrize(
    ("group", "kind", "match", "side", "number"),
    [
        ([_course([26, 20]), _course([9, 21], faulted=0)], "fault", 1, 0, 0),
        ([_course([26, 20]), _course([20, 21])], "last", 1, 1, 1),
        ([_course([21, 15], seen=[[9, 10]])], "last", 0, 0, 6),
        ([_course([26, 12], seen=[[0, 7], [20, 12]])], "turned", 0, 0, 7),
        (
            [_course([26, 20], seen=[[1, 0], [0, 1], [2, 1], [2, 3], [4, 3]])],
            "changes",
            0,
            0,
            4,
        ),
        ([_course([22, 20])], "close", 0, 0, 2),
        ([_course([20, 20])], "close", 0, None, 0),
        ([_course([26, 20]), _course([10, 25])], "shared", 0, None, 6),
        ([_course([26, 20]), _course([25, 10])], "clear", 1, 0, 15),
    ],
)
def test_the_first_mark_that_fits_is_told(
    group: list[MatchCourse], kind: str, match: int, side: int | None, number: int
) -> None:
    found = highlight(group, 21)
    assert (found.kind, found.match, found.side, found.count) == (kind, match, side, number)


def test_without_a_target_the_highest_score_is_the_measure() -> None:
    assert highlight([_course([1000, 950])], 0).kind == "close"
    assert highlight([_course([1000, 850])], 0).kind == "clear"
    assert highlight([_course([0, 0])], 0).kind == "shared"


def test_more_sides_than_two_have_a_mark() -> None:
    assert (
        highlight([_course([10, 3, 2]), _course([2, 9, 1]), _course([1, 2, 12])], 0).kind
        == "shared"
    )
    assert highlight([_course([10, 3, 2]), _course([9, 2, 1]), _course([1, 2, 12])], 0).side == 0


def test_a_loser_that_was_behind_turned_nothing_round() -> None:
    assert highlight([_course([10, 26], seen=[[0, 9], [1, 20]])], 21).kind == "clear"
