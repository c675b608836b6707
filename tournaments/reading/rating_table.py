"""The rating table of a pool: places, ratings, changes, leads, results between bots.

The number of queries does not depend on the number of bots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil, hypot
from typing import Final, TypeAlias

import numpy as np
from django.db.models import F, OuterRef, Q, Subquery, Sum
from numpy.typing import NDArray

from cardroom_base.core.answers import UNSENT, description
from cardroom_base.db.db_time import Now
from tournaments.models import BotTotal, PoolFit, Rating, RatingPoint
from tournaments.projections import OVERALL
from tournaments.ratings.elo import Z95
from tournaments.ratings.fit_result import Form
from tournaments.reading.ratings import (
    MAX_SHORT,
    MIN_GROUPS,
    RatingLead,
    covariance,
    current_ratings,
    forms_of,
    forms_of_games,
    games_of_versions,
    interval_of,
    lead_without_interval,
    rating_lead,
    ratings,
)
from tournaments.standings.separation import (
    Interval,
    place_ranges,
    place_ranges_by_differences,
)

PAGE: Final = 50
"""Rows per page."""
COLUMNS: Final = 12
"""Maximum number of bots with which every row is compared."""
MAX_COVARIANCES: Final = 1_000
"""Maximum entrants of a pool whose covariances are read; in larger pools, errors count as
independent."""
MONTH: Final = timedelta(days=30)

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Duel:
    """A bot's rated matches against another one in a pool, over all versions of both."""

    bot: str = field(metadata=description("Slug of the other bot."))
    name: str
    matches: int
    points: float = field(metadata=description("1 for each match ahead, ½ for each level match."))

    @property
    def percent(self) -> int:
        """The share of the points, from 0 to 100."""
        return round(100 * self.points / self.matches)


@dataclass(frozen=True, slots=True)
class RatedVersion:
    """A row of the table."""

    bot: str = field(metadata=description("Slug."))
    name: str
    version: int
    fitted: float | None = field(
        metadata=description("The last fit of all results together; null before the first.")
    )
    live: float = field(metadata=description("Live Elo."))
    low: float | None = field(
        metadata=description("Lower end of the fit's 95 % interval; null: open, or no fit yet.")
    )
    high: float | None = field(metadata=description("Upper end; null: open, or no fit yet."))
    groups: int = field(metadata=description("Deal groups in the fit."))
    games: int = field(
        metadata=description("Number of games whose ratings are averaged; 1 except in `overall`.")
    )
    matches: int
    updated: datetime
    version_key: int = field(metadata=UNSENT)
    bot_key: int = field(metadata=UNSENT)
    owner: int | None = field(metadata=UNSENT)
    """Primary key of the author; None: a house bot."""
    component: int = field(metadata=UNSENT)
    """The number of its component in the fit."""
    part: int | None = field(
        default=None,
        metadata=description(
            "Number of the row's part of the pool, 0: the largest. No chain of matches connects "
            "different parts, so their ratings cannot be compared. Null before the first fit."
        ),
    )
    best: int | None = field(
        default=None,
        metadata=description("Best place in the part that is compatible with the results."),
    )
    worst: int | None = field(
        default=None,
        metadata=description("Worst place in the part that is compatible with the results."),
    )
    change: float | None = field(
        default=None,
        metadata=description(
            "Change of the fit since the first match within 30 days, without shifts of the scale; "
            "0 without such a match, null if there was no fit before, and for the kind `strangers`."
        ),
    )
    lead: RatingLead | None = field(
        default=None,
        metadata=description(
            "The lead over the next row; null for the last row of a part and, in `overall`, if the "
            "two bots do not play the same games."
        ),
    )
    against: list[Duel] = field(
        default_factory=list,
        metadata=description("Results against the bots of `columns` that the bot has met."),
    )

    @property
    def rating(self) -> float:
        """The fitted rating; before the first fit, the live Elo."""
        return self.live if self.fitted is None else self.fitted

    @property
    def interval(self) -> Interval:
        """The 95 % interval; open ends are infinite."""
        return interval_of(self.low, self.high)

    @property
    def sd(self) -> float:
        """The standard deviation, from the width of the interval; 0 if it has an open end."""
        if self.low is None or self.high is None:
            return 0.0
        return (self.high - self.low) / (2 * Z95)


@dataclass(frozen=True, slots=True)
class RatingPage:
    """A page of the rating table of a pool: parts one below the other, each best first."""

    pool: str
    count: int = field(metadata=description("Rows on all pages."))
    fewer: int = field(
        metadata=description(
            f"Number of omitted bots, which have fewer than {MIN_GROUPS} deal groups; "
            "`fewer=true` includes them."
        )
    )
    parts: int = field(metadata=description("Number of parts that no chain of matches connects."))
    page: int
    rows: list[RatedVersion]
    columns: list[str] = field(
        metadata=description(f"Slugs of the bots, at most {COLUMNS}, that `against` covers.")
    )
    of_columns: list[RatedVersion] = field(metadata=UNSENT)
    """The rows of the bots in `columns`."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The ratings that a table shows."""

    pool: str
    kind: str = Rating.Kind.ALL
    all_versions: bool = False
    fewer: bool = False
    """Whether a long table includes bots with fewer than `MIN_GROUPS` deal groups."""
    page: int = 1
    viewer: int | None = None
    """Primary key of the viewer's account; the viewer's bots are never omitted."""


