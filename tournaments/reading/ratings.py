"""A pool's ratings, the covariances of its last fit, leads, and the best bot in each pool."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, hypot, inf
from typing import Any, Final, NamedTuple

import numpy as np
from django.db.models import (
    BinaryField,
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Substr
from numpy.typing import NDArray

from cardroom_base.core.answers import description
from tournaments.models import PoolFit, Rating, TeamRating
from tournaments.projections import OVERALL
from tournaments.ratings.elo import Z95, margin
from tournaments.ratings.fit_result import Form, deviation
from tournaments.standings.separation import Interval, groups_to_separate

ELEMENT: Final = np.dtype("<f4")
"""The elements of a stored covariance."""
MIN_GROUPS: Final = 100
"""A long table omits bots with fewer deal groups than this."""
MAX_SHORT: Final = 12
"""A table of at most this many bots is short and omits none."""
MAX_RIVALS: Final = 50
"""Number of bots, from the top of a pool, that are compared with the best one."""
MAX_GROUPS: Final = 5_000
"""If two bots would need more deal groups than this, they are too close to distinguish."""


def ratings(pool: str, kind: str = Rating.Kind.ALL) -> QuerySet[Rating]:
    """The ratings of a pool, best first; ratings without a fit come last."""
    return (
        Rating.objects.filter(pool=pool, kind=kind)
        .select_related("version__bot__owner")
        .order_by(F("fitted").desc(nulls_last=True), "-live", "pk")
    )


def leaders(pools: Iterable[str], count: int) -> dict[str, list[Rating]]:
    """The first bots, at most `count`, in the table of each pool."""
    rows_by_pool: dict[str, list[Any]] = {pool: [] for pool in pools}
    for rating in _first_in_tables(rows_by_pool, count).select_related("version__bot__owner"):
        rows_by_pool[rating.pool].append(rating)
    return {
        pool: [rating for rating in rows if rating.is_listed == rows[0].is_listed]
        for pool, rows in rows_by_pool.items()
    }


def _first_in_tables(pools: Iterable[str], count: int) -> QuerySet[Any]:
    """The current ratings at the top of the tables of these pools, at most `count` of each pool.

    As in a table, they belong to the largest component. In a long table bots with `MIN_GROUPS` deal
    groups come first; `is_listed` is 1 for these and for all bots of a short table, else 0.
    """
    current = current_ratings(Rating.objects.filter(pool__in=list(pools), kind=Rating.Kind.ALL))
    sizes = _component_sizes(current)
    long_pools = [pool for pool, rows in sizes.items() if sum(r.bots for r in rows) > MAX_SHORT]
    first = Q(pk__in=())
    for pool, rows in sizes.items():
        largest = _largest(rows)
        in_pool = current.filter(pool=pool)
        if largest.fits:
            in_pool = in_pool.filter(component=largest.component, fitted__isnull=False)
        first |= Q(pk__in=_in_table_order(in_pool, long_pools).values("pk")[:count])
    return _in_table_order(Rating.objects.filter(first), long_pools)


def _in_table_order(ratings: QuerySet[Rating], long_pools: list[str]) -> QuerySet[Any]:
    many_groups = Q(groups__gte=MIN_GROUPS) | ~Q(pool__in=long_pools)
    listed = ratings.annotate(is_listed=Case(When(many_groups, then=1), default=0))
    return listed.order_by("-is_listed", F("fitted").desc(nulls_last=True), "-live", "pk")


class _ComponentSize(NamedTuple):
    """A component of a pool."""

    component: int
    bots: int
    fits: int
    """Number of fitted ratings."""
    best: float | None
    """The best fitted rating."""


def _component_sizes(current: QuerySet[Rating]) -> dict[str, list[_ComponentSize]]:
    """By pool: its components."""
    components = current.order_by().values_list("pool", "component")
    sizes: dict[str, list[_ComponentSize]] = {}
    for pool, *size in components.annotate(
        bots=Count("pk"), fits=Count("fitted"), best=Max("fitted")
    ):
        sizes.setdefault(pool, []).append(_ComponentSize(*size))
    return sizes


def _largest(components: Iterable[_ComponentSize]) -> _ComponentSize:
    return max(components, key=lambda component: (component.fits, component.best or 0.0))


def leading_teams(pool: str, fit: PoolFit | None, count: int) -> list[TeamRating]:
    """The best `count` teams of the largest component, best first."""
    teams = TeamRating.objects.filter(pool=pool).prefetch_related("members__bot")
    if fit is not None and fit.components > 1:
        rated = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL, fitted__isnull=False)
        largest = _largest(_component_sizes(current_ratings(rated))[pool])
        members = rated.filter(component=largest.component).values("version")
        teams = teams.filter(members__in=members).distinct()
    return list(teams.order_by("-fitted", "pk")[:count])


def current_ratings(ratings: QuerySet[Rating]) -> QuerySet[Rating]:
    """One of these ratings per bot: its active version's, or else its newest rated version's."""
    same_pool = Rating.objects.filter(pool=OuterRef("pool"), kind=OuterRef("kind"))
    of_active_version = same_pool.filter(version=OuterRef("version__bot__active_version"))
    newest_version = (
        same_pool.filter(version__bot=OuterRef("version__bot"))
        .order_by("-version__number")
        .values("version")[:1]
    )
    # Most ratings are those of active versions, which need no subquery.
    is_active = Q(version=F("version__bot__active_version"))
    is_newest = Q(~Exists(of_active_version), version=Subquery(newest_version))
    return ratings.filter(is_active | is_newest)


def covariance(fit: PoolFit) -> NDArray[np.float64]:
    """The covariance matrix [entrants, entrants] of a fit, in Elo points squared."""
    flat = np.frombuffer(fit.covariance, dtype=ELEMENT).astype(np.float64)
    return flat.reshape(len(fit.entrants), len(fit.entrants))


def difference_sd(fit: PoolFit, i: int, j: int) -> float | None:
    """The standard deviation of the difference of two entrants' ratings, in Elo points; None if
    the pool has been fitted again since `fit` was read.

    The database reads four elements of the covariance, because a large pool's has megabytes.
    """
    size, places = len(fit.entrants), [(a, b) for a in (i, j) for b in (i, j)]
    elements = (
        Substr(
            "covariance",
            1 + ELEMENT.itemsize * (size * row + column),
            ELEMENT.itemsize,
            output_field=BinaryField(),
        )
        for row, column in places
    )
    row = PoolFit.objects.filter(pk=fit.pk, at=fit.at).values_list(*elements).first()
    if row is None:
        return None
    block = np.frombuffer(b"".join(map(bytes, row)), dtype=ELEMENT)
    return deviation(block.astype(np.float64).reshape(2, 2), 0, 1)


def games_of_versions(
    versions: Iterable[int], kind: str = Rating.Kind.ALL
) -> dict[int, frozenset[tuple[str, int]]]:
    """By version: the games in whose fits it is, each with its component there.

    Results tell which of two bots is better in all games only if these are the same.
    """
    in_games = Rating.objects.filter(kind=kind, version__in=list(versions), fitted__isnull=False)
    in_games = in_games.exclude(Q(pool=OVERALL) | Q(pool__contains="/"))
    games: dict[int, set[tuple[str, int]]] = {}
    for version, pool, component in in_games.order_by().values_list("version", "pool", "component"):
        games.setdefault(version, set()).add((pool, component))
    return {version: frozenset(of_version) for version, of_version in games.items()}


@dataclass(frozen=True, slots=True)
class RatingLead:
    """A bot's lead over the next bot in its part of the table."""

    points: float = field(metadata=description("Difference of the ratings, Elo."))
    low: float | None = field(
        metadata=description("Lower end of the 95 % interval; null if a rating has an open end.")
    )
    high: float | None = field(metadata=description("Upper end."))
    groups: int | None = field(
        metadata=description(
            "Deal groups that the two bots must still play before the interval excludes 0; 0 if it "
            f"already does, null if unknown or more than {MAX_GROUPS:,}."
        )
    )


