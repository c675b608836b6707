"""Every page and endpoint asks few queries, and no more of them where there is more to show.

Nothing here is about time: `make scale` prints that.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from tests.scale.making import Size, make
from tests.scale.walking import MOST_QUERIES, TOURNAMENTS, addresses, cost, reader
from tournaments.exports import files
from tournaments.models import Tournament
from tournaments.reading import content_cache, kinds

pytestmark = pytest.mark.django_db

SMALL = Size(bots=9, ladder=8, robin=4, swiss=4, knockout=4, cups=5, cup=4)
LARGER = Size(bots=14, ladder=40, robin=7, swiss=8, knockout=8, cups=7, cup=6)


class RollBackError(Exception):
    """Takes a site away again."""


@pytest.fixture
def nothing_is_small() -> Iterator[None]:
    """Everything is kept, however little it is."""
    every = (*kinds.KINDS, *files.KINDS)
    before = [kind.uncached_matches for kind in every]
    for kind in every:
        object.__setattr__(kind, "uncached_matches", 0)
    yield
    for kind, bound in zip(every, before, strict=True):
        object.__setattr__(kind, "uncached_matches", bound)


def walk(size: Size, *, keep: bool = False) -> dict[str, tuple[int, int]]:
    """Of every address its status and queries on a site of that size."""
    found = {}
    try:
        with transaction.atomic():
            make(size)
            if keep:
                content_cache.recompute_all(kinds.KINDS)
                for tournament in Tournament.objects.filter(slug__in=TOURNAMENTS):
                    for kind in files.KINDS:
                        content_cache.compute(kind, tournament)
            client = reader()
            for address in addresses():
                seen = cost(client, address, tries=0)
                found[_plain(address)] = (seen.status, seen.queries)
            raise RollBackError
    except RollBackError:
        return found


def _plain(address: str) -> str:
    """The same on every site: without the numbers of matches and the names of bots."""
    parts = [
        "N" if part.isdecimal() else "bot" if part.startswith("bot-") else part
        for part in address.split("?")[0].split("/")
    ]
    asked = [part for part in address.partition("?")[2].split("&") if part[:4] not in ("a=bo",)]
    kept_ = ["bot" if "=bot-" in part else part for part in asked if not part.startswith("page=")]
    return "/".join(parts) + "?" + "&".join(kept_)


def bounded(found: dict[str, tuple[int, int]]) -> dict[str, int]:
    return {address: queries for address, (_, queries) in found.items() if queries > MOST_QUERIES}


def test_more_to_show_is_no_more_to_ask() -> None:
    small, larger = walk(SMALL), walk(LARGER)
    assert len(small) > 180
    assert bounded(small) == bounded(larger) == {}
    # A page of which the smaller site has none, or no second one, tells nothing.
    assert {
        address: (small[address], seen)
        for address, seen in larger.items()
        if address in small and small[address][0] == seen[0] == 200 and seen[1] > small[address][1]
    } == {}


@pytest.mark.usefixtures("nothing_is_small")
def test_what_is_kept_is_read_with_few_queries() -> None:
    found = walk(SMALL, keep=True)
    assert {address for address, (status, _) in found.items() if status == 202} == set()
    assert {a for a, (_, queries) in found.items() if queries > MOST_QUERIES} == set()


def test_small_tournaments_whose_story_is_kept_ask_as_few() -> None:
    """Their tables are made at each reading, so that a page must not need both."""
    assert bounded(walk(SMALL, keep=True)) == {}
