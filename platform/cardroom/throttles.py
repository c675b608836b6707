"""Rate limits of requests: by account, and by the address that trusted proxies report."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from requests import RequestException
from rest_framework import throttling

from cardroom.addresses import counted_address, is_in_trusted_network
from cardroom.errors import provider_unavailable
from cardroom.logins import too_many_requests
from cardroom_base.db.db_time import now

log = logging.getLogger(__name__)


class _ByAddress:
    """Counts all addresses of an IPv6 network as one, because one customer has a whole network.

    All web servers share the counts, so they use one clock.
    """

    ignores_accounts = False
    """Whether requests of accounts are counted by address, too."""

    def allow_request(self, request: Any, view: Any) -> bool:
        """Whether to allow the request. Requests from trusted networks are not counted by
        address."""
        by_address = self.ignores_accounts or not request.user.is_authenticated
        if by_address and is_in_trusted_network(request.META.get("REMOTE_ADDR", "")):
            return True
        return bool(super().allow_request(request, view))  # type: ignore[misc]  # a mixin

    def get_ident(self, request: Any) -> str:
        """The address to count."""
        return counted_address(request)

    def timer(self) -> float:
        """Seconds; only differences matter."""
        return now().timestamp()


class AnonThrottle(_ByAddress, throttling.AnonRateThrottle):
    """Requests without an account, by address."""


class UserThrottle(_ByAddress, throttling.UserRateThrottle):
    """Requests of an account."""


class ScopedThrottle(_ByAddress, throttling.ScopedRateThrottle):
    """Requests with limits of their own: uploads, and requests for tokens."""


class AccountThrottle(_ByAddress, throttling.SimpleRateThrottle):
    """Forms sent to pages of accounts, by address."""

    scope = "account"
    ignores_accounts = True

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per address."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class SignUpThrottle(AccountThrottle):
    """New accounts, by address; a refused visitor may retry later from any address."""

    scope = "signup"


class TableThrottle(_ByAddress, throttling.SimpleRateThrottle):
    """New tables: by account, and for guests by address."""

    scope = "table"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per account, or per address."""
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class OpinionThrottle(TableThrottle):
    """Questions to the expert: by account, and for guests by address."""

    scope = "opinion"


class JoinThrottle(TableThrottle):
    """Codes of tournaments, by account; a wrong one counts, too."""

    scope = "join"


def join_wait(request: HttpRequest) -> int | None:
    """Count a code; return the seconds to wait if there were too many, else None."""
    return _wait(JoinThrottle(), request)


class ExportThrottle(TableThrottle):
    """Exports of an account's data."""

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
    if throttle.allow_request(request, None):  # type: ignore[arg-type]  # Django's request does as well
        return None
    return round(throttle.wait() or 1)


class AccountPages:
    """Middleware that limits the forms sent to allauth's pages, by address, and answers 503 if the
    provider of accounts is unavailable.

    allauth's own limits by address would treat a lecture hall as one person.
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


class PictureThrottle(_ByAddress, throttling.SimpleRateThrottle):
    """Pictures drawn for one address."""

    scope = "pictures"
    ignores_accounts = True

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per address."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


def picture_wait(request: HttpRequest, cost: int = 1) -> int | None:
    """Count a picture (an animation as several); return the seconds to wait after too many."""
    for _ in range(cost):
        throttle = PictureThrottle()
        if not throttle.allow_request(request, None):
            return round(throttle.wait() or 1)
    return None