def forms_of(fit: PoolFit) -> list[Form]:
    return [Form(*form) for form in fit.forms]


def forms_of_games(forms: Iterable[Form], games: Iterable[tuple[str, int]]) -> list[Form]:
    """The formats of these games."""
    names = {game for game, _ in games}
    return [form for form in forms if form.name.partition("/")[0] in names]


def rating_lead(points: float, sd: float, forms: Sequence[Form]) -> RatingLead:
    """The lead for a rating difference of `points` with standard deviation `sd`, in a pool with
    these formats."""
    groups_needed = groups_to_separate(points, sd, forms)
    half_width = Z95 * sd
    groups = ceil(groups_needed) if groups_needed <= MAX_GROUPS else None
    return RatingLead(points, points - half_width, points + half_width, groups)


def lead_without_interval(points: float, upper: Interval, lower: Interval) -> RatingLead | None:
    """The lead of `upper` over `lower`, by `points`, if one of these intervals has an open end.

    The shape of such an interval is unknown, so the order is certain only if they do not overlap.
    """
    if inf not in map(abs, (*upper, *lower)):
        return None
    return RatingLead(points, None, None, 0 if upper[0] > lower[1] else None)


def interval_of(low: float | None, high: float | None) -> Interval:
    """The ends of an interval; None: open, that is infinite."""
    return (-inf if low is None else low, inf if high is None else high)


