"""The list of tournaments: what is played, who won or leads, when."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cardroom.pages import reading
from engine import registry
from tournaments.models import Tournament
from tournaments.reading.firsts import lines

PAGE = 30


def index(request: HttpRequest) -> HttpResponse:
    """Tournaments, newest first; `?state=` and `?game=` narrow."""
    found = reading.tournaments(request.user).filter(trial=False)
    found, asked = _narrowed(request, found)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": lines(list(page.object_list)),
        "asked": asked,
        "states": Tournament.State.values,
        "games": registry.games(),
    }
    return render(request, "tournaments/index.html", context)


def _narrowed(
    request: HttpRequest, found: QuerySet[Tournament]
) -> tuple[QuerySet[Tournament], dict[str, str]]:
    """Those that were asked for, and what of it was understood."""
    asked = {"state": request.GET.get("state", ""), "game": request.GET.get("game", "")}
    if asked["state"] in Tournament.State.values:
        found = found.filter(state=asked["state"])
    else:
        asked["state"] = ""
    if asked["game"] in {game.name for game in registry.games()}:
        found = found.filter(format__startswith=f"{asked['game']}/")
    else:
        asked["game"] = ""
    return found, asked
