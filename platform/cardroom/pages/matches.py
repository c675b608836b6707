"""The list of matches, the organizer's decisions about one, the logs of bots."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from bots.actions import ActionError
from bots.models import Bot
from cardroom import errors
from cardroom.pages import reading
from cardroom.pages.paging import ShortPaginator
from cardroom.pages.people import signed_in
from cardroom.pages.saying import refusals_said, say, say_why_not
from engine import registry
from tournaments import actions
from tournaments.access import log_of
from tournaments.models import Match, Seat, Tournament

PAGE = 50


def index(request: HttpRequest) -> HttpResponse:
    """Matches that are or were played, newest first; narrowed to what was asked for."""
    found, filters = _filtered(request)
    page = ShortPaginator(found, PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "matches/index.html",
        {
            "page": page,
            "lines": reading.match_lines(page.object_list),
            "states": [label for label, _ in Match.State.choices],
            "asked": request.GET,
            "games": registry.games(),
            **filters,
        },
    )


def _filtered(request: HttpRequest) -> tuple[QuerySet[Match], dict[str, Any]]:
    found = reading.matches()
    if not request.GET.get("tournament"):
        found = found.exclude(tournament__in=Tournament.objects.filter(trial=True).values("pk"))
    filters: dict[str, Any] = {}
    for key in ("bot", "against"):
        if slug := request.GET.get(key):
            filters[key] = get_object_or_404(Bot, slug=slug)
            found = found.filter(
                pk__in=Seat.objects.filter(version__bot=filters[key]).values("match")
            )
    if slug := request.GET.get("tournament"):
        visible = Tournament.objects.visible_to(request.user)
        filters["tournament"] = get_object_or_404(visible, slug=slug)
        found = found.filter(tournament=filters["tournament"])
    for game in registry.games():
        if game.name == request.GET.get("game"):
            filters["game"] = game
            # By tournaments: they are few, and matches have an index by them.
            of_game = Tournament.objects.filter(format__startswith=f"{game.name}/")
            found = found.filter(tournament__in=of_game.values("pk"))
    state = request.GET.get("state")
    if state in Match.State.values:
        found = found.filter(state=state)
    elif state == "fault":
        found = found.filter(faulted=True)
    elif state != "all":
        found = found.exclude(state__in=reading.UNPLAYED)
    return found, filters


@login_required
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Decide about a stuck or doubtful match: play it again, or do not count it."""
    match = get_object_or_404(Match.objects.select_related("tournament"), pk=pk)
    word = request.POST.get("word")
    change = {"rerun": actions.rerun_match, "void": actions.void_match}.get(word or "")
    if change is None:
        say_why_not(request, "Choose: try again, or do not count.")
        return redirect("match", pk=pk)
    with refusals_said(request):
        now = change(match, signed_in(request), request.POST.get("reason", ""))
        done = f"is played again as match {now.pk}, its whole deal group with new cards"
        if word == "void":
            done = "no longer counts, nor does its deal group: nobody has won or lost it"
        say(request, f"Match {pk} {done}.")
    return redirect("tournament", slug=match.tournament.slug)


@login_required
def log(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
    """What a seat's bot wrote to stderr: for its owner and staff, once its cards may be seen."""
    try:
        found, text = log_of(pk, seat, request.user)
    except Seat.DoesNotExist:
        raise Http404(f"Match {pk} has no seat {seat}.") from None
    except ActionError as error:
        if error.code == "forbidden":
            raise PermissionDenied(str(error)) from None
        return errors.not_yet(request, str(error))
    return render(request, "matches/log.html", {"seat": found, "match": found.match, "text": text})
