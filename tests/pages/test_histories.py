"""Geometry of the history of a rating."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom.pages.common.rating_history import (
    BOTTOM,
    HEIGHT,
    MAX_POINTS,
    TOP,
    WIDTH,
    EloStep,
    HistoryShift,
    Interval,
    evenly_spaced,
    history,
)

elos = st.floats(-500, 4000)


def points(line: str) -> list[tuple[float, float]]:
    """The points of a polyline or polygon."""
    pairs = [tuple(map(float, point.split(","))) for point in line.split()]
    return [(x, y) for x, y in pairs]


def test_without_matches_there_is_no_history() -> None:
    assert history([], {}) is None


def test_the_live_elo_is_dotted_from_the_end_of_the_fitted_line() -> None:
    steps = [EloStep(n, 1 if n < 10 else 3, 900.0 + n, 901.0 + n) for n in range(20)]
    fits = [Interval(12, 1500, 1800, 2100), Interval(14, 1780, 1810, 1840)]
    drawing = history(steps, {3: fits, 7: [Interval(0, 0, 1, 2)]})
    assert drawing is not None
    assert [mark.number for mark in drawing.versions] == [1, 3]
    (line,) = drawing.lines  # version 1 has no fit, version 7 no match
    middle = points(line)
    assert middle[0][0] == drawing.versions[1].at  # without a gap from the version's first match on
    assert middle[0][1] == middle[1][1]
    assert (drawing.rating, drawing.margin) == (1810, 30)
    assert drawing.last == middle[-1]
    since = points(drawing.since)
    assert since[0] == drawing.last
    # The live Elo has risen by five since, and so does the dotted line; its value 915 is not drawn.
    assert since[-1][0] == WIDTH - 10
    assert since[-1][1] < since[0][1]
    assert all(TOP <= y <= BOTTOM for _, y in (*middle, *since))
    (band,) = drawing.bands
    above, below = points(band)[:3], points(band)[:2:-1]
    assert all(a[1] <= m[1] <= b[1] for a, m, b in zip(above, middle, below, strict=True))
    assert [fit.match for fit in drawing.table] == [12, 14]


def test_before_the_first_fit_the_live_elo_is_dotted() -> None:
    drawing = history([EloStep(n, 1, 1200.0 + n, 1201.0 + n) for n in range(3)], {})
    assert drawing is not None
    assert (drawing.lines, drawing.bands, drawing.margin) == ([], [], None)
    assert len(points(drawing.since)) == 3
    assert drawing.rating == 1203.0


def test_won_matches_are_marked_above_lost_ones_below() -> None:
    steps = [EloStep(0, 1, 1200, 1210), EloStep(1, 1, 1210, 1210), EloStep(2, 1, 1210, 1200)]
    drawing = history(steps, {})
    assert drawing is not None
    assert (drawing.won.count("M"), drawing.lost.count("M")) == (1, 1)
    assert drawing.won.endswith("v-11.0")
    assert drawing.lost.endswith("v11.0")


def test_scale_shifts_are_drawn_at_the_match_before_them() -> None:
    steps = [EloStep(10 + n, 1, 1200, 1210) for n in range(4)]
    drawing = history(steps, {}, [HistoryShift(2, 12.5, "new bots changed the average")])
    assert drawing is not None
    (mark,) = drawing.shifts
    assert (mark.match, mark.points, mark.reason) == (12, 12.5, "new bots changed the average")
    assert mark.at == pytest.approx(64 + (WIDTH - 10 - 64) * 2 / 3, abs=0.01)


@given(st.integers(1, 1000))
def test_a_long_history_is_thinned_evenly_with_both_ends(length: int) -> None:
    points_kept = evenly_spaced(length, MAX_POINTS)
    assert len(points_kept) <= MAX_POINTS
    assert (points_kept[0], points_kept[-1]) == (0, length - 1)
    gaps = {b - a for a, b in pairwise(points_kept)}
    assert not gaps or max(gaps) - min(gaps) <= 1


@given(st.lists(elos, min_size=1, max_size=300), st.data())
def test_every_point_lies_inside_the_drawing(values: list[float], data: st.DataObject) -> None:
    indices = data.draw(
        st.lists(st.integers(0, len(values) - 1), max_size=4, unique=True).map(sorted)
    )
    fits = [Interval(place, 1000, 1100, 1200) for place in indices]
    steps = [EloStep(n, 1, 1200.0, value) for n, value in enumerate(values)]
    drawing = history(steps, {1: fits})
    assert drawing is not None
    for x, y in points(" ".join([*drawing.lines, *drawing.bands, drawing.since])):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
    assert drawing.label[0] <= WIDTH
    assert 0 <= drawing.label[1] <= BOTTOM + 12


def test_the_margin_covers_a_lopsided_interval() -> None:
    for low, high, expected in ((1180, 1400, 200), (1000, 1210, 200), (1180, None, None)):
        drawing = history([EloStep(0, 1, 1200, 1210)], {1: [Interval(0, low, 1200, high)]})
        assert drawing is not None
        assert drawing.margin == expected


def test_the_value_is_written_inside_the_panel() -> None:
    drawing = history([EloStep(0, 1, 1200, 1210)], {1: [Interval(0, 1100, 1200, 1300)]})
    assert drawing is not None
    assert drawing.last[0] == pytest.approx(64)
    assert drawing.label[0] == pytest.approx(154)
