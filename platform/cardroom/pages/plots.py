"""Drawings made on the server: interval bars and the history of a rating.

Pure: numbers in, geometry out, in the units of a `viewBox`. Templates put it into attributes, so a
strict policy holds and everything is there without a script.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple

BAR_WIDTH: Final = 240
BAR_MARGIN: Final = 10
GAUGE_WIDTH: Final = 320
_GAUGE_MARGIN: Final = 8
STEPS: Final = (5, 10, 20, 50, 100, 200, 500, 1000)
"""Distances between grid lines, in Elo."""


class Tick(NamedTuple):
    """A grid line: where, and the number beside it."""

    at: float
    value: int


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

    def ticks(self, most: int) -> list[Tick]:
        """At most `most` round numbers inside the scale (at least the step allows)."""
        step = next((s for s in STEPS if (self.high - self.low) / s <= most - 1), STEPS[-1])
        first, last = ceil(self.low / step), floor(self.high / step)
        return [Tick(self(number * step), number * step) for number in range(first, last + 1)]


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale that holds all values with a little room; never narrower than 100 Elo."""
    low, high = min(values, default=1000.0), max(values, default=1000.0)
    room = max((high - low) * 0.04, (100 - (high - low)) / 2)
    return Scale(low - room, high + room, start, end)


class Bar(NamedTuple):
    """An interval bar: x of both ends and of the rating."""

    low: float
    dot: float
    high: float


@dataclass(frozen=True, slots=True)
class Bars:
    """The one axis that all interval bars of a table share."""

    scale: Scale
    ticks: list[Tick]

    @classmethod
    def from_values(cls, values: Sequence[float]) -> Bars:
        """An axis for all these ratings and interval ends."""
        axis = scale(values, BAR_MARGIN, BAR_WIDTH - BAR_MARGIN)
        return cls(axis, axis.ticks(5))

    def bar(self, rating: float, low: float | None, high: float | None) -> Bar:
        """The bar of one rating; without an interval it is a mark alone."""
        ends = (rating if low is None else low, rating if high is None else high)
        return Bar(self.scale(ends[0]), self.scale(rating), self.scale(ends[1]))


# --- history ------------------------------------------------------------------------------------

WIDTH: Final = 640
HEIGHT: Final = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 26, 24
MAX_POINTS: Final = 120
"""How many points a line shows; a longer history is thinned evenly, keeping the last."""


class Point(NamedTuple):
    """A rating after a match."""

    match: int
    version: int
    rating: float


class Interval(NamedTuple):
    """What a fit said about a version: its rating with its 95 % interval."""

    at: int
    """The place in the history of the version's last match that the fit knew."""
    low: float
    fitted: float
    high: float


class VersionMark(NamedTuple):
    """Where a version begins: x of the dashed line, number."""

    at: float
    number: int


@dataclass(frozen=True, slots=True)
class History:
    """A drawn history; `lines` holds a polyline's points for every version."""

    width: int
    height: int
    lines: list[str]
    versions: list[VersionMark]
    bands: list[str]
    """Polygons: the interval of each version over its matches, as it was fitted on the way."""
    fits: list[str]
    """Polylines: the fitted rating in the middle of each band."""
    grid: list[Tick]
    last: tuple[float, float]
    steps: list[Point]
    """What was drawn, for the table below it, the newest last."""
    total: int
    """Matches in the whole history."""


