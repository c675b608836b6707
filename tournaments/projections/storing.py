"""Store the batch fit of a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Any

from django.db import connection
from django.db.models import Count, OuterRef, Subquery, Sum

from tournaments.models import Match, PoolFit, Rating, RatingPoint, ScaleChange, TeamRating
from tournaments.projections.live_elo import CHUNK
from tournaments.projections.scale_changes import PastFit, PastRating, scale_shifts
from tournaments.ratings import fit

MAX_POINTS = 128
"""Maximum points of a version's history in a pool; if there are more, every second is deleted."""

MIN_SHIFT = 5.0
"""The minimum sum of shifts, in Elo points, that is recorded as a change of the scale."""

DIGITS = 4
"""Digits of stored values: finer than the intervals, coarser than rounding errors."""


@dataclass(frozen=True, slots=True)
class FittedPool:
    """A pool with its fits."""

    pool: str
    all_results: fit.Fit
    """The fit of all results; in the overall pool, the mean of the games' fits."""
    strangers: fit.Fit | None
    """The fit of results with partners of different authors; None if there are no new ones."""
    strangers_are_new: bool
    """Whether `strangers` replaces the stored ratings: it has new results, or is the first fit."""
    last: dict[int, int]
    """By version: the ordinal of its last result in the pool."""
    tables: int
    """Number of table forms in the pool."""
    anchors: dict[int, float]
    """By version: the nominal ratings of the anchors that have played."""
    seconds: float
    """How long the fit took."""
    covariance: bytes
    """The packed covariance (`PoolFit.covariance`)."""


def past_fit(pool: str, *, withdrawn: bool = False) -> PastFit:
    """The stored fit of a pool; empty if there is none."""
    newest_point = RatingPoint.objects.filter(pool=pool, version=OuterRef("version"))
    stored = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL).annotate(
        shift=Subquery(newest_point.order_by("-ordinal").values("shift")[:1])
    )
    rows = list(stored.values_list("version", "fitted", "component", "games", "shift"))
    anchors = PoolFit.objects.filter(pool=pool).values_list("anchors", flat=True).first()
    return PastFit(
        {
            version: PastRating(rating, part, games)
            for version, rating, part, games, _ in rows
            if rating is not None
        },
        {version: shift or 0.0 for version, *_, shift in rows},
        dict(anchors or ()),
        withdrawn,
    )


def store_fit(fitted: FittedPool, past: PastFit | None = None) -> None:
    """Store a fit. `past`: the last one, if it is no longer stored."""
    ordinals = sorted(set(fitted.last.values()))
    times: dict[int, datetime] = {}
    for start in range(0, len(ordinals), CHUNK):
        matches = Match.objects.filter(ordinal__in=ordinals[start : start + CHUNK])
        times |= {match.ordinal or 0: match.finished or match.created for match in matches}
    last_times = {version: times[ordinal] for version, ordinal in fitted.last.items()}
    shifts = _store_scale_changes(fitted, past or past_fit(fitted.pool), times[ordinals[-1]])
    _store_ratings(fitted)
    if fitted.strangers_are_new:
        _store_strangers(fitted, last_times)
    _store_points(fitted, last_times, shifts)
    _store_teams(fitted)
    _store_pool(fitted, times[ordinals[-1]])


def _store_scale_changes(fitted: FittedPool, past: PastFit, at: datetime) -> dict[int, float]:
    """Store how the scale changed since the past fit.

    Returns `RatingPoint.shift` by version.
    """
    shifts = dict(past.shifts)
    changes = ScaleChange.objects.filter(pool=fitted.pool).order_by()
    sums = changes.values("versions").annotate(Sum("points"))
    recorded_points = dict(sums.values_list("versions", "points__sum"))
    for shift in scale_shifts(past, fitted.all_results, fitted.anchors):
        for version in shift.versions:
            shifts[version] += shift.points
        points = fmean(
            shifts[version] - recorded_points.get(version, 0.0) for version in shift.versions
        )
        if abs(points) >= MIN_SHIFT:
            change = ScaleChange.objects.create(
                pool=fitted.pool,
                ordinal=max(fitted.last.values()),
                points=_round(points),
                reason=shift.reason,
                at=at,
            )
            change.versions.set(shift.versions)
    return shifts


