"""All pages and endpoints need few queries, and not more of them on a larger site.

These tests measure no time; `make scale` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import pytest
from django.db import transaction
from django.test import Client

from tests.scale.creating import Size, create_site
from tests.scale.reading import MAX_QUERIES, TOURNAMENTS, addresses, log_in, measure_cost
from tournaments.exports import export_files
from tournaments.models import Tournament
from tournaments.reading import content_cache, kinds

pytestmark = pytest.mark.django_db

SMALL = Size(bots=9, ladder=8, robin=4, swiss=4, knockout=4, cups=5, cup=4)
LARGER = Size(bots=14, ladder=40, robin=7, swiss=8, knockout=8, cups=7, cup=6)


Counts = dict[str, tuple[int, int]]
"""The status and number of queries of each address."""


@dataclass(frozen=True)
class SiteCounts:
    """Counts of one site: without cached content, with all of it, and with the usual content."""

    uncached: Counts
    cached: Counts
    usual: Counts
    """Of the tournaments' addresses; others read no cached content."""


def read_site(size: Size) -> Counts:
    """The counts of a site of this size, without cached content."""
    with _site(size) as client:
        return _read(client)


@cache
def read_small_site() -> SiteCounts:
    """The counts of a small site. It is created once, because that takes as long as reading it."""
    with _site(SMALL) as client:
        uncached = _read(client)
        _compute_content()
        usual = _read(client, only="/tournaments/")
        with _all_content_cached():
            _compute_content()
            return SiteCounts(uncached, _read(client), usual)


@contextmanager
def _site(size: Size) -> Iterator[Client]:
    """Staff of a site of this size, which exists only in this context."""
    with transaction.atomic():
        create_site(size)
        yield log_in()
        transaction.set_rollback(True)


@contextmanager
def _all_content_cached() -> Iterator[None]:
    """Read all content from the cache, even of small tournaments."""
    all_kinds = (*kinds.KINDS, *export_files.KINDS)
    limits = [kind.uncached_matches for kind in all_kinds]
    for kind in all_kinds:
        object.__setattr__(kind, "uncached_matches", 0)
    try:
        yield
    finally:
        for kind, limit in zip(all_kinds, limits, strict=True):
            object.__setattr__(kind, "uncached_matches", limit)


def _compute_content() -> None:
    """Compute all content that the present limits cache."""
    content_cache.recompute_all(kinds.KINDS)
    for tournament in Tournament.objects.filter(slug__in=TOURNAMENTS):
        for kind in export_files.KINDS:
            content_cache.compute(kind, tournament)


def _read(client: Client, only: str = "") -> Counts:
    """The counts of all addresses that contain `only`."""
    costs = [measure_cost(client, address, tries=0) for address in addresses() if only in address]
    return {_normalize(cost.address): (cost.status, cost.queries) for cost in costs}


def _normalize(address: str) -> str:
    """The address without ids of matches and names of bots, so that it is equal on all sites."""
    parts = [
        "N" if part.isdecimal() else "bot" if part.startswith("bot-") else part
        for part in address.split("?")[0].split("/")
    ]
    query = [part for part in address.partition("?")[2].split("&") if part[:4] not in ("a=bo",)]
    normalized_query = [
        "bot" if "=bot-" in part else part for part in query if not part.startswith("page=")
    ]
    return "/".join(parts) + "?" + "&".join(normalized_query)


def too_many_queries(counts: Counts) -> dict[str, int]:
    return {address: queries for address, (_, queries) in counts.items() if queries > MAX_QUERIES}


def test_a_larger_site_needs_no_more_queries() -> None:
    small, larger = read_small_site().uncached, read_site(LARGER)
    assert len(small) > 180
    assert too_many_queries(small) == too_many_queries(larger) == {}
    # Pages that the small site lacks cannot be compared.
    assert {
        address: (small[address], (status, queries))
        for address, (status, queries) in larger.items()
        if address in small and small[address][0] == status == 200 and queries > small[address][1]
    } == {}


def test_cached_content_needs_few_queries() -> None:
    counts = read_small_site().cached
    assert {address for address, (status, _) in counts.items() if status == 202} == set()
    assert too_many_queries(counts) == {}


def test_small_tournaments_with_a_cached_story_need_few_queries() -> None:
    """Their standings are computed for each request, so a page must not need both."""
    counts = read_small_site().usual
    assert len(counts) > 100
    assert too_many_queries(counts) == {}
