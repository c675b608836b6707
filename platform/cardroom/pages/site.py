"""Home, the reader's look, the status of the site, and the pages of errors."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from bots import actions, schema
from cardroom.api.problems import answer
from cardroom.api.status import site_status
from cardroom.pages import reading
from cardroom.pages.context import SUIT_COLOURS, THEMES
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
            "done": tournaments.filter(state="finished").order_by("-finished")[:3],
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
    for name, choices in (("theme", THEMES), ("suits", SUIT_COLOURS)):
        value = request.POST.get(name)
        if value in dict(choices):
            response.set_cookie(
                name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure()
            )
    return response


@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    """How busy the site is; live."""
    template = "status_live.html" if request.headers.get("HX-Request") else "status.html"
    staff = bool(getattr(request.user, "is_staff", False))
    known = workers() if staff else []
    shown = {"status": site_status(staff=staff), "workers": known, "database": schema.applied()}
    return render(request, template, shown)


@login_required
@require_POST
def tell_worker(request: HttpRequest) -> HttpResponse:
    """The staff has a worker take no more work, or take it again."""
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied("Only the site's staff may do that.")
    name, by = request.POST.get("worker", ""), request.user.get_username()
    resumes = request.POST.get("word") == "resume"
    try:
        (actions.resume_worker if resumes else actions.drain_worker)(name, by)
    except actions.ActionError as error:
        messages.error(request, str(error), extra_tags="bad")
    else:
        told = "takes work again" if resumes else "takes no more work"
        messages.success(request, f"{name} {told} within seconds.", extra_tags="good")
    return redirect("status")


def refusal(request: HttpRequest, status: int, code: str, words: str) -> HttpResponse:
    """A request that is not read at all: too long, or not in UTF-8."""
    return _error(request, status, "This is more than can be read here", words, code)


def not_replayed(request: HttpRequest, words: str) -> HttpResponse:
    """A record that does not follow by the rules of this program: it is of others."""
    return _error(request, 409, "This match cannot be replayed here", words, "other-rules")


def _error(
    request: HttpRequest, status: int, title: str, words: str, code: str = ""
) -> HttpResponse:
    if request.path.startswith("/api/"):
        return answer(request, status, words, code)
    # A broken session or database must not break the page that says so.
    if status >= 500:
        request.user = AnonymousUser()
    return render(request, "error.html", {"title": title, "words": words}, status=status)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database is away, or somebody holds what is to be changed."""
    words = "Most likely nothing was changed; look, and try again in a minute."
    return _error(request, 503, "The database is busy or away", words, "unavailable")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """404."""
    return _error(
        request,
        404,
        "There is no such page",
        "The address may be mistyped, or what was here is only for its owner.",
    )


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    said = str(exception) if exception and str(exception) else ""
    return _error(
        request, 403, "This is not yours to do", said or "Only its owner or organizer may."
    )


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """400."""
    return _error(request, 400, "This could not be read", "Go back and send the form again.")


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    return _error(
        request,
        500,
        "Something broke on our side",
        "It has been logged. What you sent may not have been kept; try again in a minute.",
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """A form without its token: usually a page that was open for too long."""
    return _error(
        request,
        403,
        "This form was open for too long",
        "Nothing was changed. Go back, load the page again and send the form once more; "
        "the browser must accept this site’s cookies.",
    )
