"""Draws a bot's rating over its matches.

The functions are pure. They return coordinates in the units of an SVG `viewBox`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cardroom.display.plots import Scale, Tick, scale
from tournaments.ratings.elo import margin

WIDTH: Final = 640
HEIGHT: Final = 256
LEFT: Final = 64
RIGHT: Final = 10
TOP: Final = 26
BOTTOM: Final = 196
"""The lower edge of the ratings, above the marks of results."""
RESULTS_LINE: Final = 216
"""The line between the marks of won and lost matches."""
MARK_HEIGHT: Final = 11
"""The height of a mark for a stretch of matches that were all won, or all lost."""
MAX_POINTS: Final = 120
"""The maximum number of points drawn; longer histories are thinned evenly."""


class EloStep(NamedTuple):
    """A match with the live Elo before and after it."""

    match: int
    version: int
    before: float
    after: float


class Interval(NamedTuple):
    """A fit of a version: its rating with its 95 % interval."""

    at: int
    """The index of the version's last match that the fit includes."""
    low: float | None
    fitted: float
    high: float | None


class HistoryShift(NamedTuple):
    """A shift of the pool's scale."""

    at: int
    """The index of the last match before it."""
    points: float
    reason: str


class ScaleShiftMark(NamedTuple):
    """A shift of the scale in the drawing."""

    at: float
    """x of the dotted line."""
    match: int
    """The last match before it."""
    points: float
    reason: str


class VersionMark(NamedTuple):
    """The start of a version: the x of its dashed line, and its number."""

    at: float
    number: int


class FitRow(NamedTuple):
    """A row of the table below the plot."""

    match: int
    version: int
    low: float | None
    fitted: float
    high: float | None


@dataclass(frozen=True, slots=True)
class RatingPlot:
    """The geometry of a history."""

    width: int
    height: int
    versions: list[VersionMark]
    shifts: list[ScaleShiftMark]
    """Oldest first."""
    bands: list[str]
    """Polygons: the intervals of each version over its matches, from the fits at the time."""
    lines: list[str]
    """Polylines: the fitted rating in the middle of each band."""
    since: str
    """Polyline: from the last fit on, the fitted rating plus the change of the live Elo; without a
    fit, the live Elo. Empty without later matches."""
    grid: list[Tick]
    last: tuple[float, float]
    """The dot: the last fit, or else the live Elo."""
    rating: float
    """The rating at the dot."""
    margin: float | None
    """The distance to the farther end of the dot's interval; None without a fit, or if an end is
    open."""
    won: str
    lost: str
    """Paths of the marks of won and lost matches, above and below `RESULTS_LINE`."""
    table: list[FitRow]
    """Newest last."""
    total: int
    """The number of matches in the whole history."""

    @property
    def label(self) -> tuple[float, float]:
        """The position of the value's text: below the dot and to its left; above the dot near the
        lower edge."""
        x, y = self.last
        return max(x, LEFT + 90), (y - 10 if y > BOTTOM - 30 else y + 20)


def history(
    steps: Sequence[EloStep],
    intervals: dict[int, list[Interval]],
    shifts: Sequence[HistoryShift] = (),
) -> RatingPlot | None:
    """The drawing of a history; None without matches.

    `steps`: in the order of the matches. `intervals`: by version number. The line breaks at each
    version, because a new version starts with a new rating.
    """
    if not steps:
        return None
    spans = _spans(steps)
    bands = [_fits_of_span(intervals.get(number, []), first) for number, first, _ in spans]
    latest = _line_since_fit(steps, bands[-1], spans[-1][1])
    y = _rating_scale(bands, latest)
    x = Scale(0, max(len(steps) - 1, 1), LEFT, WIDTH - RIGHT)
    last = bands[-1][-1] if bands[-1] else None
    at, rating = (last.at, last.fitted) if last else latest[-1]
    won, lost = _result_marks(steps, x)
    return RatingPlot(
        width=WIDTH,
        height=HEIGHT,
        versions=[VersionMark(x(first), number) for number, first, _ in spans],
        shifts=[ScaleShiftMark(x(s.at), steps[s.at].match, s.points, s.reason) for s in shifts],
        bands=[_band(x, y, band) for band in bands if band],
        lines=[_middle(x, y, band) for band in bands if band],
        since=_polyline(x, y, latest) if len(latest) > 1 else "",
        grid=y.ticks(5),
        last=(x(at), y(rating)),
        rating=rating,
        margin=margin(last.fitted, last.low, last.high) if last else None,
        won=won,
        lost=lost,
        table=_table(steps, spans, intervals),
        total=len(steps),
    )