def rating_table(selection: Selection) -> RatingPage:
    """A page of a table; for a number beyond the last page, the last page."""
    rows = _rows(selection)
    fit = _fit(selection, len(rows))
    shown_rows = [row for row in rows if _is_shown(row, selection, len(rows))]
    if not any(row.groups >= MIN_GROUPS for row in shown_rows):
        shown_rows = rows
    parts = _parts(rows, shown_rows)
    last = max(1, ceil(len(shown_rows) / PAGE))
    number = min(max(selection.page, 1), last)
    start = (number - 1) * PAGE
    if selection.pool == OVERALL:
        compared = [row.version_key for part in parts.values() for row in part]
        compared = compared[start : start + PAGE + 1]
        fit = replace(fit, games=games_of_versions(compared, selection.kind))
    page = _with_changes(_page_rows(parts, start, fit), selection)
    columns = _columns(page, selection.viewer)
    return RatingPage(
        pool=selection.pool,
        count=len(shown_rows),
        fewer=len(rows) - len(shown_rows),
        parts=len(parts.keys() - {None}),
        page=number,
        rows=_with_meetings(page, columns, selection.pool),
        columns=[row.bot for row in columns],
        of_columns=columns,
    )


def _is_shown(row: RatedVersion, selection: Selection, rows: int) -> bool:
    own = row.owner is not None and row.owner == selection.viewer
    return selection.fewer or rows <= MAX_SHORT or row.groups >= MIN_GROUPS or own


# --- ratings ------------------------------------------------------------------------------------

_FIELDS: Final = (
    *("version__bot__slug", "version__bot__name", "version__number", "fitted", "live", "low"),
    *("high", "groups", "games", "matches", "updated", "version", "version__bot"),
    *("version__bot__owner", "component"),
)
"""Columns of the query, in the order of the fields of `RatedVersion`."""


def _rows(selection: Selection) -> list[RatedVersion]:
    all_ratings = ratings(selection.pool, selection.kind)
    rows = all_ratings if selection.all_versions else current_ratings(all_ratings)
    return [RatedVersion(*values) for values in rows.values_list(*_FIELDS)]


# --- parts, places, leads -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fit:
    """The data of a pool's last fit that the table needs."""

    forms: list[Form]
    index_by_version: dict[int, int]
    """By version: its index in `covariance`."""
    covariance: Floats | None
    """None for a large pool, and for the kind `strangers`, whose covariances are not stored."""
    games: Mapping[int, frozenset[tuple[str, int]]] = field(default_factory=dict)
    """In the pool of all games: those of each version on the page (`games_of_versions`)."""


def _fit(selection: Selection, rows: int) -> _Fit:
    fits = PoolFit.objects.filter(pool=selection.pool)
    if rows > MAX_COVARIANCES:  # the covariances have megabytes
        fits = fits.defer("covariance")
    row = fits.first()
    if row is None:
        return _Fit([], {}, None)
    few = 0 < len(row.entrants) <= MAX_COVARIANCES and selection.kind == Rating.Kind.ALL
    return _Fit(
        forms=forms_of(row),
        index_by_version={version: i for i, version in enumerate(row.entrants)},
        covariance=covariance(row) if few else None,
    )


Parts: TypeAlias = dict[int | None, list[RatedVersion]]
"""Rows by the number of their part; the largest part comes first, and rows without a fit last."""


def _parts(rows: Sequence[RatedVersion], shown_rows: Sequence[RatedVersion]) -> Parts:
    """The parts of the shown rows; their numbers follow from the sizes of the parts of all rows."""
    sizes = Counter(row.component for row in rows if row.fitted is not None)
    numbers = {component: n for n, (component, _) in enumerate(sizes.most_common())}
    parts: Parts = {number: [] for number in (*numbers.values(), None)}
    for row in shown_rows:
        parts[None if row.fitted is None else numbers[row.component]].append(row)
    return {number: part for number, part in parts.items() if part}


def _page_rows(parts: Parts, start: int, fit: _Fit) -> list[RatedVersion]:
    """The rows of the page that begins with row `start`, with parts, places and leads."""
    page: list[RatedVersion] = []
    for number, part in parts.items():
        shown = range(len(part))[max(0, start) : max(0, start + PAGE)]
        if number is None:
            page += [part[i] for i in shown]
        elif shown:
            page += _ranked(part, number, shown, fit)
        start -= len(part)
    return page


