"""Ranges of places, and the number of deal groups that would separate two neighbours."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.ratings.elo import SCALE, Z95, expected
from tournaments.ratings.fit import fit
from tournaments.ratings.fit_result import Form
from tournaments.ratings.result_arrays import RatedMatch
from tournaments.standings.separation import (
    groups_to_separate,
    place_ranges,
    place_ranges_by_differences,
)

elos = st.floats(-500, 4000)
intervals = st.lists(st.tuples(elos, elos).map(sorted).map(tuple), min_size=1, max_size=12)
points = st.floats(0.5, 800)
deviations = st.floats(1, 400)
dispersions = st.floats(0.2, 5)
matches = st.integers(1, 8)
TWICE = [Form("", 1.0, 1.0, 2)]


@given(points, deviations, dispersions, matches)
def test_with_these_groups_the_interval_just_excludes_zero(
    difference: float, sd: float, dispersion: float, length: int
) -> None:
    groups = groups_to_separate(difference, sd, [Form("", 1.0, dispersion, length)])
    if difference > Z95 * sd:
        assert groups == 0
        return
    share = expected(difference, 0.0)
    information = length * share * (1 - share) * (log(10) / SCALE) ** 2 / dispersion
    deviation = 1 / sqrt(1 / sd**2 + groups * information)
    assert Z95 * deviation == pytest.approx(difference)


@given(points, deviations, dispersions, matches, st.floats(1.0, 3.0))
def test_more_is_needed_where_less_is_known(
    difference: float, sd: float, dispersion: float, length: int, factor: float
) -> None:
    def needed(difference: float, sd: float, dispersion: float, length: int) -> float:
        return groups_to_separate(difference, sd, [Form("", 1.0, dispersion, length)])

    groups = needed(difference, sd, dispersion, length)
    assert needed(-difference, sd, dispersion, length) == pytest.approx(groups)
    assert needed(difference, factor * sd, dispersion, length) >= groups
    assert needed(difference, sd, factor * dispersion, length) == pytest.approx(factor * groups)
    assert needed(difference, sd, dispersion, 2 * length) == pytest.approx(groups / 2)


def test_equal_ratings_are_never_separated() -> None:
    assert groups_to_separate(0.0, 30.0, TWICE) == inf
    assert groups_to_separate(0.0, 0.0, TWICE) == inf
    assert groups_to_separate(-5.0, 0.0, TWICE) == 0


def test_each_format_counts_by_its_slope_dispersion_and_share() -> None:
    """A short match with half the slope has a quarter of the information at even chances."""
    standard, short, loose = Form("", 1.0, 1.0, 2), Form("", 0.5, 1.0, 2), Form("", 1.0, 2.0, 2)
    alone = groups_to_separate(2.0, 30.0, [standard])
    assert groups_to_separate(2.0, 30.0, [short]) == pytest.approx(4 * alone, rel=1e-3)
    assert groups_to_separate(2.0, 30.0, [loose]) == pytest.approx(2 * alone)
    mixed = groups_to_separate(2.0, 30.0, [standard, replace(short, games=6, groups=3)])
    assert mixed == pytest.approx(alone / ((1 + 3 / 4) / 4), rel=1e-3)
    assert groups_to_separate(2.0, 30.0, []) == inf
    # A mean of games is as exact as its worst game, however often the others are played.
    games = [replace(standard, name="a/v/1v1", groups=9, games=18), replace(short, name="b/v/1v1")]
    assert groups_to_separate(2.0, 30.0, games) == pytest.approx(alone * (1 + 4) / 2, rel=1e-3)


def test_a_fit_with_the_predicted_groups_settles_the_order() -> None:
    """The number agrees with the fit: after as many groups at the same score, the order is sure."""

    def played(groups: int) -> tuple[float, float, list[Form]]:
        games = []
        for group in range(groups):
            won = group * 11 % 20 < 11  # 55 of 100, evenly spread
            for match in range(2):
                ahead = won if match else group * 7 % 20 < 11
                games.append(RatedMatch((("a",), ("b",)), (1, 2) if ahead else (2, 1), group))
        fitted = fit(games)
        return (*fitted.difference("a", "b"), list(fitted.forms))

    difference, sd, forms = played(100)
    assert difference < Z95 * sd
    groups_needed = groups_to_separate(difference, sd, forms)
    assert 50 < groups_needed < 1_000
    fewer, enough = (played(100 + round(groups_needed * share)) for share in (0.5, 1.5))
    assert fewer[0] < Z95 * fewer[1]
    assert enough[0] > Z95 * enough[1]


def test_overlapping_intervals_give_a_range_of_places() -> None:
    assert place_ranges([(1500, 1600), (1550, 1700), (1000, 1100)]) == [(1, 2), (1, 2), (3, 3)]
    assert place_ranges([(1500, inf), (1400, 1450), (-inf, 1300)]) == [(1, 1), (2, 2), (3, 3)]


@given(intervals)
def test_place_ranges_count_entrants_surely_above_and_below(
    ends: list[tuple[float, float]],
) -> None:
    for (low, high), (best, worst) in zip(ends, place_ranges(ends), strict=True):
        assert best == 1 + sum(other[0] > high for other in ends)
        assert worst == len(ends) - sum(other[1] < low for other in ends)


def test_a_narrow_difference_settles_overlapping_intervals() -> None:
    ratings = np.array([1540.0, 1500.0, 1490.0])
    ends = [(1510.0, 1570.0), (1470.0, 1530.0), (1460.0, 1520.0)]
    assert place_ranges(ends)[0] == (1, 3)
    assert place_ranges_by_differences(ratings, np.full((3, 3), 10.0), ends) == [
        (1, 1),
        (2, 3),
        (2, 3),
    ]
    ends[0] = (1510.0, inf)
    assert place_ranges_by_differences(ratings, np.full((3, 3), 10.0), ends)[0] == (1, 3)


@given(st.lists(elos, min_size=1, max_size=12), st.floats(0, 300))
def test_every_place_range_contains_the_place_by_rating(values: list[float], sd: float) -> None:
    ordered = sorted(values, reverse=True)
    ends = [(value - sd, value + sd) for value in ordered]
    spread = np.full((len(ordered), len(ordered)), sd)
    ranges = place_ranges_by_differences(np.array(ordered), spread, ends)
    for place, (best, worst) in enumerate(ranges, 1):
        assert best <= place <= worst
