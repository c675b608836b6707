"""The history of a bot's rating as a drawing with one line: the fitted rating.

Pure: functions return geometry in the units of a `viewBox`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cardroom.display.plots import Scale, Tick, scale
from tournaments.ratings.elo import half_width

WIDTH: Final = 640
HEIGHT: Final = 256
LEFT: Final = 64
RIGHT: Final = 10
TOP: Final = 26
BOTTOM: Final = 196
"""The lower edge of the ratings, above the marks of matches."""
MATCHES: Final = 216
"""The line between marks of won and lost matches."""
TICK: Final = 11
"""The height of the mark of a stretch without a loss."""
MAX_POINTS: Final = 120
"""The most points drawn; longer histories are thinned evenly but keep the last point."""


class Point(NamedTuple):
    """A match and the live Elo after it."""

    match: int
    version: int
    before: float
    after: float


class Interval(NamedTuple):
    """A fit of a version: its rating with its 95 % interval."""

    at: int
    """The place in the history of the version's last match that the fit knew."""
    low: float | None
    fitted: float
    high: float | None


class Move(NamedTuple):
    """A move of the pool's scale."""

    at: int
    """The place in the history of the last match before it."""
    points: float
    reason: str


class MoveMark(NamedTuple):
    """A drawn move of the scale."""

    at: float
    """x of the dotted line."""
    match: int
    """The last match before it."""
    points: float
    reason: str


class VersionMark(NamedTuple):
    """The start of a version: x of the dashed line, and its number."""

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
class History:
    """A drawn history."""

    width: int
    height: int
    versions: list[VersionMark]
    moves: list[MoveMark]
    """Oldest first."""
    bands: list[str]
    """Polygons: each version's intervals over its matches, from the fits at the time."""
    lines: list[str]
    """Polylines: the fitted rating in the middle of each band."""
    since: str
    """Polyline from the last fit to now, moved by changes of the live Elo; without any fit, the
    live Elo itself. Empty without later matches."""
    grid: list[Tick]
    last: tuple[float, float]
    """The dot: the last fit, or else the live Elo."""
    rating: float
    """The rating at the dot."""
    margin: float | None
    """Half the interval at the dot; None without a fit."""
    won: str
    lost: str
    """Paths of the marks of won and lost matches, above and below `MATCHES`."""
    table: list[FitRow]
    """Rows of the table below the plot, newest last."""
    total: int
    """The number of matches in the whole history."""

    @property
    def label(self) -> tuple[float, float]:
        """The position of the value's text: left of the dot and below it, or near the edge
        above."""
        x, y = self.last
        return max(x, LEFT + 90), (y - 10 if y > BOTTOM - 30 else y + 20)


def history(
    steps: Sequence[Point], intervals: dict[int, list[Interval]], moves: Sequence[Move] = ()
) -> History | None:
    """A drawing of the history in the order of its matches; None without matches.

    `intervals`: by version number. The line breaks at each version, because a new version starts
    with a new rating.
    """
    if not steps:
        return None
    spans = _spans(steps)
    bands = [_of_span(intervals.get(number, []), first) for number, first, _ in spans]
    latest = _since(steps, bands[-1], spans[-1][1])
    y = _scale(bands, latest)
    x = Scale(0, max(len(steps) - 1, 1), LEFT, WIDTH - RIGHT)
    last = bands[-1][-1] if bands[-1] else None
    at, rating = (last.at, last.fitted) if last else latest[-1]
    won, lost = _matches(steps, x)
    return History(
        width=WIDTH,
        height=HEIGHT,
        versions=[VersionMark(x(first), number) for number, first, _ in spans],
        moves=[MoveMark(x(m.at), steps[m.at].match, m.points, m.reason) for m in moves],
        bands=[_band(x, y, band) for band in bands if band],
        lines=[_middle(x, y, band) for band in bands if band],
        since=_polyline(x, y, latest) if len(latest) > 1 else "",
        grid=y.ticks(5),
        last=(x(at), y(rating)),
        rating=rating,
        margin=half_width(last.fitted, last.low, last.high) if last else None,
        won=won,
        lost=lost,
        table=_table(steps, spans, intervals),
        total=len(steps),
    )


def thin(length: int, most: int) -> list[int]:
    """At most `most` of the places, evenly spaced, including the first and the last."""
    if length <= most:
        return list(range(length))
    return sorted({round(i * (length - 1) / (most - 1)) for i in range(most)})


def _spans(steps: Sequence[Point]) -> list[tuple[int, int, int]]:
    """(version, first index, last index) of each stretch played by one version."""
    spans: list[tuple[int, int, int]] = []
    for place, step in enumerate(steps):
        if spans and spans[-1][0] == step.version:
            spans[-1] = (step.version, spans[-1][1], place)
        else:
            spans.append((step.version, place, place))
    return spans


def _of_span(intervals: Sequence[Interval], first: int) -> list[Interval]:
    """The fits of a stretch; the first one also covers the version's earlier matches."""
    own = [interval for interval in intervals if interval.at >= first]
    return [own[0]._replace(at=first), *own] if own else []


def _since(
    steps: Sequence[Point], intervals: Sequence[Interval], first: int
) -> list[tuple[int, float]]:
    """(place, rating) from the last fit on, moved by the live Elo; at least one pair."""
    begin = intervals[-1].at if intervals else first
    start = intervals[-1].fitted - steps[begin].after if intervals else 0.0
    places = [begin + i for i in thin(len(steps) - begin, MAX_POINTS)]
    return [(place, start + steps[place].after) for place in places]


def _scale(bands: Sequence[Sequence[Interval]], latest: Sequence[tuple[int, float]]) -> Scale:
    # The first intervals are as wide as the prior, so the newest ones determine the scale.
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
    return " ".join(f"{x(place)},{y(rating)}" for place, rating in points)


def _matches(steps: Sequence[Point], x: Scale) -> tuple[str, str]:
    """Paths of the marks: one per match, or one per stretch as high as its share of wins."""
    won, lost = [], []
    for place, stretch in _stretches(steps):
        up = sum(step.after > step.before for step in stretch) / len(stretch)
        down = sum(step.after < step.before for step in stretch) / len(stretch)
        if up:
            won.append(f"M{x(place)} {MATCHES - 1}v{-round(TICK * up, 1)}")
        if down:
            lost.append(f"M{x(place)} {MATCHES + 1}v{round(TICK * down, 1)}")
    return "".join(won), "".join(lost)


def _stretches(steps: Sequence[Point]) -> Iterator[tuple[int, Sequence[Point]]]:
    before = -1
    for place in thin(len(steps), MAX_POINTS):
        yield place, steps[before + 1 : place + 1]
        before = place


def _table(
    steps: Sequence[Point],
    spans: Sequence[tuple[int, int, int]],
    intervals: dict[int, list[Interval]],
) -> list[FitRow]:
    numbers = {number for number, _, _ in spans}
    fits = sorted(
        (interval.at, number, interval.low, interval.fitted, interval.high)
        for number in numbers
        for interval in intervals.get(number, [])
    )
    rows = [fits[i] for i in thin(len(fits), MAX_POINTS)]
    return [
        FitRow(steps[at].match, version, low, fitted, high)
        for at, version, low, fitted, high in rows
    ]
