"""Headers of every response: policies and caching."""

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
from tests import preloaded

pytestmark = pytest.mark.django_db
SECRET = {"private", "no-store"}


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def caching(response: Any) -> set[str]:
    return set(re.split(r",\s*", response["Cache-Control"]))


PATHS = ("/", "/login/", "/nothing/", "/api/v1/", "/api/v1/bots/", "/api/nothing/", "/admin/login/")


@pytest.mark.parametrize("path", PATHS)
def test_every_response_has_policies(client: Client, path: str) -> None:
    response = client.get(path)
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "camera=()" in response["Permissions-Policy"]
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


def test_a_refused_host_gets_policies(client: Client) -> None:
    response = client.get("/", HTTP_HOST="elsewhere.example")
    assert response.status_code == 400
    assert "default-src 'none'" in response["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/account/", "/nothing/", "/api/v1/", "/api/v1/status/"])
def test_responses_to_accounts_are_not_cached(client: Client, path: str) -> None:
    client.force_login(make.user())
    assert caching(client.get(path)) == SECRET


def test_responses_to_tokens_are_not_cached(client: Client) -> None:
    from cardroom.actions.tokens import make_token

    _, secret = make_token(make.user(), "x", ["read"], 1)
    response = client.get("/api/v1/status/", headers={"Authorization": f"Token {secret}"})
    assert caching(response) == SECRET


def test_public_responses_vary_by_reader(client: Client) -> None:
    response = client.get("/api/v1/games/")
    assert {"public", "max-age=300"} <= caching(response)
    assert {"authorization", "cookie"} <= set(re.split(r",\s*", response["Vary"].lower()))
    # A page has its reader's form token.
    assert caching(client.get("/")) == {"private", "no-cache"}


def test_errors_are_not_cached(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("cardroom.pages.site.home_page.queries.newest_match_keys", broken)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert caching(response) == SECRET


HTTPS = {
    "CARDROOM_HTTPS": "1",
    "CARDROOM_TRUSTED_PROXIES": "10.0.0.1",
    "CARDROOM_HOSTS": "cards.example.org",
    "DJANGO_SETTINGS_MODULE": "cardroom.settings",
}


def manage(tmp_path: Any, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a site with HTTPS."""
    # Tests with a browser set a variable in this process that no site has.
    inherited = {
        key: value for key, value in os.environ.items() if key != "DJANGO_ALLOW_ASYNC_UNSAFE"
    }
    return preloaded.run(
        [sys.executable, "-m", "django", *arguments],
        env={**inherited, "CARDROOM_VAR": str(tmp_path), **HTTPS, **environment},
        cwd=site.BASE_DIR,
    )


def test_the_deployment_check_finds_nothing(tmp_path: Any) -> None:
    process = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING")
    assert process.returncode == 0, process.stderr
    assert "no issues" in process.stdout


REQUEST_PAGES = """
from django.conf import settings
from django.test import Client
get = Client(headers={"host": "cards.example.org", "x-forwarded-proto": "https"}).get
response = get("/login/", REMOTE_ADDR="10.0.0.1")
print(response.status_code, response.headers["Strict-Transport-Security"])
for cookie in response.cookies.values():
    print(cookie.OutputString())
print(get("/login/", REMOTE_ADDR="192.0.2.1").headers["Location"])
for name in ("NAME", "SECURE", "HTTPONLY"):
    print(getattr(settings, f"SESSION_COOKIE_{name}"))
"""


def test_https_is_required_and_cookies_are_bound_to_the_host(tmp_path: Any) -> None:
    """Only a proxy can mark a request as HTTPS."""
    plain = {"CARDROOM_DEBUG": "1"}  # static files without hashed names
    process = manage(tmp_path, "shell", "-v0", "-c", REQUEST_PAGES, **plain)
    first, cookie, location, *session = process.stdout.splitlines()
    assert first == "200 max-age=31536000; includeSubDomains"
    assert cookie.startswith("__Host-csrftoken=")
    assert {"Secure", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    assert location == "https://cards.example.org/login/"
    assert session == ["__Host-sessionid", "True", "True"]
