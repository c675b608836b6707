"""Limits of wrong passwords by account, address and time.

django-axes counts failures in the database, so that all web processes count together and
independently of a cache. This module defines three limits:

- an account from one address, so that guessing is slow;
- an address, over all accounts, so that nobody tries one password on every account;
- an account from anywhere, so that guessing from many addresses is slow as well. This limit does
not apply to addresses from which the account has logged in before, so that strangers cannot lock
out an owner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from axes.backends import AxesBackend
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cardroom.addresses import counted_address, is_in_trusted_network
from cardroom.models import Suspension
from cardroom_base.db import notifications
from cardroom_base.db.db_time import Now, now
from cardroom_base.rest.problem_details import answer

KNOWN_DAYS: Final = 90
"""Days for which an address is known to an account after a log-in from it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of wrong passwords. It is full after `failures` of them within `minutes` minutes with
    equal values of the fields `by`."""

    by: tuple[str, ...]
    failures: int
    minutes: int


LIMITS: Final = (
    Limit(("username", "ip_address"), 5, 15),
    Limit(("ip_address",), 50, 60),
    Limit(("username",), 50, 60),
)
LONGEST_PERIOD: Final = timedelta(minutes=max(limit.minutes for limit in LIMITS))
"""The age from which failures count for no limit."""


def client_address(request: HttpRequest) -> str | None:
    """The address under which failures are counted."""
    return counted_address(request) or None


def describe_client(_username: Any, ip_address: str | None, *_: Any) -> str:
    """The words for a client in the log. They omit the name, because people may type a password
    in its place."""
    return f"somebody at {ip_address}"


def failure_limit(_request: HttpRequest, _credentials: Any) -> int:
    """The value of `Handler.get_failures` at which axes refuses a log-in."""
    return 1


def wait(username: str, ip_address: str | None) -> int:
    """Seconds until this address may try the account's password again; 0 if it may now."""
    limits = _limits(username, ip_address)
    ends = [end for limit in limits if (end := _full_until(limit, username, ip_address))]
    return max(0, math.ceil((max(ends) - now()).total_seconds())) if ends else 0


def _limits(username: str, ip_address: str | None) -> tuple[Limit, ...]:
    """The limits that apply. The limit of the account alone does not apply to a known address, and
    that of the address alone does not apply to a trusted network."""
    logins = AccessLog.objects.filter(username=username, ip_address=ip_address)
    is_known = logins.filter(attempt_time__gte=Now() - timedelta(days=KNOWN_DAYS)).exists()
    exempt = set()
    if is_known:
        exempt.add(("username",))
    if is_in_trusted_network(ip_address or ""):
        exempt.add(("ip_address",))
    return tuple(limit for limit in LIMITS if limit.by not in exempt)


def _full_until(limit: Limit, username: str, ip_address: str | None) -> datetime | None:
    """The time until which the limit is full; None if it is not full."""
    span = timedelta(minutes=limit.minutes)
    values = {"username": username, "ip_address": ip_address}
    access_attempts = AccessAttempt.objects.filter(
        attempt_time__gt=Now() - span, **{key: values[key] for key in limit.by}
    )
    failures = 0
    for attempt in access_attempts.order_by("-attempt_time")[: limit.failures]:
        failures += attempt.failures_since_start
        if failures >= limit.failures:
            last: datetime = attempt.attempt_time
            return last + span
    return None


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # axes brings no types
    """axes' handler, with our limits and the database's clock."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **more: Any
    ) -> None:
        """Store a failure."""
        if request is not None:
            request.axes_attempt_time = now()
        super().user_login_failed(sender, credentials, request, **more)

    def get_failures(self, request: Any, credentials: Any = None) -> int:
        """1 if a limit is full, else 0."""
        return int(wait((credentials or {}).get("username") or "", request.axes_ip_address) > 0)


@receiver(post_save, sender=AccessAttempt)
@receiver(post_save, sender=AccessLog)
def _use_database_time(sender: Any, instance: Any, created: bool, **_: Any) -> None:  # noqa: FBT001 - Django passes it by name
    """Replace this machine's time in axes' new rows by the database's."""
    if created:
        sender.objects.filter(pk=instance.pk).update(attempt_time=Now())


class Backend(AxesBackend):  # type: ignore[misc]  # axes brings no types
    """Checks names and passwords within the limits, for every way to log in."""

    _suspended = False
    """Whether the last password was right but the account is suspended."""

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **more: Any
    ) -> AbstractBaseUser | None:
        """The user; None for a wrong password. Raises axes' PermissionDenied during a wait.

        The limit is checked again after a correct password, because simultaneous guesses may have
        filled it meanwhile.
        """
        super().authenticate(request, username=username, password=password, **more)
        user = ModelBackend.authenticate(self, request, username, password, **more)
        if user is not None:
            super().authenticate(request, username=username, password=password, **more)
            _record_login(user.get_username(), client_address(request))
        elif self._suspended and request is not None:
            request.suspended = True  # for the log-in page
        return user

    def get_user(self, user_id: int) -> AbstractBaseUser | None:
        """The account of a session; `unread_notifications` is for the bell on every page."""
        users = get_user_model().objects.annotate(unread_notifications=notifications.unread_count())
        user = users.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None

    def user_can_authenticate(self, user: AbstractBaseUser | None) -> bool:
        """Whether the account is open. Django calls this after it has checked the password."""
        is_open = bool(super().user_can_authenticate(user))
        self._suspended = (
            not is_open and Suspension.objects.filter(pk=user.pk if user else 0).exists()
        )
        return is_open


def _record_login(username: str, ip_address: str | None) -> None:
    """Delete this account's failures from this address, and remember the address."""
    AccessAttempt.objects.filter(username=username, ip_address=ip_address).delete()
    logins = AccessLog.objects.filter(username=username, ip_address=ip_address)
    if not logins.update(attempt_time=Now()):
        AccessLog.objects.create(username=username, ip_address=ip_address)


def purge() -> int:
    """Delete expired failures and addresses; return their number."""
    failures = AccessAttempt.objects.filter(attempt_time__lt=Now() - LONGEST_PERIOD)
    addresses = AccessLog.objects.filter(attempt_time__lt=Now() - timedelta(days=KNOWN_DAYS))
    return int(failures.delete()[0] + addresses.delete()[0])


def refuse(
    request: HttpRequest, _response: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """429 with the time to wait, which does not depend on whether the account exists."""
    username = (credentials or {}).get("username") or ""
    seconds = max(1, wait(username, client_address(request)))
    return too_many_requests(request, seconds, "Too many wrong passwords")


def too_many_requests(request: HttpRequest, seconds: int, title: str) -> HttpResponse:
    """429 as a problem or as a page."""
    minutes = math.ceil(seconds / 60)
    retry_at = now() + timedelta(seconds=seconds)
    if request.path.startswith("/api/"):
        message = f"{title}. Try again in {seconds} seconds."
        response: HttpResponse = answer(request, 429, message)
    else:
        context = {"title": title, "minutes": minutes, "again": retry_at}
        response = render(request, "accounts/locked.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
