"""The forecast of a tournament, on the organizer's page before the start."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from cardroom_base.core.errors import ActionError
from tournaments.access import organizes
from tournaments.models import Tournament
from tournaments.reading.forecasts import MAX_ENTRANTS, forecasts


def forecast(request: HttpRequest, slug: str) -> HttpResponse:
    """The panel: matches, hours, chances; for those who have entered, or for more."""
    visible = Tournament.objects.visible_to(request.user)
    found = get_object_or_404(visible, slug=slug)
    if not organizes(found, request.user):
        raise PermissionDenied(f"Only the organizer of {found.name} sees its forecast.")
    asked = request.GET.get("entrants", "")
    entrants = min(int(asked), MAX_ENTRANTS) if asked.isascii() and asked.isdecimal() else 0
    context = {"tournament": found, "most": MAX_ENTRANTS}
    try:
        context["told"] = forecasts(found, entrants)
    except ActionError as error:
        context["refusal"] = str(error)
    return render(request, "tournaments/_forecast.html", context)