def _store_ratings(fitted: FittedPool) -> None:
    """Update changed ratings without model objects, because these would take as long as a fit."""
    ratings = Rating.objects.filter(pool=fitted.pool, kind=Rating.Kind.ALL)
    changed_rows = []
    for pk, version, *old_values in ratings.values_list("pk", "version", *_RATING_COLUMNS):
        rating = fitted.all_results.ratings.get(version)
        new_values: list[float | None] = [None, None, None, 0, 0, 1]
        if rating:
            new_values = [*_interval(rating), rating.groups, rating.component, rating.averaged]
        if new_values != old_values:
            changed_rows.append((*new_values, pk))
    _execute(_STORE_RATING, changed_rows)


_RATING_COLUMNS = ("fitted", "low", "high", "groups", "component", "games")
_STORE_RATING = """
UPDATE tournaments_rating
SET fitted = %s, low = %s, high = %s, "groups" = %s, component = %s, games = %s WHERE id = %s
"""


def _store_strangers(fitted: FittedPool, last_times: dict[int, datetime]) -> None:
    fitted_ratings = fitted.strangers.ratings.values() if fitted.strangers else ()
    ratings = Rating.objects.filter(pool=fitted.pool, kind=Rating.Kind.STRANGERS)
    ratings.exclude(version__in=[int(rating.entrant) for rating in fitted_ratings]).delete()
    Rating.objects.bulk_create(
        [
            Rating(
                pool=fitted.pool,
                kind=Rating.Kind.STRANGERS,
                version_id=int(rating.entrant),
                live=_round(rating.rating),
                fitted=_round(rating.rating),
                **dict(zip(("low", "high"), _interval(rating)[1:], strict=True)),
                matches=rating.games,
                groups=rating.groups,
                component=rating.component,
                games=rating.averaged,
                updated=last_times[int(rating.entrant)],
            )
            for rating in fitted_ratings
        ],
        batch_size=CHUNK,
        update_conflicts=True,
        unique_fields=["pool", "kind", "version"],
        update_fields=[
            "live",
            "fitted",
            "low",
            "high",
            "matches",
            "groups",
            "component",
            "games",
            "updated",
        ],
    )


def _store_points(
    fitted: FittedPool, last_times: dict[int, datetime], shifts: dict[int, float]
) -> None:
    """Store a point for each version at its last result; a later fit replaces the newest one."""
    adapt_time = connection.ops.adapt_datetimefield_value
    least: dict[int, int] = {}
    for rating in fitted.all_results.ratings.values():
        version = int(rating.entrant)
        least[rating.component] = min(version, least.get(rating.component, version))
    points = []
    for version, ordinal in fitted.last.items():
        rating = fitted.all_results.ratings[version]
        shift, time = _round(shifts.get(version, 0.0)), adapt_time(last_times[version])
        numbers = (*_interval(rating), shift, least[rating.component])
        points.append((fitted.pool, version, ordinal, *numbers, time))
    _execute(_STORE_POINT, points)
    _thin_points(fitted.pool)


_STORE_POINT = """
INSERT INTO tournaments_ratingpoint
    (pool, version_id, ordinal, fitted, low, high, shift, component, at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (pool, version_id, ordinal)
DO UPDATE SET fitted = excluded.fitted, low = excluded.low, high = excluded.high,
    shift = excluded.shift, component = excluded.component, at = excluded.at
"""


def _thin_points(pool: str) -> None:
    """Halve the rating history of versions with more than `MAX_POINTS` points."""
    points = RatingPoint.objects.filter(pool=pool)
    counts = points.order_by().values("version").annotate(points=Count("pk"))
    for version in counts.filter(points__gt=MAX_POINTS).values_list("version", flat=True):
        own_points = points.filter(version=version).order_by("-ordinal")
        keys = list(own_points.values_list("pk", flat=True))
        RatingPoint.objects.filter(pk__in=keys[1::2]).delete()


