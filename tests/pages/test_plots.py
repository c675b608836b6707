"""Geometry of bars and histories."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom.pages.plots import (
    BAR_MARGIN,
    BAR_WIDTH,
    HEIGHT,
    MAX_POINTS,
    WIDTH,
    Bars,
    Interval,
    Point,
    gauge,
    heat,
    history,
    place_ranges,
    progress_bar,
    thin,
)

elos = st.floats(-500, 4000)


@given(st.lists(elos, min_size=1, max_size=40))
def test_every_bar_lies_inside_the_drawing(values: list[float]) -> None:
    bars = Bars.from_values(values)
    for value in values:
        assert BAR_MARGIN <= bars.bar(value, None, None).dot <= BAR_WIDTH - BAR_MARGIN
    assert 1 <= len(bars.ticks) <= 5
    assert all(BAR_MARGIN <= tick.at <= BAR_WIDTH - BAR_MARGIN for tick in bars.ticks)


def test_a_bar_runs_from_low_to_high_with_the_rating_between() -> None:
    bar = Bars.from_values([1000, 1600]).bar(1300, 1200, 1400)
    assert bar.low < bar.dot < bar.high
    assert bar.dot == BAR_WIDTH / 2


def test_ticks_are_round_numbers() -> None:
    assert [tick.value for tick in Bars.from_values([1000, 1650]).ticks] == [1000, 1200, 1400, 1600]
    assert [tick.value for tick in Bars.from_values([1200]).ticks] == [1150, 1200, 1250]


def test_where_intervals_overlap_the_place_is_a_range() -> None:
    assert place_ranges([(1500, 1600), (1550, 1700), (1000, 1100)]) == [(1, 2), (1, 2), (3, 3)]


@given(st.lists(st.tuples(elos, elos).map(sorted).map(tuple), min_size=1, max_size=12))
def test_place_ranges_count_who_is_surely_above_and_below(ends: list[tuple[float, float]]) -> None:
    for (low, high), (best, worst) in zip(ends, place_ranges(ends), strict=True):
        assert best == 1 + sum(other[0] > high for other in ends)
        assert worst == len(ends) - sum(other[1] < low for other in ends)


def test_no_matches_no_history() -> None:
    assert history([], {}) is None


def test_a_history_breaks_at_a_new_version_and_keeps_the_last_rating() -> None:
    steps = [Point(n, 1 if n < 10 else 3, 1200 + n) for n in range(20)]
    fits = [Interval(10, 900, 1200, 1500), Interval(14, 1180, 1210, 1240)]
    drawn = history(steps, {3: fits, 7: [Interval(0, 0, 1, 2)]})
    assert drawn is not None
    assert [mark.number for mark in drawn.versions] == [1, 3]
    assert len(drawn.lines) == 2
    assert [len(line.split()) for line in drawn.lines] == [10, 10]
    (band,) = drawn.bands  # version 7 has no match here
    points = [tuple(map(float, point.split(","))) for point in band.split()]
    assert points[0][0] == points[-1][0] == drawn.versions[1].at
    assert points[2][0] == points[3][0] == drawn.last[0]  # the newest lasts to the end
    assert points[2][1] == points[1][1] > points[0][1]  # and is narrower; up is less
    assert all(0 < y < HEIGHT for _, y in points)
    (fit,) = drawn.fits
    middle = [tuple(map(float, point.split(","))) for point in fit.split()]
    assert [x for x, _ in middle] == [x for x, _ in points[:3]]
    assert all(
        above <= y <= below
        for (_, above), (_, y), (_, below) in zip(points, middle, points[:2:-1], strict=False)
    )
    assert drawn.steps[-1] == steps[-1]
    assert drawn.total == 20


@given(st.integers(1, 1000))
def test_a_long_history_is_thinned_evenly_with_both_ends(length: int) -> None:
    steps = [Point(n, 1, 1200.0) for n in range(length)]
    kept = thin(steps, MAX_POINTS)
    assert len(kept) <= MAX_POINTS
    assert (kept[0][0], kept[-1][0]) == (0, length - 1)
    gaps = {b - a for (a, _), (b, _) in pairwise(kept)}
    assert not gaps or max(gaps) - min(gaps) <= 1


@given(st.lists(elos, min_size=1, max_size=300))
def test_every_point_lies_inside_the_drawing(values: list[float]) -> None:
    drawn = history([Point(n, 1, value) for n, value in enumerate(values)], {})
    assert drawn is not None
    for point in " ".join(drawn.lines).split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT


def test_progress_parts_stand_beside_each_other() -> None:
    assert progress_bar(5, 2, 1) == [(0, 5), (5, 2), (7, 1)]


def test_heat_has_seven_even_steps() -> None:
    assert [heat(points, 6) for points in (0, 1, 2, 3, 4, 5, 6)] == [0, 1, 2, 3, 4, 5, 6]
    assert heat(0, 0) == 3


def test_a_gauge_holds_its_value_between_its_bounds() -> None:
    drawn = gauge(0.0, -3.0, 3.0)
    assert drawn.at == drawn.zero == drawn.width / 2
    assert gauge(9.0, -3.0, 3.0).at == drawn.right
    assert gauge(-9.0, -3.0, 3.0).at == drawn.left
    skewed = gauge(-1.0, -1.0, 3.0)
    assert skewed.at == skewed.left
    assert skewed.zero == pytest.approx(skewed.left + skewed.span / 4)
