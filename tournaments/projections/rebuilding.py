"""Bringing ratings up to date, from new results or from scratch."""

from __future__ import annotations

from django.db import transaction

from cardroom_base.db import database
from tournaments.models import (
    Ledger,
    Match,
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    TeamRating,
)
from tournaments.models.ratings import new_epoch
from tournaments.projections import tallies
from tournaments.projections.fits import fit_next, refresh_fit
from tournaments.projections.live import (
    CHUNK,
    Live,
    countable,
    fixed,
    locked_ledger,
    move_all,
    take_in,
)


def refresh() -> None:
    """Bring live ratings and fits up to date, from scratch where a result was set aside."""
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return
    while take_in():
        pass
    refresh_fit()


def refresh_turn() -> int:
    """Bring live ratings up to date and fit what has waited longest; how many pools, 0 when none.

    From scratch, and all at once, where a result was set aside.
    """
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return 0
    while take_in():
        pass
    return fit_next()


def rebuild() -> int:
    """Throw away live ratings, their history and the fits, and compute them again; matches counted.

    Matches keep their order; those without an ordinal yet come last. The history of the intervals
    shows what earlier fits said, so it stays; only points at results that were set aside go. The
    totals of the bots are summed up anew afterwards (`tallies.count_new`).
    """
    with transaction.atomic(), database.patient():
        ledger = locked_ledger()
        Rating.objects.all().delete()
        RatingChange.objects.all().delete()
        TeamRating.objects.all().delete()
        PoolFit.objects.all().delete()
        Match.objects.filter(ordinal__isnull=False).exclude(pk__in=countable().values("pk")).update(
            ordinal=None
        )
        counts = countable().filter(ordinal__isnull=False).values("ordinal")
        RatingPoint.objects.exclude(ordinal__in=counts).delete()
        live = Live(anchors=fixed())
        counted, after = 0, 0
        kept = countable().filter(ordinal__isnull=False).order_by("ordinal")
        while matches := list(kept.filter(ordinal__gt=after)[:CHUNK]):
            after = matches[-1].ordinal or 0
            move_all(live, matches)
            counted += len(matches)
        tallies.forget()
        ledger.stale = False
        ledger.fitted = 0
        ledger.epoch = new_epoch()
        ledger.save(update_fields=["stale", "fitted", "epoch"])
    while taken := take_in():
        counted += taken
    refresh_fit()
    return counted
