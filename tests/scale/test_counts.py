"""All pages and endpoints need few queries, and not more of them on a larger site.

These tests measure no time; `make scale` does.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from tests.scale.creating import Size, create_site
from tests.scale.reading import MAX_QUERIES, TOURNAMENTS, addresses, log_in, measure_cost
from tournaments.exports import files
from tournaments.models import Tournament
from tournaments.reading import content_cache, kinds

pytestmark = pytest.mark.django_db

SMALL = Size(bots=9, ladder=8, robin=4, swiss=4, knockout=4, cups=5, cup=4)
LARGER = Size(bots=14, ladder=40, robin=7, swiss=8, knockout=8, cups=7, cup=6)


class RollBackError(Exception):
    """Rolls back the transaction that created a site."""


@pytest.fixture
def cache_everything() -> Iterator[None]:
    """Cache all content, even of small tournaments."""
    all_kinds = (*kinds.KINDS, *files.KINDS)
    old_limits = [kind.uncached_matches for kind in all_kinds]
    for kind in all_kinds:
        object.__setattr__(kind, "uncached_matches", 0)
    yield
    for kind, limit in zip(all_kinds, old_limits, strict=True):
        object.__setattr__(kind, "uncached_matches", limit)


def read_site(size: Size, *, with_cache: bool = False) -> dict[str, tuple[int, int]]:
    """The status and number of queries of each address on a site of this size."""
    counts = {}
    try:
        with transaction.atomic():
            create_site(size)
            if with_cache:
                content_cache.recompute_all(kinds.KINDS)
                for tournament in Tournament.objects.filter(slug__in=TOURNAMENTS):
                    for kind in files.KINDS:
                        content_cache.compute(kind, tournament)
            client = log_in()
            for address in addresses():
                cost = measure_cost(client, address, tries=0)
                counts[_normalize(address)] = (cost.status, cost.queries)
            raise RollBackError
    except RollBackError:
        return counts


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


def too_many_queries(counts: dict[str, tuple[int, int]]) -> dict[str, int]:
    return {address: queries for address, (_, queries) in counts.items() if queries > MAX_QUERIES}


def test_a_larger_site_needs_no_more_queries() -> None:
    small, larger = read_site(SMALL), read_site(LARGER)
    assert len(small) > 180
    assert too_many_queries(small) == too_many_queries(larger) == {}
    # Pages that the small site lacks cannot be compared.
    assert {
        address: (small[address], (status, queries))
        for address, (status, queries) in larger.items()
        if address in small and small[address][0] == status == 200 and queries > small[address][1]
    } == {}


@pytest.mark.usefixtures("cache_everything")
def test_cached_content_needs_few_queries() -> None:
    counts = read_site(SMALL, with_cache=True)
    assert {address for address, (status, _) in counts.items() if status == 202} == set()
    assert {address for address, (_, queries) in counts.items() if queries > MAX_QUERIES} == set()


def test_small_tournaments_with_a_cached_story_need_few_queries() -> None:
    """Their standings are computed for each request, so a page must not need both."""
    assert too_many_queries(read_site(SMALL, with_cache=True)) == {}