def evenly_spaced(length: int, max_count: int) -> list[int]:
    """At most `max_count` indices below `length`, evenly spaced, with the first and the last."""
    if length <= max_count:
        return list(range(length))
    return sorted({round(i * (length - 1) / (max_count - 1)) for i in range(max_count)})


def _spans(steps: Sequence[EloStep]) -> list[tuple[int, int, int]]:
    """(version, first index, last index) of each span of matches by one version."""
    spans: list[tuple[int, int, int]] = []
    for index, step in enumerate(steps):
        if spans and spans[-1][0] == step.version:
            spans[-1] = (step.version, spans[-1][1], index)
        else:
            spans.append((step.version, index, index))
    return spans


def _fits_of_span(intervals: Sequence[Interval], first: int) -> list[Interval]:
    """The fits within a span; the first one also covers the earlier matches of the span."""
    span_fits = [interval for interval in intervals if interval.at >= first]
    return [span_fits[0]._replace(at=first), *span_fits] if span_fits else []


def _line_since_fit(
    steps: Sequence[EloStep], intervals: Sequence[Interval], first: int
) -> list[tuple[int, float]]:
    """(index, rating) from the last fit on: the fit plus the change of the live Elo."""
    first_index = intervals[-1].at if intervals else first
    offset = intervals[-1].fitted - steps[first_index].after if intervals else 0.0
    indices = [first_index + i for i in evenly_spaced(len(steps) - first_index, MAX_POINTS)]
    return [(index, offset + steps[index].after) for index in indices]


def _rating_scale(
    bands: Sequence[Sequence[Interval]], latest: Sequence[tuple[int, float]]
) -> Scale:
    # First intervals are as wide as the prior, so the newest ones determine the scale.
    newest = [band[-1] for band in bands if band]
    ends = [end for fit in newest for end in (fit.low, fit.fitted, fit.high)]
    values = [end for end in ends if end is not None]
    values += [fit.fitted for fits in bands for fit in fits]
    return scale([*values, *(rating for _, rating in latest)], BOTTOM, TOP)


def _band(x: Scale, y: Scale, intervals: Sequence[Interval]) -> str:
    """The points of a polygon: the upper ends from left to right, then the lower ones back."""
    highs = [(fit.at, y.high if fit.high is None else fit.high) for fit in intervals]
    lows = [(fit.at, y.low if fit.low is None else fit.low) for fit in reversed(intervals)]
    above = [(x(at), y(min(high, y.high))) for at, high in highs]
    below = [(x(at), y(max(low, y.low))) for at, low in lows]
    return " ".join(f"{left},{top}" for left, top in above + below)


def _middle(x: Scale, y: Scale, intervals: Sequence[Interval]) -> str:
    return _polyline(x, y, [(interval.at, interval.fitted) for interval in intervals])


def _polyline(x: Scale, y: Scale, points: Sequence[tuple[int, float]]) -> str:
    return " ".join(f"{x(index)},{y(rating)}" for index, rating in points)


def _result_marks(steps: Sequence[EloStep], x: Scale) -> tuple[str, str]:
    """Paths of the marks of wins and losses: one per match, or one per stretch, as high as its
    share of wins or losses."""
    won, lost = [], []
    for index, stretch in _stretches(steps):
        up = sum(step.after > step.before for step in stretch) / len(stretch)
        down = sum(step.after < step.before for step in stretch) / len(stretch)
        if up:
            won.append(f"M{x(index)} {RESULTS_LINE - 1}v{-round(MARK_HEIGHT * up, 1)}")
        if down:
            lost.append(f"M{x(index)} {RESULTS_LINE + 1}v{round(MARK_HEIGHT * down, 1)}")
    return "".join(won), "".join(lost)


def _stretches(steps: Sequence[EloStep]) -> Iterator[tuple[int, Sequence[EloStep]]]:
    """At most `MAX_POINTS` stretches of consecutive matches: (index of the last one, matches)."""
    before = -1
    for index in evenly_spaced(len(steps), MAX_POINTS):
        yield index, steps[before + 1 : index + 1]
        before = index


def _table(
    steps: Sequence[EloStep],
    spans: Sequence[tuple[int, int, int]],
    intervals: dict[int, list[Interval]],
) -> list[FitRow]:
    """At most `MAX_POINTS` of the fits, evenly spaced, oldest first."""
    numbers = {number for number, _, _ in spans}
    fits = sorted(
        (interval.at, number, interval.low, interval.fitted, interval.high)
        for number in numbers
        for interval in intervals.get(number, [])
    )
    rows = [fits[i] for i in evenly_spaced(len(fits), MAX_POINTS)]
    return [
        FitRow(steps[at].match, version, low, fitted, high)
        for at, version, low, fitted, high in rows
    ]