def played_pools() -> list[str]:
    """The pools with ratings; the ones with the most matches come first."""
    pools = Rating.objects.filter(kind=Rating.Kind.ALL).order_by().values("pool")
    match_counts = pools.annotate(played=Sum("matches")).order_by("-played", "pool")
    return list(match_counts.values_list("pool", flat=True))


@dataclass(frozen=True, slots=True)
class BestBot:
    """The best bot of a pool."""

    pool: str
    name: str
    rating: float
    low: float | None
    high: float | None
    shared: int
    """Number of other bots that may be as good."""

    @property
    def margin(self) -> float | None:
        """The distance to the farther end of the 95 % interval; None if it has an open end."""
        return margin(self.rating, self.low, self.high)


def best_bots(pools: Sequence[str]) -> list[BestBot]:
    """The first bot in the table of each pool that has fitted ratings; other pools are omitted."""
    fitted = _first_in_tables(pools, MAX_RIVALS).filter(fitted__isnull=False)
    by_pool: dict[str, list[_Rival]] = {}
    for pool, *values in fitted.values_list(
        "pool", "version__bot__name", "fitted", "low", "high", "is_listed"
    ):
        by_pool.setdefault(pool, []).append(_Rival(*values))
    return [_best_bot(pool, by_pool[pool]) for pool in pools if pool in by_pool]


class _Rival(NamedTuple):
    """A bot near the top of a pool."""

    name: str
    fitted: float
    low: float | None
    high: float | None
    is_listed: int
    """1 if it has enough deal groups for the table, else 0."""


def _best_bot(pool: str, rivals: Sequence[_Rival]) -> BestBot:
    first, others = rivals[0], rivals[1:]
    shared = sum(
        rival.is_listed == first.is_listed and _may_be_as_good(rival, first) for rival in others
    )
    return BestBot(pool, first.name, first.fitted, first.low, first.high, shared)


def _may_be_as_good(rival: _Rival, first: _Rival) -> bool:
    """Whether the interval of the difference includes 0; errors count as independent."""
    if first.low is None or first.high is None or rival.low is None or rival.high is None:
        return True
    return first.fitted - rival.fitted <= hypot(first.high - first.low, rival.high - rival.low) / 2
