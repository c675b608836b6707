"""Pages of ratings: what is not comparable, partners, what a side is worth, who is better."""

from __future__ import annotations

import re

from django.test import Client

from cardroom.pages.ratings import _sure
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments.models import PoolFit, Rating, TeamRating
from tournaments.reading.comparing import Comparison
from tournaments.standings.noise import noise

POOL = "cassino/standard/1v1"


def test_parts_that_never_met_are_warned_of(client: Client, world: World) -> None:
    warning = "2 parts that never met"
    page = client.get("/ratings/", {"pool": POOL}).content.decode()
    assert warning not in page
    assert "What a side is worth" in page
    PoolFit.objects.filter(pool=POOL).update(components=2)
    assert warning in client.get("/ratings/", {"pool": POOL}).content.decode()


def test_partners_have_ratings_of_their_own(client: Client, world: World) -> None:
    versions = [bot.active_version for bot in (world.magpie, world.jay)]
    team = TeamRating.objects.create(pool=POOL, key="x", fitted=1234, low=1200, high=1268, bond=12)
    team.members.set([version for version in versions if version])
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    row = re.search(r"<tr>(?:(?!</tr>).)*1234.*?</tr>", page)
    assert row is not None
    assert "Magpie</a> &amp; " in row[0]
    assert "+12" in row[0]
    assert "strangers" not in page
    Rating.objects.filter(pool=POOL, version=versions[0]).update(kind="strangers")
    every = client.get("/ratings/", {"pool": POOL}).context["page"]
    beside = client.get("/ratings/", {"pool": POOL, "kind": "strangers"}).context["page"]
    assert (every.paginator.count, beside.paginator.count) == (2, 1)


def test_two_bots_are_compared_in_words(client: Client, world: World) -> None:
    address = f"/ratings/head-to-head/?a=magpie&b=nagi&pool={POOL}"
    page = flat(client.get(address).content.decode())
    assert re.search(r"is better than .* with a probability of <b>\d+ %</b>", page)
    PoolFit.objects.filter(pool=POOL).update(parts=[0, 1, 2])
    assert "no chain of matches connects" in client.get(address).content.decode()


def test_nobody_is_quite_certain(world: World) -> None:
    version = world.magpie.active_version
    assert version is not None

    def words(probability: float | None) -> str:
        return _sure(Comparison(version, version, probability, 0.0, -1.0, 1.0))

    assert [words(p) for p in (0.5, 0.3, 0.991, 1.0, None)] == [
        "50 %",
        "70 %",
        "99.1 %",
        "over 99.9 %",
        "",
    ]
    assert _sure(None) == ""


def test_the_page_says_how_much_a_match_tells(client: Client, world: World) -> None:
    measured = noise()[POOL]
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    assert "What a match says" in page
    assert f"<dd>{measured.in_groups:.1f}</dd>" in page
    assert f"over {measured.groups} deal groups" in page
    assert "What a match says" not in client.get("/ratings/", {"pool": "cassino"}).content.decode()
