"""The featured match of a page: a running match, or else a dramatic replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from cardroom.pages.common import queries
from cardroom.pages.matches import match
from engine import Format
from engine.english import seat_name
from tournaments.models import Tournament
from tournaments.reading.live import most_dramatic, strongest_live
from tournaments.reading.matches import MatchRow
from tournaments.visibility import viewer_of, visible_to


@dataclass(frozen=True, slots=True)
class FeaturedMatch:
    """A match that everybody may see."""

    match: int
    live: bool
    """Whether the match is still running."""


def featured_match(tournament: Tournament | None = None) -> FeaturedMatch | None:
    """The featured match of the site or of a tournament; None if there is none."""
    if (running := strongest_live(tournament)) is not None:
        return FeaturedMatch(running, live=True)
    dramatic = most_dramatic(tournament)
    return None if dramatic is None else FeaturedMatch(dramatic, live=False)


def featured_context(
    chosen: FeaturedMatch | None, listed: queries.ListedMatch | None
) -> dict[str, Any]:
    """The context of `parts/_live_table.html`: ``watched`` (the match), ``setup`` (for the replay
    viewer) and ``live``. Without a match, the first two are None."""
    if chosen is None or listed is None:
        return {"watched": None, "setup": None, "live": False}
    setup = _setup(listed.match, live=chosen.live)
    return {"watched": listed, "setup": setup, "live": chosen.live}


def _setup(row: MatchRow, *, live: bool) -> dict[str, Any]:
    """The data of the replay viewer; without clocks and ratings, because the table is small."""
    seats = [
        {
            "name": seat.name,
            "version": seat.version,
            "compass": seat_name(len(row.seats), seat.seat),
            "place": match.initials(seat_name(len(row.seats), seat.seat)),
            "rating": None,
            "interval": None,
        }
        for seat in row.seats
    ]
    urls = match.live_addresses(row) if live else match.replay_addresses(row)
    sides = [list(side) for side in Format.parse(row.format).sides]
    return {"seats": seats, "sides": sides, "clock": None, "live": live, "urls": urls}


@require_safe
def tournament_table(request: HttpRequest, slug: str) -> HttpResponse:
    """The featured match on a tournament's page, which requests it after loading; 204 without a
    match."""
    tournament = get_object_or_404(visible_to(viewer_of(request)), slug=slug)
    chosen = featured_match(tournament)
    listed = queries.list_matches_by_key([chosen.match]).get(chosen.match) if chosen else None
    if listed is None:
        return HttpResponse(status=204)
    return render(request, "parts/_live_table.html", featured_context(chosen, listed))
