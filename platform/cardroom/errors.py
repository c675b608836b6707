"""Answers when something goes wrong outside a view: a page, or a problem below /api/."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cardroom_base.rest.problem_details import answer


def refusal(request: HttpRequest, status: int, code: str, words: str) -> HttpResponse:
    """A request that is refused unread: too long, or not in UTF-8."""
    return _error(request, status, "This is more than can be read here", words, code)


def not_replayed(request: HttpRequest, words: str) -> HttpResponse:
    """A record that does not follow by this program's rules, because others were in force."""
    return _error(request, 409, "This match cannot be replayed here", words, "other-rules")


def not_yet(request: HttpRequest, words: str) -> HttpResponse:
    """What may be seen only when the deal group is over."""
    return _error(request, 409, "This cannot be shown yet", words, "not-yet")


def _error(
    request: HttpRequest, status: int, title: str, words: str, code: str = ""
) -> HttpResponse:
    if request.path.startswith("/api/"):
        return answer(request, status, words, code)
    # This page must work with a broken session or database.
    if status >= 500:
        request.user = AnonymousUser()
    return render(request, "error.html", {"title": title, "words": words}, status=status)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database is away, or somebody has locked what should be changed."""
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
    message = str(exception) if exception and str(exception) else ""
    return _error(
        request, 403, "This is not yours to do", message or "Only its owner or organizer may."
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
    """A form without its token: the page was open for too long, or the browser keeps no cookies."""
    return _error(
        request,
        403,
        "This page was open too long, or cookies are off",
        "Nothing was changed. Allow this site’s cookies, go back, load the page again and send the "
        "form once more.",
    )
