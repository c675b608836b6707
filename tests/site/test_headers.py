"""What every answer carries: policies, and who may keep a copy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client

from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = {"private", "no-store"}


@pytest.fixture(autouse=True)
def _plain(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def caching(response: Any) -> set[str]:
    return set(re.split(r",\s*", response["Cache-Control"]))


PATHS = ("/", "/login/", "/nothing/", "/api/v1/", "/api/v1/bots/", "/api/nothing/", "/admin/login/")


@pytest.mark.parametrize("path", PATHS)
def test_policies_are_everywhere(client: Client, path: str) -> None:
    answer = client.get(path)
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"


def test_a_refused_host_gets_them_too(client: Client) -> None:
    answer = client.get("/", HTTP_HOST="elsewhere.example")
    assert answer.status_code == 400
    assert "default-src 'none'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/account/", "/nothing/", "/api/v1/", "/api/v1/status/"])
def test_nobody_keeps_what_was_shown_to_somebody(client: Client, path: str) -> None:
    client.force_login(make.user())
    assert caching(client.get(path)) == SECRET


def test_nor_what_a_token_opened(client: Client) -> None:
    from cardroom.actions.tokens import make_token

    _, secret = make_token(make.user(), "x", ["read"], 1)
    opened = client.get("/api/v1/status/", headers={"Authorization": f"Token {secret}"})
    assert caching(opened) == SECRET


def test_public_copies_tell_readers_apart(client: Client) -> None:
    answer = client.get("/api/v1/games/")
    assert {"public", "max-age=300"} <= caching(answer)
    assert {"authorization", "cookie"} <= set(re.split(r",\s*", answer["Vary"].lower()))
    # A page holds the form token of whoever asked.
    assert caching(client.get("/")) == {"private", "no-cache"}


def test_a_broken_site_is_kept_by_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("cardroom.pages.site.home.queries.newest_match_keys", broken)
    client.raise_request_exception = False
    answer = client.get("/")
    assert answer.status_code == 500
    assert caching(answer) == SECRET


HTTPS = {
    "CARDROOM_HTTPS": "1",
    "CARDROOM_TRUSTED_PROXIES": "10.0.0.1",
    "CARDROOM_HOSTS": "cards.example.org",
    "DJANGO_SETTINGS_MODULE": "cardroom.settings",
}


def manage(tmp_path: Any, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a site that speaks HTTPS."""
    # What the browser's tests allow themselves, in this very process, no site does.
    ours = {key: value for key, value in os.environ.items() if key != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    return subprocess.run(
        [sys.executable, "-m", "django", *arguments],
        env={**ours, "CARDROOM_VAR": str(tmp_path), **HTTPS, **environment},
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_deployment_check_finds_nothing(tmp_path: Any) -> None:
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


LOOK = """
from django.conf import settings
from django.test import Client
ask = Client(headers={"host": "cards.example.org", "x-forwarded-proto": "https"}).get
answer = ask("/login/", REMOTE_ADDR="10.0.0.1")
print(answer.status_code, answer.headers["Strict-Transport-Security"])
for cookie in answer.cookies.values():
    print(cookie.OutputString())
print(ask("/login/", REMOTE_ADDR="192.0.2.1").headers["Location"])
for name in ("NAME", "SECURE", "HTTPONLY"):
    print(getattr(settings, f"SESSION_COOKIE_{name}"))
"""


def test_https_is_insisted_on_and_cookies_are_bound_to_the_host(tmp_path: Any) -> None:
    """And who is no proxy cannot say that it was HTTPS."""
    plain = {"CARDROOM_DEBUG": "1"}  # static files as they lie
    done = manage(tmp_path, "shell", "-v0", "-c", LOOK, **plain)
    first, cookie, sent_to, *session = done.stdout.splitlines()
    assert first == "200 max-age=31536000; includeSubDomains"
    assert cookie.startswith("__Host-csrftoken=")
    assert {"Secure", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    assert sent_to == "https://cards.example.org/login/"
    assert session == ["__Host-sessionid", "True", "True"]