def history(steps: Sequence[Point], intervals: dict[int, list[Interval]]) -> History | None:
    """Draw a history in the order of its matches; None if there is none.

    `intervals` by version number. The line breaks where a version begins, for it starts afresh.
    """
    if not steps:
        return None
    kept = thin(steps, MAX_POINTS)
    shown = {step.version for _, step in kept}
    # The first intervals are as wide as the prior: the newest decide how much is shown.
    newest = [intervals[v][-1] for v in shown if v in intervals]
    ends = [end for each in newest for end in (each.low, each.fitted, each.high)]
    y = scale([step.rating for _, step in kept] + ends, HEIGHT - _BOTTOM, _TOP)
    x = Scale(0, max(len(steps) - 1, 1), _LEFT, WIDTH - _RIGHT)
    spans = _spans(steps)
    known = [_drawn(intervals[number], last) for number, _, last in spans if number in intervals]
    return History(
        width=WIDTH,
        height=HEIGHT,
        lines=[
            " ".join(f"{x(i)},{y(s.rating)}" for i, s in kept if first <= i <= last)
            for _, first, last in spans
        ],
        versions=[VersionMark(x(first), number) for number, first, _ in spans],
        bands=[_band(x, y, each) for each in known],
        fits=[_middle(x, y, each) for each in known],
        grid=y.ticks(5),
        last=(x(kept[-1][0]), y(kept[-1][1].rating)),
        steps=[step for _, step in kept],
        total=len(steps),
    )


def thin(steps: Sequence[Point], most: int) -> list[tuple[int, Point]]:
    """At most `most` steps with their places, evenly spaced; the first and the last always."""
    if len(steps) <= most:
        return list(enumerate(steps))
    places = {round(i * (len(steps) - 1) / (most - 1)) for i in range(most)}
    return [(place, steps[place]) for place in sorted(places)]


def _spans(steps: Sequence[Point]) -> list[tuple[int, int, int]]:
    """(version, first place, last place) of each stretch played by one version."""
    spans: list[tuple[int, int, int]] = []
    for place, step in enumerate(steps):
        if spans and spans[-1][0] == step.version:
            spans[-1] = (step.version, spans[-1][1], place)
        else:
            spans.append((step.version, place, place))
    return spans


def _drawn(intervals: Sequence[Interval], last: int) -> list[Interval]:
    """The newest one goes on to the version's last match, or a little further."""
    return [*intervals, intervals[-1]._replace(at=max(last, intervals[-1].at + 1))]


def _band(x: Scale, y: Scale, known: Sequence[Interval]) -> str:
    """The points of a polygon: the upper ends from left to right, then the lower ones back."""
    above = [(x(each.at), y(min(each.high, y.high))) for each in known]
    below = [(x(each.at), y(max(each.low, y.low))) for each in reversed(known)]
    return " ".join(f"{left},{top}" for left, top in above + below)


def _middle(x: Scale, y: Scale, known: Sequence[Interval]) -> str:
    """The points of a polyline through the fitted ratings."""
    shown = [(x(each.at), y(min(max(each.fitted, y.low), y.high))) for each in known]
    return " ".join(f"{left},{top}" for left, top in shown)


# --- places -------------------------------------------------------------------------------------


def place_ranges(intervals: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """The best and worst place that each interval leaves open: where bars overlap it is not yet
    clear who is stronger."""
    lows = sorted(low for low, _ in intervals)
    highs = sorted(high for _, high in intervals)
    count = len(intervals)
    ranges = []
    for low, high in intervals:
        above = count - bisect_right(lows, high)
        below = bisect_left(highs, low)
        ranges.append((above + 1, count - below))
    return ranges


def progress_bar(*parts: int) -> list[tuple[int, int]]:
    """(x, width) of each part of a progress bar whose viewBox is as wide as their sum."""
    result, at = [], 0
    for part in parts:
        result.append((at, part))
        at += part
    return result


class Gauge(NamedTuple):
    """A value on its way between two bounds: x of both bounds, of zero, of the value."""

    width: int
    left: float
    right: float
    zero: float
    at: float

    @property
    def span(self) -> float:
        """From bound to bound."""
        return round(self.right - self.left, 2)


def gauge(value: float, low: float, high: float) -> Gauge:
    """A gauge from `low` (below zero) to `high` (above it); values beyond are shown at the end."""
    axis = Scale(low, high, _GAUGE_MARGIN, GAUGE_WIDTH - _GAUGE_MARGIN)
    held = min(max(value, low), high)
    return Gauge(GAUGE_WIDTH, axis(low), axis(high), axis(0.0), axis(held))


def heat(points: float, groups: int) -> int:
    """The step of a cross table's cell: 0 loses everything, 3 even, 6 wins everything."""
    return min(6, int(points / groups * 7)) if groups else 3