def _ranked(
    part: Sequence[RatedVersion], number: int, shown: Iterable[int], fit: _Fit
) -> list[RatedVersion]:
    """The rows of a part with these indices, with their places and leads within it."""
    intervals = [row.interval for row in part]
    deviations = _deviations(part, fit)
    if deviations is None:
        places = place_ranges(intervals)
    else:
        points = np.array([row.rating for row in part])
        places = place_ranges_by_differences(points, deviations, intervals)
    return [
        replace(part[i], part=number, best=best, worst=worst, lead=_lead(part, i, deviations, fit))
        for i in shown
        for best, worst in [places[i]]
    ]


def _deviations(part: Sequence[RatedVersion], fit: _Fit) -> Floats | None:
    """[rows, rows]: the standard deviations of the rating differences; None if unknown."""
    indexes = [fit.index_by_version.get(row.version_key) for row in part]
    if fit.covariance is None or None in indexes:
        return None
    covariances = fit.covariance[np.ix_(indexes, indexes)]  # type: ignore[arg-type]
    variances = np.diag(covariances)
    return np.sqrt(np.maximum(variances[:, None] + variances - 2 * covariances, 0.0))


def _lead(
    part: Sequence[RatedVersion], index: int, deviations: Floats | None, fit: _Fit
) -> RatingLead | None:
    """The lead over the next row of the part; None for the last row, and between bots of different
    games."""
    if index + 1 == len(part):
        return None
    row, following = part[index : index + 2]
    forms, own_games = fit.forms, fit.games.get(row.version_key)
    if own_games != fit.games.get(following.version_key):
        return None
    if own_games is not None:
        forms = forms_of_games(forms, own_games)
    points = row.rating - following.rating
    if lead := lead_without_interval(points, row.interval, following.interval):
        return lead
    sd = hypot(row.sd, following.sd) if deviations is None else float(deviations[index, index + 1])
    return rating_lead(points, sd, forms)


# --- changes, meetings --------------------------------------------------------------------------


def _with_changes(rows: list[RatedVersion], selection: Selection) -> list[RatedVersion]:
    """The rows with the changes of fitted ratings within a month, without shifts of the scale.

    Only ratings by all results have a history.
    """
    if selection.kind != Rating.Kind.ALL:
        return rows
    points = RatingPoint.objects.filter(pool=OuterRef("pool"), version=OuterRef("version"))
    newest_point, past_points = points.order_by("-ordinal"), points.filter(at__lte=Now() - MONTH)
    past_points = past_points.order_by("-ordinal").annotate(own=F("fitted") - F("shift"))
    versions = [row.version_key for row in rows if row.fitted is not None]
    fitted = Rating.objects.filter(pool=selection.pool, kind=Rating.Kind.ALL, version__in=versions)
    rows_with_past = fitted.annotate(
        past=Subquery(past_points.values("own")[:1]) + Subquery(newest_point.values("shift")[:1])
    )
    past_ratings = dict(rows_with_past.exclude(past=None).order_by().values_list("version", "past"))
    return [
        replace(row, change=row.rating - past_ratings[row.version_key])
        if row.version_key in past_ratings
        else row
        for row in rows
    ]


def _columns(rows: Sequence[RatedVersion], viewer: int | None) -> list[RatedVersion]:
    """The bots around the viewer's best bot, or else the first bots of the page; each once."""
    bots = list({row.bot: row for row in reversed(rows)}.values())[::-1]
    if len(bots) < 2:
        return []
    own_index = next((i for i, row in enumerate(bots) if row.owner and row.owner == viewer), 0)
    start = max(0, min(own_index - COLUMNS // 2, len(bots) - COLUMNS))
    return bots[start : start + COLUMNS]


def _with_meetings(
    rows: list[RatedVersion], columns: Sequence[RatedVersion], pool: str
) -> list[RatedVersion]:
    totals = BotTotal.objects.filter(
        _in_pool(pool),
        kind=BotTotal.Kind.VERSUS,
        bot__in={row.bot_key for row in rows},
        other__in=[row.bot_key for row in columns],
    )
    sums = totals.order_by().values_list("bot", "other").annotate(Sum("count"), Sum("total"))
    duels = {(bot, other): (matches, points) for bot, other, matches, points in sums}
    return [
        replace(
            row,
            against=[
                Duel(other.bot, other.name, *duels[row.bot_key, other.bot_key])
                for other in columns
                if duels.get((row.bot_key, other.bot_key), (0, 0.0))[0]
            ],
        )
        for row in rows
    ]


def _in_pool(pool: str) -> Q:
    """The condition for totals of the pool's table forms."""
    if pool == OVERALL:
        return Q()
    return Q(pool=pool) if "/" in pool else Q(pool__startswith=f"{pool}/")
