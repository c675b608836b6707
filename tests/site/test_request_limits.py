"""Requests that are too long or not in UTF-8 are refused unread."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, RequestFactory

from bots.limits import MAX_PACKED, MAX_UPLOAD
from cardroom.middleware import RequestLimits
from cardroom.wsgi import application
from cardroom_base.core.request_limits import MAX_BODY, MAX_FIELDS, MAX_QUERY
from tests import factories

pytestmark = pytest.mark.django_db


class UnreadableBody:
    """A body that fails if it is read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("a refused body was read")

    readline = read


@pytest.fixture(autouse=True)
def _quiet(settings: Any) -> None:
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def post_unread(address: str, length: object, **environ: Any) -> Any:
    """The response to a POST with this length and a body that must not be read."""
    client = Client()
    client.force_login(factories.user("ada"))
    kind = "application/json" if address.startswith("/api/") else "multipart/form-data; boundary=b"
    parts = {"CONTENT_TYPE": kind, "CONTENT_LENGTH": str(length), "wsgi.input": UnreadableBody()}
    return client.generic("POST", address, **{**parts, **environ})


PAGES = ("/login/", "/signup/", "/tournaments/new/", "/account/tokens/", "/look/", "/admin/login/")
REST = ("/api/v1/tournaments/", "/api/v1/tokens/", "/api/v1/bots/magpie/rollback/")


@pytest.mark.parametrize("address", [*PAGES, *REST])
def test_a_body_is_limited_to_64_kib(address: str) -> None:
    response = post_unread(address, MAX_BODY + 1)
    assert response.status_code == 413
    if address in REST:
        body = json.loads(response.content)
        assert body["type"] == "urn:cardroom:problem:too-large"
        assert "accepts 64 KiB" in body["detail"]
    else:
        assert b"accepts 64 KiB" in response.content
        assert b"<h1>" in response.content


@pytest.mark.parametrize("address", ["/upload/", "/bots/magpie/upload/", "/api/v1/bots/"])
@pytest.mark.parametrize("length", [MAX_UPLOAD + 1, 10**14])
def test_an_upload_is_limited_to_a_package(address: str, length: int) -> None:
    assert post_unread(address, length).status_code == 413


@pytest.mark.parametrize("address", ["/upload/", "/api/v1/bots/"])
def test_a_large_package_gets_the_sites_error(address: str) -> None:
    client = Client()
    client.force_login(factories.user("ada"))
    file = SimpleUploadedFile("bot.py", bytes(MAX_PACKED + 1))
    response = client.post(address, {"package": file, "name": "Magpie"})
    assert response.status_code == (200 if address == "/upload/" else 400)
    assert b"the limit is 4 MiB" in response.content


@pytest.mark.parametrize(
    ("environ", "status"),
    [
        ({"CONTENT_LENGTH": "-1"}, 400),
        ({"CONTENT_LENGTH": "7a"}, 400),
        ({"CONTENT_LENGTH": "٣"}, 400),
        ({"CONTENT_LENGTH": "9" * 5_000}, 400),
        ({"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}, 411),
        ({"HTTP_TRANSFER_ENCODING": "gzip, chunked"}, 411),
        ({"QUERY_STRING": "q=" + "x" * MAX_QUERY}, 414),
        ({"CONTENT_TYPE": "application/json; charset=utf-16"}, 415),
        ({"CONTENT_TYPE": "multipart/form-data; boundary=b; charset=idna"}, 415),
        ({"CONTENT_TYPE": "text/plain; charset=rot13"}, 415),
    ],
)
@pytest.mark.parametrize("address", ["/login/", "/api/v1/tokens/"])
def test_odd_headers_are_refused(address: str, environ: dict[str, str], status: int) -> None:
    assert post_unread(address, 10, **environ).status_code == status


def test_no_more_than_the_stated_length_is_read() -> None:
    body = b'{"username": "ada", "password": "x"}' + b" " * 1_000_000
    response = Client().generic(
        "POST", "/api/v1/tokens/", body, "application/json", CONTENT_LENGTH="36"
    )
    assert response.status_code == 400
    assert b"no account" in response.content


def test_the_character_set_of_a_request_is_ignored() -> None:
    for charset in ("charset=rot13", "charset*=foo''%41", 'CharSet = "hex"', "charset=utf-16"):
        for address in ("/", "/bots/", "/nothing/", "/api/v1/bots/", "/api/nothing/"):
            statuses: list[str] = []
            environ = RequestFactory().get(f"{address}?q=x").META | {
                "CONTENT_TYPE": f"text/plain; {charset}"
            }
            b"".join(
                application(environ, lambda status, _, statuses=statuses: statuses.append(status))
            )
            assert statuses[0][:3] in {"404", "415"}, (address, statuses)
    request = RequestFactory().get("/?q=%C3%A9", CONTENT_TYPE="text/plain; charset=latin-1")
    RequestLimits(lambda request: request.GET["q"])(request)  # type: ignore[arg-type,return-value]
    assert request.GET["q"] == "é"


def test_fields_and_files_of_a_form_are_limited() -> None:
    client = Client()
    client.force_login(factories.user("ada"))
    fields = "&".join(f"f{number}=" for number in range(MAX_FIELDS + 1))
    form = "application/x-www-form-urlencoded"
    assert client.post("/look/", fields, content_type=form).status_code == 400
    files = {f"f{number}": SimpleUploadedFile("a", b"x") for number in range(5)}
    assert client.post("/upload/", files).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 60_000,
        b'{"username":' + b"9" * 5_000 + b"}",
        b'{"username":NaN}',
        b'{"username":1e999}',
        b'{"username":"a","username":"b"}',
        b'{"username":"\\ud800"}',
        '{"username":"a"}'.encode("utf-16"),
        b'\xef\xbb\xbf{"username":"a"}',
        b'["username"]',
        b"",
    ],
)
def test_json_is_read_within_limits(body: bytes) -> None:
    response = Client().post("/api/v1/tokens/", body, content_type="application/json")
    assert response.status_code == 400
    assert json.loads(response.content)["status"] == 400


