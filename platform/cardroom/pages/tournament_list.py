"""The list of tournaments: what is played, who won or leads, when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cardroom.pages import reading
from engine import registry
from tournaments.models import Entry, Tournament
from tournaments.reading.kept import read_many
from tournaments.reading.kinds import STORY

PAGE = 30
BEST = 2
"""So many who share the first place are named."""


@dataclass(frozen=True, slots=True)
class Line:
    """A tournament as the list shows it."""

    tournament: Tournament
    first: list[Entry]
    """Who has won, or leads so far; the first few of those who share the place."""
    others: int
    """How many more share it."""

    @property
    def when(self) -> datetime | None:
        """The moment that matters most: its end, its start, its opening."""
        return self.tournament.finished or self.tournament.started or self.tournament.opened

    @property
    def moment(self) -> str:
        """What happened then."""
        found = self.tournament
        if found.finished:
            return "cancelled" if found.state == Tournament.State.CANCELLED else "ended"
        return "started" if found.started else "opened"


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


def lines(tournaments: Sequence[Tournament]) -> list[Line]:
    """These tournaments with who is first in each, as it was kept last."""
    stories = read_many(STORY, tournaments)
    firsts = {
        pk: [entrant for place, entrant in story.places if place == 1]
        for pk, story in stories.items()
        if story.matches
    }
    named = [entrant for first in firsts.values() for entrant in first[:BEST]]
    entries = Entry.objects.with_members().in_bulk(named)
    return [
        Line(
            each,
            [entries[key] for key in firsts.get(each.pk, [])[:BEST]],
            len(firsts.get(each.pk, [])[BEST:]),
        )
        for each in tournaments
    ]
