"""What makes a match worth watching again."""

from __future__ import annotations

from tournaments.standings.drama import MOST, SWING, drama


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
    assert drama([[1, 0], [0, 1]] * 500) == MOST
