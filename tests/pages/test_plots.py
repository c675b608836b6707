"""Geometry of bars and histories."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom.display.plots import (
    BAR_MARGIN,
    BAR_WIDTH,
    Bars,
    gauge,
    heat,
    progress_bar,
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


def test_parts_of_the_progress_bar_are_adjacent() -> None:
    assert progress_bar(5, 2, 1) == [(0, 5), (5, 2), (7, 1)]


def test_heat_has_seven_even_steps() -> None:
    assert [heat(points, 6) for points in (0, 1, 2, 3, 4, 5, 6)] == [0, 1, 2, 3, 4, 5, 6]
    assert heat(0, 0) == 3


def test_a_gauge_holds_its_value_between_its_bounds() -> None:
    drawing = gauge(0.0, -3.0, 3.0)
    assert drawing.at == drawing.zero == drawing.width / 2
    assert gauge(9.0, -3.0, 3.0).at == drawing.right
    assert gauge(-9.0, -3.0, 3.0).at == drawing.left
    skewed = gauge(-1.0, -1.0, 3.0)
    assert skewed.at == skewed.left
    assert skewed.zero == pytest.approx(skewed.left + skewed.span / 4)
