"""The rating table, and two bots against each other."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bots.models import Bot
from cardroom.pages.common import plots, queries
from tournaments.models import PoolFit, Rating, TeamRating
from tournaments.projections import OVERALL
from tournaments.reading.head_to_head import HeadToHead, compare
from tournaments.reading.head_to_head import head_to_head as meetings
from tournaments.standings.noise import noise

PAGE = 100
TEAMS = 50
"""Teams that the table shows, the best."""


def index(request: HttpRequest) -> HttpResponse:
    """The table of a pool: places, ratings, intervals."""
    pools = queries.pools()
    names = [pool.name for pool in pools]
    name = request.GET.get("pool", "")
    pool = name if name in names else queries.busiest_pool()
    every = request.GET.get("versions") == "all"
    strangers = request.GET.get("kind") == Rating.Kind.STRANGERS
    ratings = queries.ratings(pool, Rating.Kind.STRANGERS if strangers else Rating.Kind.ALL)
    page = Paginator(ratings if every else queries.current(ratings), PAGE).get_page(
        request.GET.get("page")
    )
    visible = list(page.object_list)
    queries.add_past(visible)
    lines, axis = queries.rating_lines(visible)
    return render(
        request,
        "ratings/index.html",
        {
            "pools": pools,
            "pool": queries.pool_of(pool),
            "unknown": name if name and name not in names else "",
            "best": queries.best_of_games(),
            "lines": lines,
            "axis": axis,
            "page": page,
            "every": every,
            "strangers": strangers,
            "kinds": strangers or queries.ratings(pool, Rating.Kind.STRANGERS).exists(),
            "teams": _teams(pool),
            "noise": noise().get(pool),
            "fit": PoolFit.objects.filter(pool=pool).defer("covariance").first(),
            "fitted": max((line.rating.updated for line in lines), default=None),
        },
    )


def _teams(pool: str) -> list[tuple[TeamRating, plots.Bar]]:
    """The best teams with bars on one axis."""
    teams = TeamRating.objects.filter(pool=pool).prefetch_related("members__bot")
    rows = list(teams.order_by("-fitted", "pk")[:TEAMS])
    axis = plots.Bars.from_values([end for team in rows for end in (team.low, team.high)])
    return [(team, axis.bar(team.fitted, team.low, team.high)) for team in rows]


def head_to_head(request: HttpRequest) -> HttpResponse:
    """Two bots in all matches in which they met."""
    bots = Bot.objects.listed().order_by("name")
    chosen = {bot.slug: bot for bot in bots}
    a, b = (chosen.get(request.GET.get(key, "")) for key in ("a", "b"))
    pool = request.GET.get("pool") or OVERALL
    result = meetings(a, b, pool) if a and b and a != b else None
    comparison = compare(a, b, pool) if result and a and b else None
    lines = []
    if result and a and b:
        both = queries.matches_of(a).filter(seats__version__bot=b).distinct()[:20]
        lines = queries.match_lines(both)
    return render(
        request,
        "ratings/head_to_head.html",
        {
            "bots": bots,
            "a": a,
            "b": b,
            "pool": pool,
            "result": result,
            "comparison": comparison,
            "sure": _sure(comparison),
            "lines": lines,
            "pools": queries.pools(),
        },
    )


def _sure(comparison: HeadToHead | None) -> str:
    """The probability that the higher rated one is really better, in per cent, never quite 100."""
    if comparison is None or comparison.probability is None:
        return ""
    share = 100 * max(comparison.probability, 1 - comparison.probability)
    return "over 99.9 %" if share > 99.9 else f"{share:.0f} %" if share < 99 else f"{share:.1f} %"
