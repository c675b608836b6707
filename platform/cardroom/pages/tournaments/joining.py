"""Admission to tournaments that are not visible to all: by a link, or by a code."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.flash_messages import show_error, show_success
from cardroom.throttles import join_wait
from cardroom_base.core.errors import ActionError
from tournaments import actions
from tournaments.models import Tournament
from tournaments.organizing import organizes
from tournaments.reading.admissions import admissions_of
from tournaments.visibility import LINKS, MAX_LINKS, Viewer, visible_to

Visibility = Tournament.Visibility


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Show the form for a tournament's code. A valid code admits the user to the tournament."""
    if request.method == "POST":
        try:
            if wait := join_wait(request):
                raise ActionError(f"Too many codes; try again in {-(-wait // 60)} min.")
            tournament = actions.join(request.POST.get("code", ""), logged_in_user(request))
        except ActionError as error:
            show_error(request, str(error))
        else:
            show_success(request, f"You can now see {tournament.name}.")
            return redirect("tournament", slug=tournament.slug)
    return render(request, "tournaments/join.html")


def follow_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the link's secret in the session and the account, and remove it from the address.

    The secret alone finds the tournament, because moderators may have changed its slug.
    """
    secret = request.GET["invitation"]
    invited = visible_to(Viewer(links=(secret,))).exclude(key="").filter(key=secret).first()
    if invited is not None:
        slug = invited.slug
        others = [link for link in request.session.get(LINKS, ()) if link != secret]
        request.session[LINKS] = [secret, *others][:MAX_LINKS]
        if isinstance(request.user, User):
            actions.join(secret, request.user)
    return redirect("tournament", slug=slug)


@dataclass(frozen=True, slots=True)
class AdmissionPanel:
    """The settings of a tournament's visibility, for its organizers."""

    choices: list[tuple[str, str]]
    """The visibilities that can be chosen."""
    link: str
    """The full address with the secret; empty if the tournament has none."""
    code: str
    invited: str
    """The names of invited accounts, one per line."""
    joined: int
    """The number of accounts admitted by the current link or code."""


def admission_panel(request: HttpRequest, tournament: Tournament) -> AdmissionPanel | None:
    """The panel for the tournament's organizers; None for others and for trials."""
    if tournament.trial or not organizes(tournament, request.user):
        return None
    admissions, is_open = admissions_of(tournament), tournament.finished is None
    return AdmissionPanel(
        choices=[
            (value, label)
            for value, label in Visibility.choices
            if is_open or value in (Visibility.ALL, tournament.visibility)
        ],
        link=request.build_absolute_uri(admissions.link) if admissions.link else "",
        code=admissions.code,
        invited="\n".join(admissions.invited),
        joined=admissions.joined,
    )