def _store_teams(fitted: FittedPool) -> None:
    """Update changed teams, create new ones, delete obsolete ones."""
    teams = TeamRating.objects.filter(pool=fitted.pool)
    stored = {key: (pk, row) for key, pk, *row in teams.values_list("key", "pk", *_TEAM_COLUMNS)}
    fitted_teams = {_key(team): team for team in fitted.all_results.teams}
    obsolete = [key for key in stored if key not in fitted_teams]
    for start in range(0, len(obsolete), CHUNK):
        teams.filter(key__in=obsolete[start : start + CHUNK]).delete()
    rows = [(*stored[key], _team_row(team)) for key, team in fitted_teams.items() if key in stored]
    _execute(_STORE_TEAM, [(*new_row, pk) for pk, old_row, new_row in rows if new_row != old_row])
    _create_teams(
        fitted.pool, {key: team for key, team in fitted_teams.items() if key not in stored}
    )


_TEAM_COLUMNS = ("fitted", "low", "high", "bond", "groups")
_STORE_TEAM = """
UPDATE tournaments_teamrating
SET fitted = %s, low = %s, high = %s, bond = %s, "groups" = %s WHERE id = %s
"""


def _create_teams(pool: str, new_teams: dict[str, fit.Team]) -> None:
    created = TeamRating.objects.bulk_create(
        [
            TeamRating(pool=pool, key=key, **dict(zip(_TEAM_COLUMNS, _team_row(team), strict=True)))
            for key, team in new_teams.items()
        ],
        batch_size=CHUNK,
    )
    membership = TeamRating.members.through
    membership.objects.bulk_create(
        [
            membership(teamrating_id=row.pk, botversion_id=version)
            for row in created
            for version in sorted({int(member) for member in new_teams[row.key].members})
        ],
        batch_size=CHUNK,
    )


def _team_row(team: fit.Team) -> list[float | None]:
    return [*_interval(team), _round(team.bond), team.groups]


def _key(team: fit.Team) -> str:
    return "+".join(str(member) for member in sorted(int(member) for member in team.members))


def _store_pool(fitted: FittedPool, at: datetime) -> None:
    fitted_results = fitted.all_results
    effects = fitted_results.effects if fitted.tables == 1 else ()
    PoolFit.objects.update_or_create(
        pool=fitted.pool,
        defaults={
            "ordinal": max(fitted.last.values()),
            "groups": fitted_results.groups,
            "dispersion": _round(fitted_results.dispersion),
            "forms": [
                [form.name, _round(form.slope), _round(form.dispersion), form.games, form.groups]
                for form in fitted_results.forms
            ],
            "misfit": None if fitted_results.misfit is None else _round(fitted_results.misfit),
            "styles": fitted_results.styles,
            "components": fitted_results.components,
            "effects": [
                [_round(effect.points), _round(effect.low), _round(effect.high)]
                for effect in effects
            ],
            "entrants": list(fitted_results.entrants),
            "averages": [[_round(average), count] for average, count in fitted_results.averages],
            "anchors": sorted(fitted.anchors.items()),
            "covariance": fitted.covariance,
            "seconds": round(fitted.seconds, 3),
            "at": at,
        },
    )


def _execute(statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement for each row of values.

    `executemany` is a pipeline, after which PostgreSQL does not end an idle transaction (seen with
    15 and psycopg 3.3) until a plain statement follows; so one follows.
    """
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)
        cursor.execute("SELECT 1")


def _interval(rating: fit.FittedRating | fit.Team) -> list[float | None]:
    ends = (rating.rating, rating.low, rating.high)
    return [None if value is None else _round(value) for value in ends]


def _round(value: float) -> float:
    return round(value, DIGITS)
