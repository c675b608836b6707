"""Drawings made on the server: interval bars, progress, gauges (`rating_history` draws ratings).

The functions are pure. They return coordinates in the units of an SVG `viewBox`, which templates
put into attributes, so a strict content security policy holds and drawings need no script.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple

BAR_WIDTH: Final = 240
BAR_MARGIN: Final = 10
GAUGE_WIDTH: Final = 320
_GAUGE_MARGIN: Final = 8
TICK_STEPS: Final = (5, 10, 20, 50, 100, 200, 500, 1000)
"""Distances between grid lines, in Elo."""


class Tick(NamedTuple):
    """A grid line: its coordinate and label."""

    at: float
    value: int

    @property
    def percent(self) -> str:
        """Its position on the axis of interval bars, as a percentage of the width."""
        return f"{self.at / BAR_WIDTH:.2%}"


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from Elo to one axis of a drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate of a value, two decimals."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, max_count: int) -> list[Tick]:
        """At most `max_count` round numbers inside the scale."""
        span = self.high - self.low
        step = next((s for s in TICK_STEPS if span / s <= max_count - 1), TICK_STEPS[-1])
        first, last = ceil(self.low / step), floor(self.high / step)
        return [Tick(self(number * step), number * step) for number in range(first, last + 1)]


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale that contains all values with a margin and is at least 100 Elo wide."""
    low, high = min(values, default=1000.0), max(values, default=1000.0)
    margin = max((high - low) * 0.04, (100 - (high - low)) / 2)
    return Scale(low - margin, high + margin, start, end)


class Bar(NamedTuple):
    """An interval bar: x of both ends and of the rating."""

    low: float
    dot: float
    high: float
    ends: str = ""
    """The path of the strokes at the closed ends."""


@dataclass(frozen=True, slots=True)
class Bars:
    """The axis shared by all interval bars of a table."""

    scale: Scale
    ticks: list[Tick]

    @property
    def grid(self) -> str:
        """The path of the lines at the ticks."""
        return "".join(f"M{tick.at} 0V20" for tick in self.ticks)

    @classmethod
    def from_values(cls, values: Sequence[float]) -> Bars:
        """An axis for all these ratings and interval ends."""
        axis = scale(values, BAR_MARGIN, BAR_WIDTH - BAR_MARGIN)
        return cls(axis, axis.ticks(5))

    def bar(self, rating: float, low: float | None, high: float | None) -> Bar:
        """The bar of a rating. An open end reaches the edge; without ends, it is only a dot."""
        dot = self.scale(rating)
        if low is None and high is None:
            return Bar(dot, dot, dot)
        x = [None if end is None else self.scale(end) for end in (low, high)]
        ends = "".join(f"M{end} 6V14" for end in x if end is not None)
        return Bar(0.0 if x[0] is None else x[0], dot, BAR_WIDTH if x[1] is None else x[1], ends)


def progress_bar(*parts: int) -> list[tuple[int, int]]:
    """(x, width) of each part of a progress bar. Its viewBox is as wide as the sum of the parts."""
    result, x = [], 0
    for width in parts:
        result.append((x, width))
        x += width
    return result


class Gauge(NamedTuple):
    """A gauge between two bounds: x of both bounds, of zero and of the value."""

    width: int
    left: float
    right: float
    zero: float
    at: float

    @property
    def span(self) -> float:
        """The distance between the bounds."""
        return round(self.right - self.left, 2)


def gauge(value: float, low: float, high: float) -> Gauge:
    """A gauge from `low` (below zero) to `high` (above zero); other values are clamped."""
    axis = Scale(low, high, _GAUGE_MARGIN, GAUGE_WIDTH - _GAUGE_MARGIN)
    clamped = min(max(value, low), high)
    return Gauge(GAUGE_WIDTH, axis(low), axis(high), axis(0.0), axis(clamped))


def heat(points: float, groups: int) -> int:
    """The shade of a cross table's cell, from 0 (loses everything) through 3 (even) to 6 (wins
    all)."""
    return min(6, int(points / groups * 7)) if groups else 3


_HEAT_LIMITS: Final = (20, 33, 46, 55, 68, 81)


def share_heat(percent: float) -> int:
    """The shade, as in `heat`, for a percentage of points; 46 to 54 is even (3)."""
    return bisect_right(_HEAT_LIMITS, percent)
