"""Responses to errors outside views: a page, or a problem below /api/."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cardroom_base.rest.problem_details import answer


def refusal(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    """Refuse a request without reading it, because it is too long or not in UTF-8."""
    return _error(request, status, "This request cannot be read", message, code)


def not_replayable(request: HttpRequest, message: str) -> HttpResponse:
    """409: the record cannot be replayed, because its rules differ from this program's."""
    return _error(request, 409, "This match cannot be replayed here", message, "other-rules")


def not_public_yet(request: HttpRequest, message: str) -> HttpResponse:
    """409: the data stays hidden until the deal group is over."""
    return _error(request, 409, "This cannot be shown yet", message, "not-yet")


def _error(
    request: HttpRequest, status: int, title: str, message: str, code: str = ""
) -> HttpResponse:
    if request.path.startswith("/api/"):
        return answer(request, status, message, code)
    # A broken session or database must not break the error page.
    if status >= 500:
        request.user = AnonymousUser()
    return render(request, "error.html", {"title": title, "words": message}, status=status)


def database_unavailable(request: HttpRequest) -> HttpResponse:
    """503: the database is unavailable, or the row to change is locked."""
    message = "Most likely nothing was changed; check, and try again in a minute."
    return _error(request, 503, "The database is busy or unavailable", message, "unavailable")


def provider_unavailable(request: HttpRequest) -> HttpResponse:
    """503: the login provider is not responding."""
    message = "Try again in a minute, or log in with a password."
    return _error(request, 503, "The login provider is not responding", message, "unavailable")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """404."""
    return _error(
        request,
        404,
        "There is no such page",
        "The address may be mistyped, or only the owner may see this page.",
    )


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    message = str(exception) if exception and str(exception) else ""
    return _error(
        request,
        403,
        "You are not allowed to do this",
        message or "Only its owner or organizer may do it.",
    )


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """400."""
    return _error(request, 400, "This could not be read", "Go back and submit the form again.")


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    return _error(
        request,
        500,
        "Something went wrong on our side",
        "It has been logged. Your input may not have been saved; try again in a minute.",
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django passes it by name
    """403 for a form without its token: the page was open too long, or the browser refuses
    cookies."""
    return _error(
        request,
        403,
        "This page was open too long, or cookies are off",
        "Nothing was changed. Allow this site’s cookies, go back, reload the page and submit the "
        "form again.",
    )
