"""Home, the reader's look, and the status of the site."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from bots import actions, schema
from cardroom.pages import reading
from cardroom.pages.context import LOOKS
from cardroom.pages.saying import refusals_said, say
from cardroom.status import site_status
from tournaments.queue.workers import workers

YEAR = 365 * 86400


def home(request: HttpRequest) -> HttpResponse:
    """What this is, what is going on, how to begin."""
    tournaments = reading.tournaments(request.user).filter(trial=False)
    running = tournaments.filter(state="running")[:3]
    return render(
        request,
        "home.html",
        {
            "running": running,
            "coming": tournaments.filter(state="open")[:4],
            "done": reading.newest_of(tournaments.filter(state="finished"), 3),
            "boards": reading.leaders(pools=4, rows=5),
            "match": reading.newest_match(),
        },
    )


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Keep the theme or the suit colours in a cookie, and go back."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, request.get_host(), request.is_secure())
    # Not `redirect`: it would take a word for the name of a view.
    response = HttpResponseRedirect(back if safe else reverse("home"))
    for name, _, choices in LOOKS:
        value = request.POST.get(name)
        if value in dict(choices):
            response.set_cookie(
                name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure()
            )
    return response


@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    """How busy the site is; live."""
    template = "_status_live.html" if request.headers.get("HX-Request") else "status.html"
    staff = bool(getattr(request.user, "is_staff", False))
    known = workers() if staff else []
    shown = {"status": site_status(staff=staff), "workers": known, "database": schema.applied()}
    return render(request, template, shown)


@login_required
@require_POST
def tell_worker(request: HttpRequest) -> HttpResponse:
    """Staff tell a worker to take no more work, or to take it again."""
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied("Only the site's staff may do that.")
    name, by = request.POST.get("worker", ""), request.user.get_username()
    resumes = request.POST.get("word") == "resume"
    with refusals_said(request):
        (actions.resume_worker if resumes else actions.drain_worker)(name, by)
        told = "takes work again" if resumes else "takes no more work"
        say(request, f"{name} {told} within seconds.")
    return redirect("status")
