"""The rating table, and two bots against each other."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bots.models import Bot
from cardroom.pages import reading
from tournaments.api.tables import head_to_head as meetings
from tournaments.projections import OVERALL

PAGE = 100


def index(request: HttpRequest) -> HttpResponse:
    """The table of a pool: places, ratings, intervals."""
    pools = reading.pools()
    names = [pool.name for pool in pools]
    asked = request.GET.get("pool", "")
    pool = asked if asked in names else reading.busiest_pool()
    every = request.GET.get("versions") == "all"
    found = reading.ratings(pool)
    page = Paginator(found if every else reading.current(found), PAGE).get_page(
        request.GET.get("page")
    )
    lines, axis = reading.rating_lines(list(page.object_list))
    return render(
        request,
        "ratings/index.html",
        {
            "pools": pools,
            "pool": reading.pool_of(pool),
            "unknown": asked if asked and asked not in names else "",
            "lines": lines,
            "axis": axis,
            "page": page,
            "every": every,
            "fitted": max((line.rating.updated for line in lines), default=None),
        },
    )


def head_to_head(request: HttpRequest) -> HttpResponse:
    """Two bots in all matches in which they met."""
    bots = Bot.objects.listed().order_by("name")
    chosen = {bot.slug: bot for bot in bots}
    a, b = (chosen.get(request.GET.get(key, "")) for key in ("a", "b"))
    pool = request.GET.get("pool") or OVERALL
    result = meetings(a, b, pool) if a and b and a != b else None
    lines = []
    if result and a and b:
        both = reading.matches_of(a).filter(seats__version__bot=b).distinct()[:20]
        lines = reading.match_lines(both)
    return render(
        request,
        "ratings/head_to_head.html",
        {
            "bots": bots,
            "a": a,
            "b": b,
            "pool": pool,
            "result": result,
            "lines": lines,
            "pools": reading.pools(),
        },
    )
