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
from tournaments.projections.live_elo import (
    CHUNK,
    LiveRatings,
    anchor_ratings,
    countable_matches,
    lock_ledger,
    update_all,
    update_live,
)
from tournaments.projections.storing import past_fit


def refresh() -> None:
    """Update live ratings and all fits; from scratch if a result was withdrawn."""
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return
    while update_live():
        pass
    refresh_fit()


def refresh_next() -> int:
    """Update live ratings, then fit the next pools (`fits.fit_next`); return their number.

    If a result was withdrawn, rebuild everything.
    """
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return 0
    while update_live():
        pass
    return fit_next()


def rebuild() -> int:
    """Recompute live ratings, their history and the fits; return the number of matches.

    Matches keep their order; those without an ordinal come last. The history of fitted ratings
    (`RatingPoint`) stays, except at withdrawn results. The bots' totals are deleted;
    `tallies.count_new` counts them again.
    """
    with transaction.atomic(), database.long_timeouts():
        ledger = lock_ledger()
        pools = PoolFit.objects.values_list("pool", flat=True)
        past_fits = {pool: past_fit(pool, withdrawn=ledger.stale) for pool in pools}
        Rating.objects.all().delete()
        RatingChange.objects.all().delete()
        TeamRating.objects.all().delete()
        PoolFit.objects.all().delete()
        Match.objects.filter(ordinal__isnull=False).exclude(
            pk__in=countable_matches().values("pk")
        ).update(ordinal=None)
        ordinals = countable_matches().filter(ordinal__isnull=False).values("ordinal")
        RatingPoint.objects.exclude(ordinal__in=ordinals).delete()
        ScaleChange.objects.exclude(ordinal__in=ordinals).delete()
        live = LiveRatings(anchors=anchor_ratings())
        match_count, last_ordinal = 0, 0
        matches_in_order = countable_matches().filter(ordinal__isnull=False).order_by("ordinal")
        while matches := list(matches_in_order.filter(ordinal__gt=last_ordinal)[:CHUNK]):
            last_ordinal = matches[-1].ordinal or 0
            update_all(live, matches)
            match_count += len(matches)
        tallies.delete_totals()
        ledger.stale = False
        ledger.fitted = 0
        ledger.epoch = new_epoch()
        ledger.save(update_fields=["stale", "fitted", "epoch"])
    while new_count := update_live():
        match_count += new_count
    refresh_fit(past_fits)
    return match_count
