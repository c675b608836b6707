"""Ratings of a pool, those of current versions, the covariances of a fit, the best of each pool."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import ceil, hypot
from operator import or_
from typing import Final, TypeAlias

import numpy as np
from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, Sum, When
from numpy.typing import NDArray

from cardroom_base.core.answers import described
from tournaments.models import PoolFit, Rating
from tournaments.ratings.elo import Z95
from tournaments.standings.separation import groups_to_separate

ENOUGH: Final = 100
"""Deal groups below which a bot is left out of a long table."""
MOST_GROUPS: Final = 5_000
"""Deal groups beyond which two bots are too close to tell."""


def ratings(pool: str, kind: str = Rating.Kind.ALL) -> QuerySet[Rating]:
    """Ratings of a pool, best first; those without a fit last."""
    return (
        Rating.objects.filter(pool=pool, kind=kind)
        .select_related("version__bot__owner")
        .order_by(F("fitted").desc(nulls_last=True), "-live", "pk")
    )


def current(ratings: QuerySet[Rating]) -> QuerySet[Rating]:
    """The active version of each bot, or its newest rated one if none is active."""
    newest = (
        Rating.objects.filter(
            pool=OuterRef("pool"), kind=OuterRef("kind"), version__bot=OuterRef("version__bot")
        )
        .order_by("-version__number")
        .values("version")[:1]
    )
    active = Rating.objects.filter(
        pool=OuterRef("pool"),
        kind=OuterRef("kind"),
        version=OuterRef("version__bot__active_version"),
    ).values("version")[:1]
    return ratings.annotate(active=Subquery(active), newest=Subquery(newest)).filter(
        Q(version=F("active")) | Q(active=None, version=F("newest"))
    )


def covariance(fit: PoolFit) -> NDArray[np.float64]:
    """[entrants, entrants] of a fit, in Elo points squared."""
    flat = np.frombuffer(zlib.decompress(fit.covariance), dtype="<f4").astype(np.float64)
    return flat.reshape(len(fit.entrants), len(fit.entrants))


@dataclass(frozen=True, slots=True)
class RatingLead:
    """How far a bot is ahead of the next one of its part of the table."""

    points: float = field(metadata=described("Difference of the ratings, Elo."))
    low: float | None = field(
        metadata=described("Lower end of its 95 % interval; null where a rating has an open end.")
    )
    high: float | None = field(metadata=described("Upper end."))
    groups: int | None = field(
        metadata=described(
            "Deal groups that the two would still have to play until the interval excludes 0: 0 "
            f"where it does already, null if they are more than {MOST_GROUPS:,} or unknown."
        )
    )


def rating_lead(
    points: float, sd: float, *, dispersion: float, matches: int, groups: int
) -> RatingLead:
    """A lead with its standard deviation; `matches` and `groups` that the two ratings rest on."""
    more = groups_to_separate(
        points, sd, matches=max(1.0, matches / groups) if groups else 1.0, dispersion=dispersion
    )
    reach = Z95 * sd
    certain = ceil(more) if more <= MOST_GROUPS else None
    return RatingLead(points, points - reach, points + reach, certain)


def played_pools() -> list[str]:
    """The pools in which anybody has a rating, those with most matches first."""
    pools = Rating.objects.filter(kind=Rating.Kind.ALL).order_by().values("pool")
    played = pools.annotate(played=Sum("matches")).order_by("-played", "pool")
    return list(played.values_list("pool", flat=True))


@dataclass(frozen=True, slots=True)
class Best:
    """The best of a pool."""

    pool: str
    name: str
    rating: float
    low: float | None
    high: float | None
    shared: int
    """Others that may be as good."""

    @property
    def margin(self) -> float | None:
        """Half the width of the 95 % interval; None if it has an open end."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def best_of(pools: Sequence[str]) -> list[Best]:
    """The best fitted bot of each of these pools that has any, in their order.

    Bots with `ENOUGH` deal groups come before others.
    """
    established = Case(When(groups__gte=ENOUGH, then=0), default=1)
    firsts = []
    for pool in pools:
        fitted = current(ratings(pool)).filter(fitted__isnull=False)
        in_order = fitted.order_by(established, "-fitted", "pk")
        firsts.append(Q(pk=Subquery(in_order.values("pk")[:1])))
    if not firsts:
        return []
    best = {
        rating.pool: rating
        for rating in Rating.objects.filter(reduce(or_, firsts)).select_related("version__bot")
    }
    rivals = _rivals(list(best.values()))
    return [
        Best(
            pool,
            first.version.bot.name,
            first.fitted or 0.0,
            first.low,
            first.high,
            sum(_as_good(first, *rival) for rival in rivals.get(pool, ())),
        )
        for pool in pools
        if (first := best.get(pool)) is not None
    ]


_Rival: TypeAlias = tuple[float, float | None, float | None]
"""Rating and interval."""


def _rivals(firsts: Sequence[Rating]) -> dict[str, list[_Rival]]:
    """By pool: the others whose intervals reach that of the first."""
    if not firsts:
        return {}
    reach = reduce(
        or_,
        (
            Q(pool=first.pool, groups__gte=min(first.groups, ENOUGH))
            & (Q(high=None) | Q(high__gte=first.low or 0.0))
            for first in firsts
        ),
    )
    near = Rating.objects.filter(reach, kind=Rating.Kind.ALL, fitted__isnull=False)
    rows = current(near).exclude(pk__in=[first.pk for first in firsts]).order_by()
    result: dict[str, list[_Rival]] = {}
    for pool, fitted, low, high in rows.values_list("pool", "fitted", "low", "high"):
        result.setdefault(pool, []).append((fitted or 0.0, low, high))
    return result


def _as_good(first: Rating, rating: float, low: float | None, high: float | None) -> bool:
    """Whether the interval of the difference includes 0, errors taken as independent."""
    if first.low is None or first.high is None or low is None or high is None:
        return True
    reach = hypot(first.high - first.low, high - low) / 2
    return (first.fitted or 0.0) - rating <= reach
