"""What every request must keep to, and what every answer of the site carries."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from bots.limits import human
from cardroom.errors import not_replayed, refusal, unavailable
from cardroom_base.core.request_limits import MAX_BODY, MAX_NUMBER, MAX_PATH, MAX_QUERY
from cardroom_base.db import database
from engine import RecordError

log = logging.getLogger(__name__)
access = logging.getLogger("cardroom.access")

UNREADABLE = "application/x-unreadable"
"""The Content-Type of a request whose own names a character set that is not read."""
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\"';\s]*)", re.IGNORECASE)
V = TypeVar("V", bound=Callable[..., Any])


def readable(content_type: str) -> str:
    """The Content-Type, or `UNREADABLE`.

    For the WSGI application: Django decodes a request's address by the character set of its body
    before any middleware runs, and breaks if that is not a text encoding.
    """
    odd = any(charset.lower() not in _CHARSETS for charset in _CHARSET.findall(content_type))
    odd = odd or "*" in content_type or content_type == UNREADABLE
    return UNREADABLE if odd else content_type


_COMPRESSED = ("text/", "application/json", "application/problem+json", "application/atom+xml")


_INVITING = frozenset({"table", "table-state"})
"""Names of the addresses whose answers hold invitations to a table."""


class Compressed(GZipMiddleware):
    """Compresses pages and data that somebody asked for by GET.

    BREACH guesses a secret from the lengths of compressed answers that hold it beside words of the
    attacker's. So what holds one is left as it is: a new API token stands in the answer to a POST,
    invitations stand on the page of a table. Other answers to GET hold the form token alone, which
    Django masks afresh in each answer; and its compressor adds random bytes. Files and streams are
    left, too: they are packed already.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        match = request.resolver_match
        inviting = match is not None and match.url_name in _INVITING
        plain = request.method != "GET" or response.streaming or inviting
        if plain or not kind.startswith(_COMPRESSED):
            return response
        return super().process_response(request, response)


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
EMBEDDED_POLICY = _POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""Of the only pages that others may frame: they have no form, and nobody is logged in there."""
# Swagger UI draws itself with inline styles and one inline script.
_DOCS_POLICY = _POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
_UNUSED = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "serial",
    "publickey-credentials-get",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
_PERMISSIONS = ", ".join(f"{feature}=()" for feature in _UNUSED)


class AccessLog:
    """Writes a line for each request.

    Without what stands behind the ? of its address: invitations do, and what people looked for.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        response = self.get_response(request)
        access.info(
            '%s "%s %s" %d, %d ms',
            request.META.get("REMOTE_ADDR") or "-",
            request.method,
            request.path,
            response.status_code,
            (time.monotonic() - began) * 1000,
        )
        return response


class Headers:
    """No inline script or style, no third-party request: a bot's name or log cannot become code.

    And nothing shown to a logged-in user is cached.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = _DOCS_POLICY if request.path.startswith(("/api/docs/", "/admin/")) else _POLICY
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", _PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if "invitation" in request.META.get("QUERY_STRING", ""):
            # The site alone, not the address: proxies may log where a request came from.
            response.headers["Referrer-Policy"] = "strict-origin"
        _set_caching(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Matches played by rules of another version cannot always be replayed."""
        if not isinstance(error, RecordError):
            return None
        log.warning("%s: %s", request.path, error)
        return not_replayed(request, str(error))


def _set_caching(request: HttpRequest, response: HttpResponse) -> None:
    """Let shared caches keep answers if the view allows it and the client is not logged in."""
    user: Any = getattr(request, "user", None)
    if user is None:  # a static file, or a request that was refused before authentication
        return
    # Error pages must work with a broken database.
    if response.status_code >= 500 or user.is_authenticated:
        response.headers["Cache-Control"] = "private, no-store"
        return
    # Pages hold the form token of the user who asked.
    response.headers.setdefault("Cache-Control", "private, no-cache")
    cache_control = response.headers["Cache-Control"]
    if "private" not in cache_control and "no-store" not in cache_control:
        patch_vary_headers(response, ("Authorization", "Cookie"))


def takes(limit: int) -> Callable[[V], V]:
    """For a view whose requests may have this many bytes, instead of `MAX_BODY`.

    Classes of views say the same by an attribute `max_body`.
    """

    def marked(view: V) -> V:
        view.max_body = limit  # type: ignore[attr-defined]  # functions carry what one gives them
        return view

    return marked


class RequestLimits:
    """Refuses a request by its length and character set, before anything reads its body.

    Django never reads beyond the announced length, so a false length gains nothing. This comes
    before anything that reads bodies; the first to do so is the protection against forged requests.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # What Django takes from the Content-Type holds for addresses, too.
        request.encoding = "utf-8"
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, _args: object, parts: Mapping[str, object]
    ) -> HttpResponse | None:
        """An answer that refuses the request, or None; 404 for numbers that nothing has."""
        if any(isinstance(part, int) and part > MAX_NUMBER for part in parts.values()):
            raise Http404
        objection = _objection(request, getattr(getattr(view, "cls", view), "max_body", MAX_BODY))
        if objection is None:
            return None
        status, code, words = objection
        return refusal(request, status, code, words)


class Unavailable:
    """Answers 503 when the database is away, or somebody has locked what was asked for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """None for a mistake of our own."""
        if not database.away(error):
            return None
        log.warning(database.away_text(error))
        return unavailable(request)


def _objection(request: HttpRequest, limit: int) -> tuple[int, str, str] | None:
    """Status, code and a sentence, if something is wrong with a request before its body is read."""
    if len(request.path) > MAX_PATH:
        return 414, "too-long", f"An address takes {MAX_PATH:,} characters before its ?."
    if len(request.META.get("QUERY_STRING", "")) > MAX_QUERY:
        return 414, "too-long", f"An address takes {MAX_QUERY:,} characters behind its ?."
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return 411, "no-length", "Send the body in one piece, with its Content-Length."
    if readable(request.META.get("CONTENT_TYPE", "")) == UNREADABLE:
        return 415, "not-utf-8", "Send UTF-8; no other character set is read."
    announced = str(request.META.get("CONTENT_LENGTH") or 0)
    if not (announced.isascii() and announced.isdigit()) or len(announced) > 15:
        return 400, "bad-length", "Content-Length must be a number."
    if int(announced) > limit:
        length = human(int(announced))
        return 413, "too-large", f"The request has {length}; this address takes {human(limit)}."
    return None
