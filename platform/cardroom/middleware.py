"""Limits of all requests, and headers of all responses of the site."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from bots.limits import size_text
from cardroom.error_responses import database_unavailable, not_replayable, refusal
from cardroom.logs import without_secrets
from cardroom_base.core.log_context import add_log_fields
from cardroom_base.core.request_limits import MAX_BODY, MAX_NUMBER, MAX_PATH, MAX_QUERY
from cardroom_base.db import database
from engine import RecordError

log = logging.getLogger(__name__)
access = logging.getLogger("cardroom.access")

UNREADABLE = "application/x-unreadable"
"""The Content-Type that replaces one with an unsupported character set."""
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\"';\s]*)", re.IGNORECASE)
_REQUEST_ID = re.compile(r"[\w.:+/=-]{1,80}", re.ASCII)
_NUL = "\0"
V = TypeVar("V", bound=Callable[..., Any])


def readable_content_type(content_type: str) -> str:
    """The Content-Type, or `UNREADABLE`.

    For the WSGI application: before any middleware runs, Django decodes a request's address with
    the character set of its body, and fails if that is not a text encoding.
    """
    charsets = {charset.lower() for charset in _CHARSET.findall(content_type)}
    return UNREADABLE if charsets - _CHARSETS or "*" in content_type else content_type


_COMPRESSED = ("text/", "application/json", "application/problem+json", "application/atom+xml")


_SECRET_ROUTES = frozenset(
    {
        *("table", "table-state"),  # invitations to a table
        *("conditions", "visibility"),  # links and codes of a tournament
        *("mfa_activate_totp", "mfa_view_recovery_codes"),
    }
)
"""Names of the routes whose responses contain secrets."""


class Compression(GZipMiddleware):
    """Compresses pages and data that a GET request returns.

    The BREACH attack guesses a secret from the lengths of compressed responses that contain it next
    to the attacker's text. So responses that contain a secret stay uncompressed: a new API token
    appears in the response to a POST; invitations and second factors on a few pages. Other
    responses to GET contain only the form token, which Django masks differently each time; its
    compressor also adds random bytes. Files and streams are already compressed.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        content_type = response.headers.get("Content-Type", "")
        match = request.resolver_match
        secret = match is not None and match.url_name in _SECRET_ROUTES
        if request.method != "GET" or response.streaming or secret:
            return response
        if not content_type.startswith(_COMPRESSED):
            return response
        return super().process_response(request, response)


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
EMBEDDED_POLICY = _POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The policy of the only pages that other sites may frame: they have no form and no logged-in
user."""
# Swagger UI uses inline styles and one inline script.
_DOCS_POLICY = _POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
_PROVIDER_POLICY = _POLICY.replace("form-action 'self'", "form-action 'self' https:")
"""The policy of the form that leads to a provider of accounts; browsers apply it to redirects."""
_POLICIES = (
    ("/api/docs/", _DOCS_POLICY),
    ("/admin/", _DOCS_POLICY),
    ("/oidc/", _PROVIDER_POLICY),
)
"""Policies by the beginning of a page's address."""
_UNUSED_FEATURES = (
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
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
_PERMISSIONS = ", ".join(f"{feature}=()" for feature in _UNUSED_FEATURES)


class AccessLog:
    """Logs each request, and adds the request's id to all lines that it causes.

    The line omits the query string, which can contain invitations and search terms. The response
    has the id in `X-Request-ID`. A trusted proxy may choose it (`cardroom.addresses`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        proxy_id = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = proxy_id if _REQUEST_ID.fullmatch(proxy_id) else uuid4().hex
        with add_log_fields(request_id=request_id):
            response = self.get_response(request)
            access.info(
                '%s "%s %s" %d, %d ms',
                request.META.get("REMOTE_ADDR") or "-",
                request.method,
                without_secrets(request.path),
                response.status_code,
                (time.monotonic() - began) * 1000,
            )
        response.headers["X-Request-ID"] = request_id
        return response


class SecurityHeaders:
    """Sets the headers of security and caching.

    Pages run no inline script or style and send no third-party request, so a bot's name or log
    cannot become code. Nothing shown to a logged-in user is cached.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policies = (policy for path, policy in _POLICIES if request.path.startswith(path))
        response.headers.setdefault("Content-Security-Policy", next(policies, _POLICY))
        response.headers.setdefault("Permissions-Policy", _PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if "invitation" in request.META.get("QUERY_STRING", ""):
            # Send only the origin, not the address: proxies may log referrers.
            response.headers["Referrer-Policy"] = "strict-origin"
        _set_caching(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 409 for a match that was played under other rules and cannot be replayed."""
        if not isinstance(error, RecordError):
            return None
        log.warning("%s: %s", request.path, error)
        return not_replayable(request, str(error))


def _set_caching(request: HttpRequest, response: HttpResponse) -> None:
    """Let caches store a response if the view allows it and the viewer is not logged in."""
    user: Any = getattr(request, "user", None)
    if user is None:  # a static file, or a request refused before authentication
        return
    # A broken database must not break the error page.
    if response.status_code >= 500 or user.is_authenticated:
        response.headers["Cache-Control"] = "private, no-store"
        return
    # Pages contain the viewer's form token.
    response.headers.setdefault("Cache-Control", "private, no-cache")
    cache_control = response.headers["Cache-Control"]
    if "private" not in cache_control and "no-store" not in cache_control:
        patch_vary_headers(response, ("Authorization", "Cookie"))


def limit_body(limit: int) -> Callable[[V], V]:
    """Decorate a view whose requests may have this many bytes, instead of `MAX_BODY`.

    View classes have an attribute `max_body`.
    """

    def decorate(view: V) -> V:
        view.max_body = limit  # type: ignore[attr-defined]  # functions accept attributes
        return view

    return decorate


class RequestLimits:
    """Refuses a request by its length and character set, before anything reads its body.

    Django never reads beyond the announced length, so a false length gains nothing. This must
    precede all middleware that reads bodies; the first is the protection against cross-site request
    forgery.

    It also refuses addresses and forms with NUL characters, because PostgreSQL raises an error for
    texts that contain one. JSON is checked field by field.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Django decodes addresses with this Content-Type, too.
        request.encoding = "utf-8"
        cookies = request.COOKIES.items()
        request.COOKIES = {name: value for name, value in cookies if _NUL not in value}
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, _args: object, parameters: Mapping[str, object]
    ) -> HttpResponse | None:
        """The refusal, or None; 404 for numbers that are larger than any key."""
        if any(isinstance(value, int) and value > MAX_NUMBER for value in parameters.values()):
            raise Http404
        limit = getattr(getattr(view, "cls", view), "max_body", MAX_BODY)
        problem = _find_problem(request, limit)
        if problem is None and not hasattr(view, "cls") and _has_nul(request):
            problem = 400, "nul", "A field of this form contains the character NUL."
        return None if problem is None else refusal(request, *problem)


class ServiceUnavailable:
    """Answers 503 if the database is unavailable, or the requested row is locked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """503 if the error means that the database is unavailable; None for any other error."""
        if not database.means_unavailable(error):
            return None
        log.warning(database.unavailable_text(error))
        return database_unavailable(request)


def _find_problem(request: HttpRequest, limit: int) -> tuple[int, str, str] | None:
    """Status, code and sentence of a problem that is found before the body is read, or None."""
    if len(request.path) > MAX_PATH:
        return 414, "too-long", f"An address may have {MAX_PATH:,} characters before its ?."
    if len(request.META.get("QUERY_STRING", "")) > MAX_QUERY:
        return 414, "too-long", f"An address may have {MAX_QUERY:,} characters after its ?."
    if _NUL in request.path or "%00" in request.META.get("QUERY_STRING", ""):
        return 400, "nul", "An address cannot contain the character NUL."
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return 411, "no-length", "Send the body in one piece, with its Content-Length."
    if readable_content_type(request.META.get("CONTENT_TYPE", "")) == UNREADABLE:
        return 415, "not-utf-8", "Send UTF-8; no other character set is read."
    content_length = str(request.META.get("CONTENT_LENGTH") or 0)
    if not (content_length.isascii() and content_length.isdigit()) or len(content_length) > 15:
        return 400, "bad-length", "Content-Length must be a number."
    if int(content_length) > limit:
        length = size_text(int(content_length))
        return (
            413,
            "too-large",
            f"The request has {length}; this address accepts {size_text(limit)}.",
        )
    return None


def _has_nul(request: HttpRequest) -> bool:
    """Whether a value in the form that the request sends contains a NUL."""
    return any(_NUL in value for _, values in request.POST.lists() for value in values)
