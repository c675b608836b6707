"""Update ratings from new results, or rebuild them from scratch."""

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
    ScaleChange,
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
    """Update live ratings and all fits; from scratch if a result was taken back."""
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return
    while take_in():
        pass
    refresh_fit()


def refresh_turn() -> int:
    """Update live ratings and fit the pool that has waited longest; the number of pools fitted.

    If a result was taken back, rebuild everything.
    """
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return 0
    while take_in():
        pass
    return fit_next()


def rebuild() -> int:
    """Recompute live ratings, their history and the fits; the number of matches counted.

    Matches keep their order; those without an ordinal come last. The history of intervals stays,
    without points at results that were taken back. `tallies.count_new` recounts the bots' totals
    afterwards.
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
        ScaleChange.objects.exclude(ordinal__in=counts).delete()
        live = Live(anchors=fixed())
        counted, after = 0, 0
        numbered = countable().filter(ordinal__isnull=False).order_by("ordinal")
        while matches := list(numbered.filter(ordinal__gt=after)[:CHUNK]):
            after = matches[-1].ordinal or 0
            move_all(live, matches)
            counted += len(matches)
        tallies.forget()
        ledger.stale = False
        ledger.fitted = 0
        ledger.epoch = new_epoch()
        ledger.save(update_fields=["stale", "fitted", "epoch"])
    while added := take_in():
        counted += added
    refresh_fit()
    return counted
