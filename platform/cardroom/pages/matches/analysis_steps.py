"""Request an analysis of a match, show its progress, or stop it."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.flash_messages import step
from cardroom.pages.matches.analysis import panel_of
from cardroom.pages.matches.match import find_match, names_of
from tournaments import actions
from tournaments.models import Match

STOP_POLLING: Final = 286
"""The HTTP status that makes htmx stop polling."""


@require_safe
@never_cache
def analysis(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the progress of the analysis to the panel, which polls for it. Redirect other requests
    to the match's page."""
    match = find_match(request, pk)
    if not match.revealed:
        raise Http404(f"Match {pk} cannot be analysed yet.")
    panel = panel_of(match, names_of(match), request)
    if not request.headers.get("HX-Request"):
        return redirect(f"{reverse('match', args=[pk])}#analysis")
    if not panel.content.unfinished:
        headers = {"HX-Trigger": "analysis-over", "HX-Reswap": "none"}
        return HttpResponse(status=STOP_POLLING, headers=headers)
    if request.GET.get("known") == panel.progress_token:
        return HttpResponse(status=204)
    return render(request, "match/_analysing.html", {"analysis": panel, "match": match})


_step = step(find_match, "match", "#analysis")


@_step
def analyse(request: HttpRequest, match: Match) -> str:
    """Request an analysis of the match."""
    actions.request_analysis(match, logged_in_user(request))
    return ""


@_step
def stop(request: HttpRequest, match: Match) -> str:
    """Remove the match's analysis from the queue."""
    actions.stop_analysis(match, logged_in_user(request))
    return ""
