"""Two bots against each other: their results, and how sure it is that one is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Q, QuerySet

from bots.models import Bot, BotVersion
from tournaments.course.divisions import result_of_rotation
from tournaments.deal_groups import MatchResult, members
from tournaments.models import Match, PoolFit, Rating, Seat, SideResult
from tournaments.projections import OVERALL
from tournaments.ratings.fit import chance_above_zero
from tournaments.reading.ratings import (
    difference_sd,
    forms_of,
    forms_of_games,
    games_of_versions,
    interval_of,
    lead_without_interval,
    rating_lead,
)
from tournaments.reading.results import StoredResult, results_by_group
from tournaments.standings import Cell, cross_table
from tournaments.visibility import public_unfrozen_tournaments

Groups = list[list[MatchResult]]
"""The finished matches of each deal group; entrants are bots' primary keys."""


def head_to_head(a: Bot, b: Bot, pool: str) -> dict[str, Any]:
    """The results of all finished matches of `a` against `b`, as fields of the REST answer."""
    groups = _load_groups(_meetings(a, b).filter(_in_pool(pool)))
    cell = cross_table([a.pk, b.pk], groups)[a.pk].get(b.pk) or Cell(0.0, 0, 0.0)
    a_ahead, level, b_ahead = _count_ranks(groups, a.pk, b.pk)
    return {
        "a": a,
        "b": b,
        "pool": pool,
        "matches": a_ahead + level + b_ahead,
        "a_ahead": a_ahead,
        "level": level,
        "b_ahead": b_ahead,
        **asdict(cell),
    }


def _meetings(a: Bot, b: Bot) -> QuerySet[SideResult]:
    """Results of all sides of the public matches in which both bots played."""
    return SideResult.objects.filter(
        match__state=Match.State.FINISHED,
        match__tournament__in=public_unfrozen_tournaments().values("pk"),
        match__in=Seat.objects.filter(version__bot=a).values("match"),
    ).filter(match__in=Seat.objects.filter(version__bot=b).values("match"))


def _in_pool(pool: str) -> Q:
    """The condition that a match's format is in the pool, with any options."""
    if pool == OVERALL:
        return Q()
    if "/" not in pool:
        return Q(match__format__startswith=f"{pool}/")
    return Q(match__format=pool) | Q(match__format__startswith=f"{pool}?")


def _count_ranks(groups: Groups, bot: int, opponent: int) -> tuple[int, int, int]:
    """Number of matches in which `bot` ranked before, level with and behind `opponent`."""
    ahead = level = behind = 0
    for match in (match for group in groups for match in group):
        if _side_of(match, bot) == _side_of(match, opponent):
            continue  # partners
        rank, opponent_rank = (match.ranks[_side_of(match, key)] for key in (bot, opponent))
        ahead += rank < opponent_rank
        level += rank == opponent_rank
        behind += rank > opponent_rank
    return ahead, level, behind


def _side_of(match: MatchResult, bot: int) -> int:
    return next(i for i, side in enumerate(match.entrants) if bot in members(side))


def _load_groups(side_results: QuerySet[SideResult]) -> Groups:
    """The matches behind the results, by deal group, with bots as entrants; two queries.

    A team of several bots is a tuple of them in every match of the group, even if one rests.
    """
    by_group = results_by_group(side_results)
    matches = {result.match for results in by_group.values() for result in results}
    seats = Seat.objects.filter(match__in=matches).order_by("index")
    bots: dict[tuple[int, int], dict[int, None]] = {}
    for match, side, bot in seats.values_list("match", "side", "version__bot"):
        bots.setdefault((match, side), {})[bot] = None
    groups = []
    for results in by_group.values():
        teams = _teams(results, bots)
        # A bot on two sides (one version against another) is not compared with anybody.
        if len({bot for team in teams for bot in team}) == sum(map(len, teams)):
            sides = [team[0] if len(team) == 1 else team for team in teams]
            groups.append([result_of_rotation(sides, *result[1:]) for result in results])
    return groups


def _teams(
    results: list[StoredResult], bots: dict[tuple[int, int], dict[int, None]]
) -> list[tuple[int, ...]]:
    """The bots of each team in a deal group, in the order of the first match's sides."""
    sides = len(results[0].scores)
    teams: list[dict[int, None]] = [{} for _ in range(sides)]
    for match, rotation, *_ in results:
        for side in range(sides):
            teams[(side - rotation) % sides] |= bots[match, side]
    return [tuple(sorted(team)) for team in teams]


# --- from the last fit of a pool ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two versions in one pool."""

    a: BotVersion
    b: BotVersion
    connected: bool
    """Whether a chain of matches connects them; in the pool of all games, whether they also play
    the same games."""
    probability: float | None
    """Chance that `a`'s true rating is above `b`'s; None if they are not connected, or if a rating
    has an open end."""
    difference: float
    """Rating of `a` minus that of `b`, in Elo points."""
    low: float | None
    high: float | None
    """Ends of the 95 % interval of the difference; None if a rating has an open end."""
    groups: int | None
    """Deal groups that the bots must still play before the interval excludes 0; 0 if it already
    does, None if too many."""


def compare(a: Bot, b: Bot, pool: str) -> HeadToHead | None:
    """Compare the bots' active versions, or else their newest rated versions.

    None until both have a fit.
    """
    first, second = _last_ratings((a, b), pool)
    pool_fit = PoolFit.objects.filter(pool=pool).defer("covariance").first()
    if first is None or second is None or pool_fit is None:
        return None
    index_by_version = {version: i for i, version in enumerate(pool_fit.entrants)}
    i, j = index_by_version.get(first.version_id), index_by_version.get(second.version_id)
    if i is None or j is None or first.fitted is None or second.fitted is None:
        return None
    sd = difference_sd(pool_fit, i, j)
    if sd is None:
        return None
    points = first.fitted - second.fitted
    connected, forms = first.component == second.component, forms_of(pool_fit)
    if pool == OVERALL:
        games = games_of_versions((first.version_id, second.version_id))
        own_games = games.get(first.version_id, frozenset())
        connected = connected and own_games == games.get(second.version_id)
        forms = forms_of_games(forms, own_games)
    upper, lower = (first, second) if points >= 0 else (second, first)
    lead = lead_without_interval(
        points, interval_of(upper.low, upper.high), interval_of(lower.low, lower.high)
    ) or rating_lead(points, sd, forms)
    return HeadToHead(
        a=first.version,
        b=second.version,
        connected=connected,
        probability=None if lead.low is None or not connected else chance_above_zero(points, sd),
        difference=points,
        low=lead.low,
        high=lead.high,
        groups=lead.groups if connected else None,
    )


def _last_ratings(bots: Sequence[Bot], pool: str) -> list[Rating | None]:
    """Each bot's rating: of its active version, or else of its newest rated one; one query."""
    ratings = Rating.objects.filter(
        pool=pool, kind=Rating.Kind.ALL, version__bot__in=bots, fitted__isnull=False
    ).select_related("version")
    by_bot: dict[int, list[Rating]] = {}
    for rating in ratings:
        by_bot.setdefault(rating.version.bot_id, []).append(rating)
    return [
        max(
            by_bot.get(bot.pk, ()),
            key=lambda rating: (rating.version_id == bot.active_version_id, rating.version.number),
            default=None,
        )
        for bot in bots
    ]
