"""Drama and highlights of matches."""

from __future__ import annotations

import pytest

from tournaments.standings.drama import MAX_DRAMA, SWING, MatchSummary, drama, highlight
from tournaments.standings.leads import leads_of


def test_a_swing_counts_more_than_any_close_end() -> None:
    close = drama([[10, 9], [20, 20]])
    swings = drama([[10, 0], [10, 1000]])
    assert close < SWING <= swings


def test_of_equal_swings_the_closer_end_counts_more() -> None:
    assert drama([[5, 2], [5, 9]]) > drama([[5, 2], [5, 50]])


def test_a_tie_does_not_end_a_lead() -> None:
    assert drama([[5, 2], [5, 5], [9, 5]]) == drama([[5, 2], [9, 5]])
    assert drama([[5, 2], [5, 5], [5, 9]]) == drama([[5, 2], [5, 9]])


def test_drama_is_bounded() -> None:
    assert drama([]) == 0
    assert drama([[7]]) == 0
    assert drama([[0, 0]]) == SWING - 1
    assert drama([[-5, -10], [-30, -10]]) >= SWING
    assert drama([[1, 0], [0, 1]] * 500) == MAX_DRAMA


def _summary(
    scores: list[int], *, faulted: int | None = None, standings: list[list[int]] | None = None
) -> MatchSummary:
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    faults = [side == faulted for side in range(len(scores))]
    return MatchSummary(
        scores, ranks, faults, leads_of([*standings, scores]) if standings is not None else None
    )


@pytest.mark.parametrize(
    ("group", "kind", "match", "side", "number"),
    [
        ([_summary([26, 20]), _summary([9, 21], faulted=0)], "fault", 1, 0, 0),
        ([_summary([26, 20]), _summary([20, 21])], "last_play", 1, 1, 1),
        ([_summary([21, 15], standings=[[9, 10]])], "last_play", 0, 0, 6),
        ([_summary([26, 12], standings=[[0, 7], [20, 12]])], "comeback", 0, 0, 7),
        (
            [_summary([26, 20], standings=[[1, 0], [0, 1], [2, 1], [2, 3], [4, 3]])],
            "changes",
            0,
            0,
            4,
        ),
        ([_summary([22, 20])], "close", 0, 0, 2),
        ([_summary([20, 20])], "close", 0, None, 0),
        ([_summary([26, 20]), _summary([10, 25])], "shared", 0, None, 6),
        ([_summary([26, 20]), _summary([25, 10])], "clear", 1, 0, 15),
    ],
)
def test_the_first_applicable_highlight_is_given(
    group: list[MatchSummary], kind: str, match: int, side: int | None, number: int
) -> None:
    mark = highlight(group, 21)
    assert (mark.kind, mark.match, mark.side, mark.count) == (kind, match, side, number)


def test_without_a_target_scores_are_relative_to_the_highest() -> None:
    assert highlight([_summary([1000, 950])], 0).kind == "close"
    assert highlight([_summary([1000, 850])], 0).kind == "clear"
    assert highlight([_summary([0, 0])], 0).kind == "shared"


def test_matches_of_several_sides_have_highlights() -> None:
    assert (
        highlight([_summary([10, 3, 2]), _summary([2, 9, 1]), _summary([1, 2, 12])], 0).kind
        == "shared"
    )
    assert highlight([_summary([10, 3, 2]), _summary([9, 2, 1]), _summary([1, 2, 12])], 0).side == 0


def test_a_loser_that_was_behind_made_no_comeback() -> None:
    assert highlight([_summary([10, 26], standings=[[0, 9], [1, 20]])], 21).kind == "clear"
