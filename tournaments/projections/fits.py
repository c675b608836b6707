"""The batch fit of every pool, from all its results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from django.db import transaction

from tournaments.models import Match, Rating, RatingChange, Seat, SideResult
from tournaments.projections.live import CHUNK, OVERALL, anchors, locked_ledger
from tournaments.ratings import fit


def refresh_fit() -> int:
    """Fit the pools that have results since the last fit; how many pools."""
    with transaction.atomic():
        ledger = locked_ledger()
        upto = ledger.ordinal
        if ledger.stale or upto <= ledger.fitted:
            return 0
        changed = RatingChange.objects.filter(match__ordinal__gt=ledger.fitted)
        pools = sorted(set(changed.values_list("pool", flat=True)))
    fits = {pool: _fit_pool(pool, upto) for pool in pools}
    with transaction.atomic():
        ledger = locked_ledger()
        if ledger.stale or ledger.fitted >= upto:
            return 0
        for pool, fitted in fits.items():
            _store_fit(pool, fitted)
        ledger.fitted = upto
        ledger.save(update_fields=["fitted"])
    return len(pools)


def _fit_pool(pool: str, upto: int) -> fit.Fit:
    played = list(_games(pool, upto))
    present = {version for game in played for side in game.sides for version in side}
    anchor = min(anchors() & present, default=-1)
    return fit.fit(played, anchor=anchor)


def _games(pool: str, upto: int) -> Iterator[fit.Game]:
    """Every result of the pool up to an ordinal, as the fit wants it."""
    counted = {
        "match__state": Match.State.FINISHED,
        "match__tournament__rated": True,
        "match__ordinal__lte": upto,
    }
    if pool != OVERALL:
        counted["match__format__startswith"] = pool
    sat = Seat.objects.filter(**counted).order_by("match__ordinal", "side", "index")
    ranked = SideResult.objects.filter(**counted).order_by("match__ordinal", "side")
    ranks = groupby(ranked.values_list("match", "rank").iterator(5000), key=lambda row: row[0])
    columns = sat.values_list("match", "match__fixture", "match__format", "side", "version")
    for _, rows in groupby(columns.iterator(5000), key=lambda row: row[0]):
        seats = list(rows)
        _, results = next(ranks)  # of the same match: a finished one has seats and results
        if pool != OVERALL and not _belongs(seats[0][2], pool):
            continue
        sides: dict[int, dict[int, None]] = {}
        for _, _, _, side, version in seats:
            sides.setdefault(side, {})[version] = None
        members = tuple(tuple(sides[side]) for side in sorted(sides))
        yield fit.Game(members, tuple(rank for _, rank in results), seats[0][1])


def _belongs(format_text: str, pool: str) -> bool:
    """Whether a format lies in a pool of which it starts with the name (`1v1` and `1v12`)."""
    return format_text[len(pool) : len(pool) + 1] in {"", "?", "/"}


def _store_fit(pool: str, fitted: fit.Fit) -> None:
    ratings = list(Rating.objects.filter(pool=pool))
    for rating in ratings:
        found = fitted.ratings.get(rating.version_id)
        rating.fitted = found.rating if found else None
        rating.low = found.low if found else None
        rating.high = found.high if found else None
        rating.groups = found.groups if found else 0
    Rating.objects.bulk_update(ratings, ["fitted", "low", "high", "groups"], batch_size=CHUNK)
