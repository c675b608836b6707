"""Compute the batch fit of every pool from all its results, and store it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Count

from cardroom_base.db import database
from tournaments.models import (
    Ledger,
    Match,
    PoolFit,
    Rating,
    RatingPoint,
    ScaleChange,
    TeamRating,
)
from tournaments.projections.live import CHUNK, OVERALL, anchors, locked_ledger
from tournaments.projections.results import Results, Rows, results, sides_of
from tournaments.projections.scale_changes import scale_changes
from tournaments.ratings import fit
from tournaments.ratings.overall import overall
from tournaments.ratings.scale import Anchor, Anchors
from tournaments.ratings.store import block
from tournaments.ratings.table import RatingTable

MAX_POINTS = 128
"""Points of a version's history in a pool; beyond it, every second one is deleted."""

DIGITS = 4
"""Digits of stored values: finer than the intervals, coarser than rounding errors."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A pool with its fits."""

    pool: str
    every: fit.Fit
    """Of all results; in the overall pool the mean of the games' fits."""
    strangers: fit.Fit | None
    """The fit of results beside partners of other authors; None if there are no new ones."""
    strangers_are_new: bool
    """Whether there are such results since the last fit; otherwise the stored ones stay."""
    last: dict[int, int]
    """By version: the ordinal of its last result in the pool."""
    tables: int
    """Number of table forms in the pool."""
    anchors: dict[int, float]
    """Nominal places of the anchors that have played, by version."""
    seconds: float
    covariance: bytes
    """The packed covariance, which takes seconds in a large pool, so it is outside the
    transaction."""


def refresh_fit() -> int:
    """Fit all pools with results since their last fit; the number of pools."""
    upto = Ledger.objects.values_list("ordinal", flat=True).first() or 0
    pools = 0
    while some := fit_next(upto):
        pools += some
    return pools


def fit_next(upto: int | None = None) -> int:
    """Fit the next pool with new results, and other pools with the same results.

    Returns the number of pools; 0 if all are fitted. Results after the ordinal `upto` wait.
    """
    with transaction.atomic():
        ledger = locked_ledger()
        upto, epoch = ledger.ordinal if upto is None else upto, ledger.epoch
        if ledger.stale or ledger.fitted >= upto:
            return 0
    data = results(epoch, upto)
    before = dict(PoolFit.objects.values_list("pool", "ordinal"))
    waiting = {pool for pool, last in data.last().items() if last > before.get(pool, 0)}
    turn = _next(data, waiting, before)
    for pool in turn:
        fitted = _of_pool(data, pool, before.get(pool, 0), epoch)
        with transaction.atomic(), database.patient():
            if _void(locked_ledger(), epoch):
                return 0
            if not _overtaken(fitted):
                _store(fitted)
    if waiting == set(turn):
        _all_fitted(epoch, upto)
    return len(turn)


def _next(data: RatedResults, waiting: set[str], before: dict[str, int]) -> list[str]:
    """The pool with the oldest fit, and those with the same results.

    So all pools take turns, and a rarely played one is fitted soon. Among pools without a fit the
    overall one, the most expensive, comes last.
    """
    order = sorted(waiting, key=lambda pool: (before.get(pool, 0), pool == OVERALL, pool))
    forms = {pool: set(data.of_pool(pool)) for pool in order}
    return [pool for pool in order if forms[pool] == forms[order[0]]]


def _void(ledger: Ledger, epoch: str) -> bool:
    """Whether the results read are no longer valid."""
    return ledger.stale or ledger.epoch != epoch


def _overtaken(fitted: Fitted) -> bool:
    """Whether another process has stored a fit of the same or more results meanwhile."""
    last = max(fitted.last.values())
    return PoolFit.objects.filter(pool=fitted.pool, ordinal__gte=last).exists()


def _all_fitted(epoch: str, upto: int) -> None:
    with transaction.atomic(), database.patient():
        ledger = locked_ledger()
        if not _void(ledger, epoch) and ledger.fitted < upto:
            ledger.fitted = upto
            ledger.save(update_fields=["fitted"])


def _of_pool(data: RatedResults, pool: str, before: int, epoch: str) -> Fitted:
    """Fit a pool whose last fit included results up to the ordinal `before`."""
    began = time.monotonic()
    rows = data.of_pool(pool)
    every = _mean_of_games(rows, epoch)
    some = {form: form_rows[form_rows["strangers"]] for form, form_rows in rows.items()}
    some = {form: form_rows for form, form_rows in some.items() if len(form_rows)}
    new = any(form_rows["ordinal"][-1] > before for form_rows in some.values())
    return Fitted(
        pool=pool,
        every=every,
        strangers=_mean_of_games(some, epoch) if new else None,
        strangers_are_new=new or not before,
        last=_last(rows),
        tables=len(_tables(rows)),
        anchors={v: anchor.points for v, anchor in _anchors(rows).items() if v in every.ratings},
        covariance=zlib.compress(every.covariance.astype("<f4").tobytes()),
        seconds=time.monotonic() - began,
    )


