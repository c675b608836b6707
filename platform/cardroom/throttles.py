"""Rate limits of requests: by account, and by the address that trusted proxies report."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from rest_framework import throttling

from cardroom.addresses import counted_address
from cardroom_base.db.db_time import now


class _ByAddress:
    """Counts all addresses of an IPv6 network as one, because one customer has a whole network.

    All web servers share the counts, so they use one clock.
    """

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
    """Requests with their own limit: uploads, and requests for tokens."""


class SignUpThrottle(_ByAddress, throttling.SimpleRateThrottle):
    """New accounts, by address; a refused visitor may retry later from any address."""

    scope = "signup"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per address."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


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


def sign_up_wait(request: HttpRequest) -> int | None:
    """Count a sign-up; return the seconds to wait if there were too many, else None."""
    return _wait(SignUpThrottle(), request)


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


class PictureThrottle(_ByAddress, throttling.SimpleRateThrottle):
    """Pictures drawn for one address."""

    scope = "pictures"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 - DRF passes the view
        """One counter per address."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


def picture_wait(request: HttpRequest, costs: int = 1) -> int | None:
    """Count a picture (an animation as several); return the seconds to wait after too many."""
    for _ in range(costs):
        throttle = PictureThrottle()
        if not throttle.allow_request(request, None):  # type: ignore[arg-type]  # Django's request does as well
            return round(throttle.wait() or 1)
    return None
