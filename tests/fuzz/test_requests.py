"""The site responds to invalid requests in time, and never with status 500."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import strategies as st
from rest_framework.throttling import SimpleRateThrottle

from bots.models import Bot
from tests import factories
from tests.pages.conftest import World
from tournaments.models import Match, Tournament

from .fuzzing import ODD_VALUES, mangled_bytes, run_examples, run_in_time

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

PARAMETERS = (
    *("page", "page_size", "ordering", "q", "mine", "state", "game", "format", "pool", "bot"),
    *("a", "b", "kind", "owner", "name", "house", "tournament", "round", "fixture"),
    *("faulted", "table", "type", "stage", "division", "gain", "version", "current"),
    *("status", "move", "view", "next", "since", "seat", "frame", "language", "options"),
    *("groups", "bots", "player", "playable"),
)
FIELDS = (
    *("name", "description", "format", "groups", "stages", "system", "settings", "partners"),
    *("seed", "seeding", "apart", "tie_breaks", "move_ms", "bank_ms", "fault_policy"),
    *("rated", "bot", "team", "bots", "mates", "reason", "stage", "round", "priority"),
    *("gain", "active", "username", "password", "notes", "candidate", "package", "step"),
    *("version", "take", "options", "scope", "action", "theme", "suits", "next"),
    *("tie_break_1", "stage-1-system", "stages", "expires"),
)
HEADERS = (
    *("CONTENT_TYPE", "HTTP_ACCEPT", "HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_HX_REQUEST"),
    *("HTTP_HOST", "HTTP_IF_NONE_MATCH", "HTTP_ACCEPT_LANGUAGE", "HTTP_REFERER"),
    *("HTTP_HX_CURRENT_URL", "HTTP_X_FORWARDED_FOR", "HTTP_RANGE", "HTTP_IF_MODIFIED_SINCE"),
    "HTTP_IDEMPOTENCY_KEY",
)
VALUES = (
    *ODD_VALUES,
    *("cassino/standard/1v1", "cassino/standard/1v1?target=5", "magpie", "autumn-cup"),
    *("open", "start", "json", "round-robin", "swiss", "overall", "archive", "csv"),
    *("-created", "created,-name", "all", "1e5", "0x10", "NaN", "inf"),
    *("0" * 30, "99999999999999999999", "-0", "½", "5" * 1_500),
    *([{"system": "swiss", "settings": {"rounds": 10**9}}], [{"system": []}], {"rounds": "x"}),
)
METHODS = ("post", "post", "put", "patch", "delete")


@pytest.fixture
def clients(settings: Any, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[list[Client]]:
    """Clients of nobody, an owner, an organizer and a member of the staff, in a small world."""
    settings.WORKERS_ELSEWHERE = True
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.LOGGING_CONFIG = None
    monkeypatch.setattr(SimpleRateThrottle, "allow_request", lambda *_: True)
    monkeypatch.setattr(logging.getLogger("django"), "disabled", True)
    cache.clear()
    world = World()
    staff = factories.user("staff", staff=True)
    all_clients = [Client() for _ in range(4)]
    for client, user in zip(all_clients[1:], (world.owner, world.organizer, staff), strict=True):
        client.force_login(user)
    yield all_clients
    cache.clear()


def addresses() -> list[str]:
    """The addresses of the site, with `<type:name>` for their parameters."""

    def routes(resolver: URLResolver, prefix: str) -> Iterator[str]:
        for entry in resolver.url_patterns:
            route = str(entry.pattern)
            if isinstance(entry, URLResolver) and route != "admin/":
                yield from routes(entry, prefix + route)
            elif isinstance(entry, URLPattern) and not route.startswith("^"):
                yield prefix + route

    return [f"/{address}" for address in routes(get_resolver(), "")]


def fill_in(address: str, parts: list[Any]) -> str:
    """The address with existing or odd values for its parameters."""
    values = [*_existing_values(address), *parts]
    rest = iter(parts * 3)
    return re.sub(r"<[^>]+>", lambda part: str(_choose(part[0], values, next(rest, 1))), address)


def _existing_values(address: str) -> list[str]:
    if "/bots/" in address or "/ratings/" in address:
        return [bot.slug for bot in Bot.objects.all()]
    if "/tournaments/" in address:
        return [tournament.slug for tournament in Tournament.objects.all()]
    if "/games/" in address:
        return ["cassino", "canasta"]
    return [str(key) for key in Match.objects.values_list("pk", flat=True)[:40:7]]


def _choose(part: str, values: list[Any], number: Any) -> object:
    if part.startswith("<int") and "/pk" not in part:
        return number if isinstance(number, int) and number >= 0 else 1
    return values[hash(str(number)) % len(values)]


WORDS = st.sampled_from([str(value) for value in VALUES]) | st.text(max_size=12)
PARTS = st.lists(
    st.sampled_from([0, 1, 2, 3, 10**9, 2**31, 2**63, 10**30, int("9" * 600)])
    | st.sampled_from(["magpie", "house-random", "autumn-cup", "x" * 200, "-", "%00", "%ff"]),
    min_size=2,
    max_size=4,
)
QUERIES = st.lists(st.tuples(st.sampled_from(PARAMETERS), WORDS), max_size=3)
BODIES = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(VALUES), max_size=5)


def send_request(client: Client, method: str, address: str, *args: Any, **kwargs: Any) -> None:
    """Send a request; its response must come in time, without status 500."""
    response = run_in_time(lambda: getattr(client, method)(address, *args, **kwargs))
    assert response.status_code != 500, (method, address, args)
    if getattr(response, "streaming", False):
        b"".join(response)


def test_addresses_with_odd_parameters_and_queries(clients: list[Client]) -> None:
    @run_examples(st.sampled_from(addresses()), PARTS, QUERIES, st.sampled_from(clients))
    def run(address: str, parts: list[Any], query: list[tuple[str, str]], client: Client) -> None:
        words = "&".join(f"{quote(key)}={quote(value, errors='replace')}" for key, value in query)
        send_request(client, "get", f"{fill_in(address, parts)}?{words}")


def test_bodies_of_json_with_odd_values(clients: list[Client]) -> None:
    endpoints = [address for address in addresses() if address.startswith("/api/v1/")]

    @run_examples(
        st.sampled_from(endpoints),
        PARTS,
        BODIES,
        st.sampled_from(METHODS),
        st.sampled_from(clients),
    )
    def run(address: str, parts: list[Any], body: Any, method: str, client: Client) -> None:
        text = json.dumps(body)
        send_request(client, method, fill_in(address, parts), text, content_type="application/json")


def test_bodies_with_broken_json(clients: list[Client]) -> None:
    seeds = (b"[" * 60_000, b'{"name":"A cup","format":"paks/basic/1v1"}', b"9" * 5_000)
    endpoints = [address for address in addresses() if address.startswith("/api/v1/")]

    def send(address: str, parts: list[Any], body: bytes, client: Client) -> None:
        send_request(client, "post", fill_in(address, parts), body, content_type="application/json")

    for body in seeds:
        for address in endpoints:
            send(address, [1, 1], body, clients[3])
    run_examples(st.sampled_from(endpoints), PARTS, mangled_bytes(seeds), st.sampled_from(clients))(
        send
    )


def test_forms_with_odd_values(clients: list[Client]) -> None:
    pages = [address for address in addresses() if not address.startswith("/api/")]

    forms = st.dictionaries(st.sampled_from(FIELDS), WORDS)

    @run_examples(st.sampled_from(pages), PARTS, forms, st.sampled_from(clients))
    def run(address: str, parts: list[Any], fields: dict[str, str], client: Client) -> None:
        data = {key: value.encode("utf-8", "replace").decode() for key, value in fields.items()}
        send_request(client, "post", fill_in(address, parts), data)


FORM = (
    b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nMagpie\r\n'
    b'--b\r\nContent-Disposition: form-data; name="package"; filename="bot.js"\r\n'
    b"Content-Type: text/plain\r\n\r\nchoose = 1\r\n--b--\r\n"
)


@pytest.mark.parametrize("address", ["/upload/", "/api/v1/bots/", "/login/"])
def test_broken_forms(clients: list[Client], address: str) -> None:
    kind = "multipart/form-data; boundary=b"

    @run_examples(mangled_bytes([FORM]))
    def run(body: bytes) -> None:
        send_request(clients[1], "post", address, body, content_type=kind)


def test_odd_headers(clients: list[Client]) -> None:
    names = st.sampled_from(HEADERS)
    values = st.sampled_from(
        (
            *("text/plain; charset=rot13", "text/plain; charset=idna", "text/html; charset=x" * 9),
            *("Token \xff", "Token", "Basic x", "sessionid=\x80; theme=<", "*/*;q=x", "bytes=0-9"),
            *("multipart/form-data", "application/json; charset=utf-16", 'W/"x', "a" * 3_000),
        )
    )
    pages = ["/", "/bots/", "/nothing/", "/api/v1/", "/api/v1/bots/", "/api/nothing/", "/login/"]
    methods = st.sampled_from(["get", "post", "head", "options"])

    @run_examples(st.sampled_from(pages), st.dictionaries(names, values, max_size=3), methods)
    def run(address: str, headers: dict[str, str], method: str) -> None:
        send_request(clients[0], method, address, **headers)