def _mean_of_games(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The mean of the fits of all games in it; of one game its fit."""
    by_game: dict[str, dict[str, Rows]] = {}
    for form in sorted(rows):
        by_game.setdefault(form.partition("/")[0], {})[form] = rows[form]
    return overall([_known(some, epoch) for some in by_game.values()])


def _tables(rows: Iterable[str]) -> list[str]:
    """The formats without options."""
    return sorted({form.partition("?")[0] for form in rows})


def _anchors(rows: Iterable[str]) -> dict[int, Anchor]:
    """Those of the table form; in a pool of several the usual ones."""
    tables = _tables(rows)
    return anchors(tables[0] if len(tables) == 1 else "")


_Key = tuple[str, frozenset[int], tuple[tuple[str, int, int], ...]]
_fits: dict[_Key, fit.Fit] = {}
"""The last fits of this process, as several pools may have the same results."""

_MAX_FITS = 16


def _known(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The fit of these results, cached."""
    # Within an epoch these numbers identify the results: all of a form's or those with strangers.
    contents = tuple(
        (form, len(some), int(some["ordinal"][-1])) for form, some in sorted(rows.items())
    )
    fixed = _anchors(rows)
    key = (epoch, frozenset(fixed), contents)
    if key not in _fits:
        while len(_fits) >= _MAX_FITS:
            _fits.pop(next(iter(_fits)), None)
        _fits[key] = _fit(rows, fixed)
    return _fits[key]


def _fit(rows: dict[str, Rows], fixed: Anchors) -> fit.Fit:
    """Entrants are the versions' primary keys."""
    per_form = [np.unique(row["versions"]) for row in rows.values()]
    versions = np.unique(np.concatenate(per_form)).astype(np.int64)
    blocks = [block(form, sides_of(form), form_rows, versions) for form, form_rows in rows.items()]
    present = [int(version) for version in versions]
    return fit.fit(RatingTable.from_blocks(present, blocks), anchors=fixed)


def _last(rows: dict[str, Rows]) -> dict[int, int]:
    last: dict[int, int] = {}
    for row in rows.values():
        # Rows are in the order of ordinals: from behind, a version's first one is its last.
        seats = row["versions"].shape[1]
        versions, first = np.unique(row["versions"][::-1].reshape(-1), return_index=True)
        ordinals = row["ordinal"][::-1][first // seats]
        for version, ordinal in zip(versions.tolist(), ordinals.tolist(), strict=True):
            last[version] = max(last.get(version, 0), ordinal)
    return last


# --- storing ------------------------------------------------------------------------------------


def _store(fitted: Fitted) -> None:
    ordinals = sorted(set(fitted.last.values()))
    at: dict[int, datetime] = {}
    for start in range(0, len(ordinals), CHUNK):
        some = Match.objects.filter(ordinal__in=ordinals[start : start + CHUNK])
        at |= {match.ordinal or 0: match.finished or match.created for match in some}
    when = {version: at[ordinal] for version, ordinal in fitted.last.items()}
    _store_scale_changes(fitted, at[ordinals[-1]])
    _store_ratings(fitted)
    if fitted.strangers_are_new:
        _store_strangers(fitted, when)
    _store_points(fitted, when)
    _store_teams(fitted)
    _store_pool(fitted, at[ordinals[-1]])


def _store_scale_changes(fitted: Fitted, at: datetime) -> None:
    """Compare with the stored fit, before it is replaced."""
    before = PoolFit.objects.filter(pool=fitted.pool).defer("covariance").first()
    if before is None:
        return
    stored = Rating.objects.filter(pool=fitted.pool, kind=Rating.Kind.ALL, fitted__isnull=False)
    ratings = dict(stored.values_list("version", "fitted"))
    changes = scale_changes(before, ratings, fitted.every, fitted.last, fitted.anchors, at)
    ScaleChange.objects.bulk_create(changes)


def _store_ratings(fitted: Fitted) -> None:
    """Update changed ratings without model objects, with which it took as long as a fit."""
    ratings = Rating.objects.filter(pool=fitted.pool, kind=Rating.Kind.ALL)
    changed = []
    for pk, version, *before in ratings.values_list("pk", "version", *_RATING_COLUMNS):
        rating = fitted.every.ratings.get(version)
        after = [None, None, None, 0, 0, 1]
        if rating:
            after = [*_interval(rating), rating.groups, rating.component, rating.averaged]
        if after != before:
            changed.append((*after, pk))
    _execute(_STORE_RATING, changed)


_RATING_COLUMNS = ("fitted", "low", "high", "groups", "component", "games")
_STORE_RATING = """
UPDATE tournaments_rating
SET fitted = %s, low = %s, high = %s, "groups" = %s, component = %s, games = %s WHERE id = %s
"""


def _store_strangers(fitted: Fitted, when: dict[int, datetime]) -> None:
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
                updated=when[int(rating.entrant)],
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


def _store_points(fitted: Fitted, when: dict[int, datetime]) -> None:
    """Store a point for each version at its last result; a later fit replaces the newest one."""
    adapted = connection.ops.adapt_datetimefield_value
    points = [
        (fitted.pool, version, ordinal, *_interval(rating), adapted(when[version]))
        for version, ordinal in fitted.last.items()
        for rating in [fitted.every.ratings[version]]
    ]
    _execute(_STORE_POINT, points)
    _thin_points(fitted.pool)


_STORE_POINT = """
INSERT INTO tournaments_ratingpoint (pool, version_id, ordinal, fitted, low, high, at)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (pool, version_id, ordinal)
DO UPDATE SET fitted = excluded.fitted, low = excluded.low, high = excluded.high, at = excluded.at
"""


def _thin_points(pool: str) -> None:
    """Halve the rating history of versions with more than `MAX_POINTS` points."""
    points = RatingPoint.objects.filter(pool=pool)
    counted = points.order_by().values("version").annotate(points=Count("pk"))
    for version in counted.filter(points__gt=MAX_POINTS).values_list("version", flat=True):
        own = points.filter(version=version).order_by("-ordinal")
        RatingPoint.objects.filter(pk__in=list(own.values_list("pk", flat=True))[1::2]).delete()


def _store_teams(fitted: Fitted) -> None:
    """Update changed teams, create new ones, delete obsolete ones."""
    teams = TeamRating.objects.filter(pool=fitted.pool)
    stored = {key: (pk, row) for key, pk, *row in teams.values_list("key", "pk", *_TEAM_COLUMNS)}
    fitted_teams = {_key(team): team for team in fitted.every.teams}
    obsolete = [key for key in stored if key not in fitted_teams]
    for start in range(0, len(obsolete), CHUNK):
        teams.filter(key__in=obsolete[start : start + CHUNK]).delete()
    rows = [(*stored[key], _team_row(team)) for key, team in fitted_teams.items() if key in stored]
    _execute(_STORE_TEAM, [(*after, pk) for pk, before, after in rows if after != before])
    _create_teams(
        fitted.pool, {key: team for key, team in fitted_teams.items() if key not in stored}
    )


_TEAM_COLUMNS = ("fitted", "low", "high", "bond", "groups")
_STORE_TEAM = """
UPDATE tournaments_teamrating
SET fitted = %s, low = %s, high = %s, bond = %s, "groups" = %s WHERE id = %s
"""


def _create_teams(pool: str, new: dict[str, fit.Team]) -> None:
    created = TeamRating.objects.bulk_create(
        [
            TeamRating(pool=pool, key=key, **dict(zip(_TEAM_COLUMNS, _team_row(team), strict=True)))
            for key, team in new.items()
        ],
        batch_size=CHUNK,
    )
    sat = TeamRating.members.through
    sat.objects.bulk_create(
        [
            sat(teamrating_id=row.pk, botversion_id=version)
            for row in created
            for version in sorted({int(member) for member in new[row.key].members})
        ],
        batch_size=CHUNK,
    )


def _team_row(team: fit.Team) -> list[float | None]:
    return [*_interval(team), _round(team.bond), team.groups]


def _key(team: fit.Team) -> str:
    return "+".join(str(member) for member in sorted(int(member) for member in team.members))


def _store_pool(fitted: Fitted, at: datetime) -> None:
    every = fitted.every
    effects = every.effects if fitted.tables == 1 else ()
    PoolFit.objects.update_or_create(
        pool=fitted.pool,
        defaults={
            "ordinal": max(fitted.last.values()),
            "groups": every.groups,
            "dispersion": _round(every.dispersion),
            "forms": [[f.name, _round(f.slope), _round(f.dispersion)] for f in every.forms],
            "misfit": None if every.misfit is None else _round(every.misfit),
            "components": every.components,
            "effects": [[_round(e.points), _round(e.low), _round(e.high)] for e in effects],
            "entrants": list(every.entrants),
            "parts": list(every.parts),
            "averages": [[_round(average), count] for average, count in every.averages],
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
