"""Rate limits of requests: by account, and by the visitor's address (`cardroom.addresses`)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import ceil
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from requests import RequestException
from rest_framework import throttling

from cardroom.addresses import counted_address, is_in_trusted_network
from cardroom.error_responses import provider_unavailable
from cardroom.logins import too_many_requests
from cardroom_base.db.db_time import now

log = logging.getLogger(__name__)


class _Throttle:
    """Does not limit trusted networks by address.

    Counts an IPv6 network as one address, because one customer has a whole network.

    All web servers share the counts, so they use one clock.
    """

    always_by_address = False
    """Whether to count also the requests of accounts by address."""

    def allow_request(self, request: Any, view: Any) -> bool:
        """Whether to allow the request. Requests from trusted networks are not counted by
        address."""
        by_address = self.always_by_address or not request.user.is_authenticated
        if by_address and is_in_trusted_network(request.META.get("REMOTE_ADDR", "")):
            return True
        return bool(super().allow_request(request, view))  # type: ignore[misc]  # a mixin

    def get_ident(self, request: Any) -> str:
        """The address to count."""
        return counted_address(request)

    def timer(self) -> float:
        """Seconds; only differences matter."""
        return now().timestamp()


class AnonThrottle(_Throttle, throttling.AnonRateThrottle):
    """Limits requests without an account, by address."""


class UserThrottle(_Throttle, throttling.UserRateThrottle):
    """Limits the requests of an account."""


class ScopedThrottle(_Throttle, throttling.ScopedRateThrottle):
    """Limits what has a limit of its own in REST: uploads, tokens, and codes of tournaments."""


class _AddressThrottle(_Throttle, throttling.SimpleRateThrottle):
    always_by_address = True

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per address."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class AccountThrottle(_AddressThrottle):
    """Limits forms sent to pages of accounts, by address."""

    scope = "account"


class SignUpThrottle(_AddressThrottle):
    """Limits sign-up forms, by address."""

    scope = "signup"


class TableThrottle(_Throttle, throttling.SimpleRateThrottle):
    """Limits new tables by account, and those of guests by address."""

    scope = "table"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per account, or per address."""
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class OpinionThrottle(TableThrottle):
    """Limits questions to the expert by account, and those of guests by address."""

    scope = "opinion"


class UploadThrottle(TableThrottle):
    """Limits how often an account uploads by the pages and by REST together."""

    scope = "upload"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """The same counter as `ScopedThrottle` has."""
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}


def upload_wait(request: HttpRequest) -> int | None:
    """Count an upload; return the seconds to wait if there were too many, else None."""
    return _wait(UploadThrottle(), request)


class JoinThrottle(TableThrottle):
    """Limits how often an account enters a tournament's code; wrong codes count, too."""

    scope = "join"


def join_wait(request: HttpRequest) -> int | None:
    """Count a code; return the seconds to wait if there were too many, else None."""
    return _wait(JoinThrottle(), request)


class ExportThrottle(TableThrottle):
    """Limits how often an account exports its data."""

    scope = "export"


def export_wait(request: HttpRequest) -> int | None:
    """Count an export; return the seconds to wait if there were too many, else None."""
    return _wait(ExportThrottle(), request)


def table_wait(request: HttpRequest) -> int | None:
    """Count a new table; return the seconds to wait if there were too many, else None."""
    return _wait(TableThrottle(), request)


def opinion_wait(request: HttpRequest) -> int | None:
    """Count a question to the expert; return the seconds to wait after too many, else None."""
    return _wait(OpinionThrottle(), request)


def _wait(throttle: throttling.SimpleRateThrottle, request: HttpRequest) -> int | None:
    if throttle.allow_request(request, None):  # type: ignore[arg-type]  # a Django request suffices, too
        return None
    return ceil(throttle.wait() or 1)


class LimitAccountPages:
    """Middleware that limits the forms sent to allauth's pages, by address, and answers 503 if the
    provider of accounts is unavailable.

    allauth's own limits have no exception for trusted networks, so they would count a lecture hall
    with one address as one person.
    """

    SIGN_UP: Final = frozenset({"account_signup", "socialaccount_signup"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        """429 after too many forms."""
        if request.method != "POST" or not view.__module__.startswith("allauth."):
            return None
        match = request.resolver_match
        signs_up = match is not None and match.url_name in self.SIGN_UP
        seconds = _wait(SignUpThrottle() if signs_up else AccountThrottle(), request)
        if seconds is None:
            return None
        return too_many_requests(
            request, seconds, f"Too many {'new accounts' if signs_up else 'requests'}"
        )

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """503 if the provider does not answer; None for any other error."""
        if not isinstance(error, RequestException):
            return None
        log.warning("The login provider is not responding: %s", error)
        return provider_unavailable(request)


class PictureThrottle(_AddressThrottle):
    """Limits the pictures drawn for an address."""

    scope = "pictures"


def picture_wait(request: HttpRequest, cost: int = 1) -> int | None:
    """Count a picture (an animation as several); return the seconds to wait after too many."""
    for _ in range(cost):
        if (seconds := _wait(PictureThrottle(), request)) is not None:
            return seconds
    return None
