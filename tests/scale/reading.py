"""Lists all pages and GET endpoints of the site, and measures the cost of reading one."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import URLPattern, URLResolver
from drf_spectacular.generators import SchemaGenerator

from cardroom.pages.tournaments.presets import PRESETS
from cardroom.pages.urls import urlpatterns
from cardroom_tables.models import Table
from tournaments.models import Challenge, Match, Rating, Tournament

MAX_QUERIES = 15
MAX_MS = 50.0
"""The maximum processor time of a response on a quiet machine, in ms."""
TOURNAMENTS = ("ladder", "robin", "swiss", "knockout", "cup-1")
TABLES = ("standings", "crosstable", "results", "ratings")
KINDS = ("csv", "json")
PARAMETERS = re.compile(r"[<{](?:\w+:)?(\w+)[>}]")


@dataclass(frozen=True)
class ReadingCost:
    """The cost of reading an address."""

    address: str
    status: int
    queries: int
    ms: float
    """The shortest processor time of all tries."""
    size: int
    """The size of the response, in bytes."""

    @property
    def is_too_expensive(self) -> bool:
        return self.queries > MAX_QUERIES or self.ms > MAX_MS


def addresses() -> list[str]:
    """All pages and GET endpoints, with the parameters of `TOURNAMENTS`, a match and a bot.

    The export of all data of an account is excluded, because it queries each package and table.
    """
    pages = [f"/{route}" for route in _routes(urlpatterns) if route != "account/export/"]
    paths = [path for route in (*pages, *_endpoints()) for path in _fill_parameters(route)]
    return list(dict.fromkeys([*paths, *_queried_addresses()]))


@functools.cache
def _endpoints() -> list[str]:
    generator: Any = SchemaGenerator
    document = generator().get_schema(request=None, public=True)
    return [path for path, methods in document["paths"].items() if "get" in methods]


def _routes(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.pattern)


def _fill_parameters(path: str) -> Iterator[str]:
    """The path with real values instead of its parameters, for each tournament."""
    match = Match.objects.filter(tournament__slug="robin").order_by("pk").values_list("pk")[0][0]
    bot = Rating.objects.order_by("-matches", "pk").values_list("version__bot__slug")[0][0]
    values = {
        "pk": str(match),
        "id": str(match),
        "bot": bot,
        "number": "1",
        "seat": "0",
        "game": "cassino",
        "key": Table.objects.values_list("key", flat=True)[0],
        "deal": "1",
        "name": "cassino",
        "author": "owner",
        "day": "2026-01-01",  # no dump: reading a file takes no query
    }
    if "challenges/" in path:
        values["pk"] = values["id"] = str(Challenge.objects.values_list("pk", flat=True)[0])
    slugs = TOURNAMENTS if "tournaments/" in path else (bot,)
    for slug in slugs if "slug" in PARAMETERS.findall(path) else ("",):
        arguments = {**values, "slug": slug}
        if "tournaments/" in path:
            arguments["bot"] = (
                Tournament.objects.get(slug=slug).entries.all()[0].bot.slug if slug else bot
            )
        yield PARAMETERS.sub(
            lambda match, arguments=arguments: arguments[match[1]],  # type: ignore[misc]
            path,
        )


def _queried_addresses() -> Iterator[str]:
    """Addresses with queries: late pages of lists, filters, and all exports."""
    bot = Rating.objects.order_by("-matches", "pk").values_list("version__bot__slug")[0][0]
    entries = Tournament.objects.get(slug="robin").entries.order_by("number")
    first, second = entries.values_list("bot__slug", flat=True)[:2]
    last = max(1, Match.objects.count() // 50)
    for ordering in ("finished", "-finished", "moves_played", "id"):
        yield f"/api/v1/matches/?ordering={ordering}"
        yield f"/api/v1/matches/?ordering={ordering}&page={last}"
    yield f"/api/v1/matches/?bot={bot}"
    yield f"/api/v1/matches/?bot={bot}&ordering=-finished&page_size=500"
    yield f"/api/v1/matches/?bot={bot}&ordering=-finished&page=12"
    yield f"/api/v1/bots/{bot}/results/?game=cassino"
    yield f"/api/v1/bots/{bot}/losses/?game=cassino"
    yield "/search/?q=bot"
    yield "/search/?q=u"
    yield f"/matches/?bot={bot}"
    yield f"/matches/?state=all&page={last}"
    finished = Match.objects.filter(finished__isnull=False).order_by("finished")
    yield f"/matches/?before={finished[finished.count() // 10].pk}"
    for query in ("only=close", "only=faults", "only=mine", "game=zwicker", "tournament=ladder"):
        yield f"/matches/?{query}"
    yield f"/matches/?tournament=robin&bot={first}&against={second}"
    yield "/ratings/?versions=all"
    yield "/ratings/?pool=overall&page=2"
    yield "/api/v1/ratings/table/?pool=overall"
    for preset in PRESETS:
        yield f"/tournaments/new/?preset={preset.name}"
    for fmt in ("cassino/standard/1v1", "canasta/classic/2v2"):
        yield f"/tournaments/new/options/?format={fmt}"
    yield f"/ratings/head-to-head/?a={first}&b={second}"
    yield f"/api/v1/ratings/head-to-head/?a={first}&b={second}"
    for slug in TOURNAMENTS:
        yield f"/tournaments/{slug}/matches/?page=100"
        yield f"/api/v1/tournaments/{slug}/matches/?ordering=finished&page=90"
        yield f"/api/v1/tournaments/{slug}/export/?type=archive"
        for table in TABLES:
            for kind in KINDS:
                yield f"/api/v1/tournaments/{slug}/export/?table={table}&type={kind}"


def log_in() -> Client:
    """A client of the site's staff, who see the most."""
    client = Client()
    client.force_login(User.objects.get(username="owner"))
    return client


def measure_cost(client: Client, address: str, tries: int) -> ReadingCost:
    """Request once to count queries, which also fills caches, and `tries` times to measure."""
    cache.clear()
    queries = 0

    def count(execute: Any, *args: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*args)

    with connection.execute_wrapper(count):
        status, size = _request(client, address)
    best = float("inf")
    for _ in range(tries):
        cache.clear()
        start = time.process_time()
        _request(client, address)
        best = min(best, time.process_time() - start)
    return ReadingCost(address, status, queries, best * 1000, size)


def _request(client: Client, address: str) -> tuple[int, int]:
    response: Any = client.get(address)
    size = sum(map(len, response)) if response.streaming else len(response.content)
    return response.status_code, size