@pytest.mark.parametrize(
    "address",
    [
        f"/matches/{2**63}/",
        f"/api/v1/matches/1/logs/{2**63}/",
        f"/matches/{'9' * 3_000}/",
        "/bots/?page=" + "9" * 1_900,
        "/api/v1/bots/?page=" + "9" * 1_900,
        "/api/v1/matches/?round=1e400",
    ],
)
def test_huge_numbers_in_addresses_cause_no_error(address: str) -> None:
    assert Client().get(address).status_code in {200, 400, 404}


@pytest.mark.parametrize(
    ("address", "field"),
    [
        *(("/bots/magpie/activate/", "version"), ("/bots/magpie/trial/", "version")),
        ("/bots/magpie/trial/", "gain"),
        *(
            ("/tournaments/cup/announce/", "announcement"),
            ("/tournaments/cup/teams/agree/", "entry"),
        ),
        ("/tournaments/cup/entries/categorize/", "entry"),
        *(("/tournaments/cup/rounds/rerun/", "round"), ("/tournaments/new/forecast/", "entrants")),
    ],
)
def test_huge_numbers_in_forms_cause_no_error(address: str, field: str) -> None:
    ada, client = factories.user("ada"), Client()
    magpie = factories.bot(ada, "Magpie")
    factories.version(magpie)
    factories.tournament([magpie], by=ada, name="Cup")
    client.force_login(ada)
    number = "9" * 5_000  # Python does not convert so many digits
    form = {"version": "2", "text": "x", field: f"1.{number}" if field == "round" else number}
    assert client.post(address, form).status_code in {200, 302}


@pytest.mark.parametrize(
    "address",
    [
        *("/bots/?q=%00", "/bots/?%00", "/api/v1/bots/?name=%00", "/tournaments/a/?invitation=%00"),
        *("/authors/%00/", "/play/%00/", "/api/v1/authors/%00/", "/oidc/%00/login/"),
    ],
)
def test_nul_characters_in_addresses_are_refused(address: str) -> None:
    response = Client().get(address)
    assert response.status_code == 400
    if address.startswith("/api/"):
        assert response.json()["type"] == "urn:cardroom:problem:nul"


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=b", "urlencoded"])
def test_nul_characters_in_forms_are_refused(kind: str) -> None:
    client = Client()
    client.force_login(factories.user("ada"))
    body = b'--b\r\nContent-Disposition: form-data; name="code"\r\n\r\nA\0\r\n--b--\r\n'
    if kind == "urlencoded":
        kind, body = "application/x-www-form-urlencoded", b"code=A%00"
    response = client.post("/join/", body, content_type=kind)
    assert response.status_code == 400
    assert b"the character NUL" in response.content


def test_cookies_with_nul_characters_are_ignored() -> None:
    request = RequestFactory().get("/", headers={"cookie": 'sessionid="aaaaaaaa\\000"; theme=dark'})
    RequestLimits(lambda request: HttpResponse(str(request.COOKIES)))(request)
    assert request.COOKIES == {"theme": "dark"}


def test_a_plain_word_is_a_relative_address_to_return_to() -> None:
    response = Client().post("/look/", {"next": "tournament-new", "theme": "dark"})
    assert (response.status_code, response["Location"]) == (302, "tournament-new")
