"""Plan a tournament: its form, the controls of a game's options, and a forecast."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from cardroom.pages.common.current_user import logged_in_user, post_data
from cardroom.pages.common.flash_messages import show_refusals, show_success
from cardroom.pages.tournaments.option_form import OptionsForm
from cardroom.pages.tournaments.presets import DEFAULT_PRESET, PRESETS, preset
from cardroom.pages.tournaments.schedule_form import ScheduleForm, read_time
from cardroom.pages.tournaments.tournament_form import TournamentForm
from cardroom_base.core.errors import ActionError
from cardroom_base.core.whole_number import whole_number
from tournaments import actions
from tournaments.actions.drafts import NOT_ORGANIZER
from tournaments.course.stages import parse_stages
from tournaments.models import Tournament
from tournaments.organizing import may_create_tournaments, organizes
from tournaments.reading.forecasts import (
    ENTRANTS,
    MAX_ENTRANTS,
    MAX_PLANNED,
    forecast_plans,
    forecasts,
)
from tournaments.standings import TIE_BREAKS
from tournaments.visibility import viewer_of, visible_to

FORM_BUTTONS = {"add-stage", "remove-stage", "options"}
"""The submit buttons that only change the form."""


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a draft. `?preset=` fills in the form."""
    if not may_create_tournaments(request.user):
        raise PermissionDenied(NOT_ORGANIZER)
    selected = preset(request.GET.get("preset", ""))
    form = _changed_form(request)
    if form is None and request.method == "POST":
        form = TournamentForm(post_data(request))
    elif form is None:
        form = TournamentForm.from_preset(selected or preset(DEFAULT_PRESET) or PRESETS[0])
    if form.is_bound and form.is_valid():
        try:
            tournament = actions.create_tournament(logged_in_user(request), **form.values())
        except actions.ActionError as error:
            form.show_refusal(error.field, str(error))
        else:
            return redirect("tournament", slug=tournament.slug)
    context = _context(request, form, None) | {"presets": PRESETS, "chosen": selected}
    return render(request, "tournaments/form.html", context)


@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a draft, or the description and times of a tournament that is no longer a draft."""
    tournament = _own_tournament(request, slug)
    if tournament.state != Tournament.State.DRAFT:
        return _edit_opened(request, tournament)
    if request.method == "POST":
        form = _changed_form(request) or TournamentForm(post_data(request))
    else:
        form = TournamentForm.from_tournament(tournament)
    if form.is_bound and form.is_valid():
        try:
            actions.update_tournament(tournament, logged_in_user(request), **form.values())
        except actions.ActionError as error:
            form.show_refusal(error.field, str(error))
        else:
            return redirect("tournament", slug=slug)
    return render(request, "tournaments/form.html", _context(request, form, tournament))


@login_required
@require_POST
def repeat(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a draft with the conditions of a tournament and another start."""
    tournament = _own_tournament(request, slug)
    with show_refusals(request):
        start = read_time(request.POST.get("starts_at", ""), request.POST.get("zone", ""))
        slug = actions.repeat(tournament, logged_in_user(request), start).slug
        show_success(request, "This draft has the same conditions. Open it to let bots enter.")
    return redirect("tournament", slug=slug)


def _edit_opened(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        form = ScheduleForm(post_data(request), label_suffix="")
    else:
        form = ScheduleForm.from_tournament(tournament)
    if form.is_bound and form.is_valid():
        try:
            actions.update_tournament(tournament, logged_in_user(request), **form.values())
        except ActionError as error:
            form.show_refusal(error.field, str(error))
        else:
            return redirect("tournament", slug=tournament.slug)
    return render(request, "tournaments/edit.html", {"form": form, "tournament": tournament})


def _context(
    request: HttpRequest, form: TournamentForm, tournament: Tournament | None
) -> dict[str, Any]:
    stages = request.POST.get("word") in {"add-stage", "remove-stage"}
    return {
        "form": form,
        "tournament": tournament,
        "tie_breaks": TIE_BREAKS,
        "options": form.controls,
        "max_entrants": MAX_PLANNED,
        "entrants": ENTRANTS,
        "more": stages or form.has_hidden_error,
    }


def _changed_form(request: HttpRequest) -> TournamentForm | None:
    """The form with changed fields if the request only changes the form; else None."""
    word = request.POST.get("word", "")
    return TournamentForm.changed(request.POST, word) if word in FORM_BUTTONS else None


def _own_tournament(request: HttpRequest, slug: str) -> Tournament:
    tournament = get_object_or_404(visible_to(viewer_of(request)), slug=slug)
    if not organizes(tournament, request.user):
        raise PermissionDenied(f"Only the organizers of {tournament.name} can change it.")
    return tournament


# --- parts of the form --------------------------------------------------------------------------


def options(request: HttpRequest) -> HttpResponse:
    """Show a control, at its default, for each option of the format in `?format=`."""
    form = OptionsForm(request.GET.get("format", ""))
    return render(request, "tournaments/_options.html", {"options": form})


@login_required
@require_POST
def forecast(request: HttpRequest) -> HttpResponse:
    """Forecast the tournament that the form describes, for a number of entrants. Store nothing."""
    form = TournamentForm(request.POST)
    entrants = min(whole_number(request.POST.get("entrants")) or 0, MAX_PLANNED)
    context: dict[str, Any] = {"max_entrants": MAX_PLANNED, "entrants": entrants or ENTRANTS}
    if form.is_valid():
        values = form.values()
        plans = parse_stages(values.pop("stages"))
        try:
            context["forecasts"] = forecast_plans(Tournament(**values), plans, entrants)
        except ActionError as error:
            context["refusal"] = str(error)
    else:
        context["refusal"] = "The forecast appears once the form has no errors."
    return render(request, "tournaments/_planned.html", context)


# --- the forecast of a stored tournament --------------------------------------------------------


def forecast_panel(request: HttpRequest, slug: str) -> HttpResponse:
    """The forecast of matches, hours and chances, for the current entries or a larger number."""
    tournament = get_object_or_404(visible_to(viewer_of(request)), slug=slug)
    if not organizes(tournament, request.user):
        raise PermissionDenied(f"Only the organizers of {tournament.name} can see its forecast.")
    entrants = min(whole_number(request.GET.get("entrants")) or 0, MAX_ENTRANTS)
    context = {"tournament": tournament, "max_entrants": MAX_ENTRANTS}
    try:
        context["forecasts"] = forecasts(tournament, entrants)
    except ActionError as error:
        context["refusal"] = str(error)
    return render(request, "tournaments/_forecast.html", context)
