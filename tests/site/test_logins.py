"""Wrong passwords: every way to log in, every limit, and protection of owners."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth import authenticate
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.utils import timezone

from cardroom import logins
from cardroom.tasks import tidy_logins
from tests import factories as make

pytestmark = pytest.mark.django_db
Way = Callable[..., Any]


@pytest.fixture(autouse=True)
def _fresh_site(settings: Any) -> None:
    cache.clear()
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def by_page(client: Client, name: str, password: str, **options: Any) -> Any:
    return client.post("/login/", {"login": name, "password": password}, **options)


def by_token(client: Client, name: str, password: str, **options: Any) -> Any:
    body = {"username": name, "password": password}
    return client.post("/api/v1/tokens/", body, content_type="application/json", **options)


WAYS = pytest.mark.parametrize("way", [by_page, by_token])
RIGHT = {by_page: 302, by_token: 201}


@WAYS
@pytest.mark.parametrize("name", ["wren", "nobody"])
def test_after_five_wrong_passwords_logins_are_refused(client: Client, way: Way, name: str) -> None:
    make.user("wren", staff=True)
    responses = [
        way(client, name, f"guess {n}", headers={"X-Forwarded-For": f"192.0.2.{n}"})
        for n in range(7)
    ]
    assert [response.status_code == 429 for response in responses] == [False] * 4 + [True] * 3
    assert 0 < int(responses[-1]["Retry-After"]) <= 15 * 60
    assert way(client, name, "secret").status_code == 429


@WAYS
def test_logins_are_allowed_again_after_a_quarter_of_an_hour(client: Client, way: Way) -> None:
    make.user("wren", staff=True)
    for n in range(5):
        way(client, "wren", f"guess {n}")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert way(client, "wren", "secret").status_code == RIGHT[way]


def test_failures_of_all_ways_are_added(client: Client) -> None:
    make.user("wren", staff=True)
    for way in (by_page, by_token, by_page, by_token):
        assert way(client, "wren", "guess").status_code != 429
    assert by_page(client, "wren", "guess").status_code == 429
    assert by_token(client, "wren", "secret").status_code == 429


def test_a_success_forgets_this_accounts_failures_only(client: Client) -> None:
    for name in ("wren", "thief"):
        make.user(name)
    for n in range(4):
        by_token(client, "wren", f"guess {n}")
    assert by_token(client, "thief", "secret").status_code == 201
    assert AccessAttempt.objects.get().username == "wren"
    assert by_token(client, "wren", "secret").status_code == 201
    assert not AccessAttempt.objects.exists()


def record_failures(name: str, address: str, times: int) -> None:
    """Store this number of failures."""
    AccessAttempt.objects.create(
        username=name, ip_address=address, user_agent="", failures_since_start=times
    )


def test_failures_of_one_address_on_many_accounts_are_limited(client: Client) -> None:
    make.user("wren")
    for n in range(49):
        record_failures(f"user{n}", "127.0.0.1", 1)
    assert logins.wait("wren", "127.0.0.1") == 0
    record_failures("one more", "127.0.0.1", 1)
    assert 0 < logins.wait("wren", "127.0.0.1") <= 3600
    assert by_page(client, "wren", "secret").status_code == 429
    assert by_page(client, "wren", "secret", REMOTE_ADDR="192.0.2.1").status_code == 302


def test_many_addresses_slow_down_but_never_lock_out_the_owner(client: Client) -> None:
    make.user("wren")
    assert by_page(client, "wren", "secret", REMOTE_ADDR="192.0.2.1").status_code == 302
    for n in range(50):
        record_failures("wren", f"198.51.100.{n}", 1)
    assert by_page(Client(), "wren", "secret").status_code == 429
    assert by_page(Client(), "wren", "secret", REMOTE_ADDR="192.0.2.1").status_code == 302
    AccessLog.objects.update(
        attempt_time=timezone.now() - timedelta(days=logins.KNOWN_DAYS, seconds=1)
    )
    assert by_page(Client(), "wren", "secret", REMOTE_ADDR="192.0.2.1").status_code == 429


def test_ipv6_neighbours_count_as_one(client: Client) -> None:
    make.user("wren")
    statuses = [
        by_page(client, "wren", "guess", REMOTE_ADDR=f"2001:db8::{n}").status_code
        for n in range(1, 7)
    ]
    assert statuses[-1] == 429


def test_a_concurrent_right_guess_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other guesses fail while the right password is checked."""
    user = make.user("wren")

    def fail_meanwhile(*_: Any, **__: Any) -> Any:
        record_failures("wren", "127.0.0.1", 5)
        return user

    monkeypatch.setattr(ModelBackend, "authenticate", fail_meanwhile)
    request = RequestFactory().post("/login/")
    assert authenticate(request, username="wren", password="secret") is None


def test_no_password_is_stored(client: Client) -> None:
    make.user("wren")
    by_page(client, "wren", "nearly secret")
    client.force_login(make.user("jay"))
    new = {"oldpassword": "nearly", "password1": "quite 4711", "password2": "quite 4711"}
    client.post("/password/change/", new)
    stored = str(list(AccessAttempt.objects.values()))
    assert "nearly" not in stored
    assert "4711" not in stored


def test_a_locked_login_names_the_waiting_time(client: Client) -> None:
    for n in range(5):
        page = by_page(client, "wren", f"guess {n}")
    assert b"Too many wrong passwords" in page.content
    assert b"Try again in 15 minutes" in page.content
    problem = by_token(client, "wren", "guess")
    assert problem["Content-Type"] == "application/problem+json"
    assert "Try again in" in problem.json()["detail"]


def test_staff_unlock(client: Client) -> None:
    make.user("wren")
    for n in range(5):
        by_page(client, "wren", f"guess {n}")
    call_command("axes_reset_username", "wren", verbosity=0)
    assert by_page(client, "wren", "secret").status_code == 302


def test_failures_are_in_the_administration(client: Client) -> None:
    record_failures("wren", "192.0.2.1", 5)
    superuser = make.user(staff=True)
    superuser.is_superuser = True
    superuser.save()
    client.force_login(superuser)
    row = AccessAttempt.objects.get()
    assert client.get("/admin/axes/accessattempt/").status_code == 200
    client.post(f"/admin/axes/accessattempt/{row.pk}/delete/", {"post": "yes"})
    assert logins.wait("wren", "192.0.2.1") == 0


def test_the_housekeeper_deletes_old_records(client: Client) -> None:
    user = make.user("wren")
    client.force_login(user)
    record_failures("old", "192.0.2.1", 1)
    AccessAttempt.objects.update(attempt_time=timezone.now() - logins.LONGEST_PERIOD * 1.01)
    record_failures("new", "192.0.2.1", 1)
    Session.objects.update(expire_date=timezone.now())
    user.tokens.create(name="x", digest="0", expires=timezone.now() - timedelta(days=31))
    for key, hours in (("ended", 2), ("just begun", 0)):
        start = timezone.now() - timedelta(hours=hours)
        UserSession.objects.create(user=user, ip="192.0.2.1", session_key=key, created_at=start)
    assert tidy_logins() == 4
    assert UserSession.objects.get().session_key == "just begun"
    assert AccessAttempt.objects.get().username == "new"
