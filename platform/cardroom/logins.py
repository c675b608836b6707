"""Wrong passwords: how many are borne, from whom, and for how long.

django-axes counts them in the database, so that all web processes count together and no cache can
take the door away. What fills up which limit is ours:

- an account from one address: so that guessing is slow;
- an address, over all accounts: so that one password is not tried on everybody;
- an account, from wherever: so that many addresses together are slow as well. This one does not
  hold up the addresses that the account came in from before: strangers cannot lock an owner out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from axes.backends import AxesBackend
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from cardroom.addresses import home
from cardroom.api.problems import answer

KNOWN_DAYS: Final = 90
"""How long an address counts as one of the account's own after it came in from there."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many wrong passwords within `minutes`, counted over the attempts that agree in `by`."""

    by: tuple[str, ...]
    failures: int
    minutes: int


LIMITS: Final = (
    Limit(("username", "ip_address"), 5, 15),
    Limit(("ip_address",), 50, 60),
    Limit(("username",), 50, 60),
)
LONGEST: Final = timedelta(minutes=max(limit.minutes for limit in LIMITS))
"""Older failures count nowhere."""


def address(request: HttpRequest) -> str | None:
    """The address under which failures are counted."""
    return home(request) or None


def described(_username: Any, place: str | None, *_: Any) -> str:
    """What the log says of an attempt: no name, since people type passwords there, too."""
    return f"somebody at {place}"


def most(_request: HttpRequest, _credentials: Any) -> int:
    """Full limits that are too many: axes compares `Handler.get_failures` with it."""
    return 1


def wait(username: str, place: str | None) -> int:
    """Seconds until somebody at an address may try the account's password again; 0: at once."""
    now = timezone.now()
    full = (_full_until(limit, username, place, now) for limit in _limits(username, place))
    until = max((each for each in full if each is not None), default=now)
    return math.ceil((until - now).total_seconds())


def _limits(username: str, place: str | None) -> tuple[Limit, ...]:
    """All of them; from a known address the account's own failures elsewhere do not count."""
    since = timezone.now() - timedelta(days=KNOWN_DAYS)
    entered = AccessLog.objects.filter(username=username, ip_address=place)
    known = entered.filter(attempt_time__gte=since).exists()
    return tuple(limit for limit in LIMITS if not known or limit.by != ("username",))


def _full_until(limit: Limit, username: str, place: str | None, now: datetime) -> datetime | None:
    """When enough failures will be forgotten; None if there are not too many."""
    span = timedelta(minutes=limit.minutes)
    wanted = {"username": username, "ip_address": place}
    found = AccessAttempt.objects.filter(
        attempt_time__gt=now - span, **{key: wanted[key] for key in limit.by}
    )
    failures = 0
    for attempt in found.order_by("-attempt_time")[: limit.failures]:
        failures += attempt.failures_since_start
        if failures >= limit.failures:
            last: datetime = attempt.attempt_time
            return last + span
    return None


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # axes brings no types
    """axes' own bookkeeping, with our limits."""

    def get_failures(self, request: Any, credentials: Any = None) -> int:
        """Whether a limit is full."""
        return int(wait((credentials or {}).get("username") or "", request.axes_ip_address) > 0)


class Backend(AxesBackend):  # type: ignore[misc]  # axes brings no types
    """Names and passwords, tried no oftener than the limits have it, whichever way they come in."""

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **more: Any
    ) -> AbstractBaseUser | None:
        """The user; None for a wrong password. Raises axes' PermissionDenied while one must wait.

        Asked again after the password was found right: of many guesses that are sent at once only
        those count that come before the limit is full.
        """
        super().authenticate(request, username=username, password=password, **more)
        user = ModelBackend.authenticate(self, request, username, password, **more)
        if user is not None:
            super().authenticate(request, username=username, password=password, **more)
            _came_in(user.get_username(), address(request))
        return user


def _came_in(username: str, place: str | None) -> None:
    """Forget this account's failures from there, and nobody else's; know the address again."""
    AccessAttempt.objects.filter(username=username, ip_address=place).delete()
    entered = AccessLog.objects.filter(username=username, ip_address=place)
    if not entered.update(attempt_time=timezone.now()):
        AccessLog.objects.create(username=username, ip_address=place)


def purge() -> int:
    """Delete failures that count no more, and addresses that are not known any more; how many."""
    now = timezone.now()
    failed = AccessAttempt.objects.filter(attempt_time__lt=now - LONGEST)
    known = AccessLog.objects.filter(attempt_time__lt=now - timedelta(days=KNOWN_DAYS))
    return int(failed.delete()[0] + known.delete()[0])


def refuse(
    request: HttpRequest, _response: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """429 and when to come again; the same for accounts that there are and that there are not."""
    username = (credentials or {}).get("username") or ""
    seconds = max(1, wait(username, address(request)))
    return too_often(request, seconds, "Too many wrong passwords")


def too_often(request: HttpRequest, seconds: int, title: str) -> HttpResponse:
    """429 as a problem, or as a page for people."""
    minutes = math.ceil(seconds / 60)
    again = timezone.now() + timedelta(seconds=seconds)
    if request.path.startswith("/api/"):
        said = f"{title}. Try again in {seconds} seconds."
        response: HttpResponse = answer(request, 429, said)
    else:
        words = {"title": title, "minutes": minutes, "again": again}
        response = render(request, "accounts/locked.html", words, status=429)
    response["Retry-After"] = str(seconds)
    return response
