"""Pages of ratings: what is not comparable, partners, what a side is worth, who is better."""

from __future__ import annotations

import re
from datetime import timedelta

from django.test import Client

from cardroom.pages.site.ratings import _sure
from cardroom_base.db.db_time import now
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments.models import PoolFit, Rating, RatingPoint, TeamRating
from tournaments.reading.head_to_head import HeadToHead
from tournaments.standings.noise import noise

POOL = "cassino/standard/1v1"


def test_parts_that_never_met_are_warned_of(client: Client, world: World) -> None:
    warning = "2 groups that no chain of matches connects"
    page = client.get("/ratings/", {"pool": POOL}).content.decode()
    assert warning not in page
    assert "Advantage of each side" in page
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
    assert "No chain of matches connects" in client.get(address).content.decode()


def test_nobody_is_quite_certain(world: World) -> None:
    version = world.magpie.active_version
    assert version is not None

    def words(probability: float | None) -> str:
        return _sure(HeadToHead(version, version, probability, 0.0, -1.0, 1.0))

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
    assert "How much a match says" in page
    assert f"<dd>{measured.in_groups:.1f}</dd>" in page
    assert (
        "How much a match says" not in client.get("/ratings/", {"pool": "cassino"}).content.decode()
    )


def test_the_aside_is_short(client: Client, world: World) -> None:
    """What is seen of it before anything is opened."""
    page = client.get("/ratings/", {"pool": POOL}).content.decode()
    aside = page.partition("<aside")[2].partition("</aside>")[0]
    shown = re.sub(r"(?s)<details.*?</details>|<[^>]+>", " ", aside.partition(">")[2])
    assert len(shown.split()) < 60
    assert 'href="/ratings/head-to-head/">Compare two bots' in aside


def test_the_best_of_each_game_stands_above(client: Client, world: World) -> None:
    assert "Best in each game" not in client.get("/ratings/").content.decode(), "there is one game"
    rating = Rating.objects.filter(pool="cassino", kind="all").order_by("-fitted").first()
    assert rating is not None
    best = rating.version.bot.name
    rating.pk, rating.pool = None, "paks"
    rating.save()
    page = flat(client.get("/ratings/", {"pool": "paks"}).content.decode())
    strip = page.partition("Best in each game")[2].partition("</nav>")[0]
    assert re.findall(r'href="\?pool=(\w+)"', strip) == ["cassino", "paks"]
    assert strip.count(best.split()[-1]) == 2
    assert strip.count('aria-current="page"') == 1


def test_the_change_within_a_month(client: Client, world: World) -> None:
    versions = [bot.active_version for bot in (world.magpie, world.jay)]
    for version, before in zip(versions, (-20.0, 30.0), strict=True):
        assert version is not None
        fitted = Rating.objects.get(pool=POOL, kind="all", version=version).fitted
        assert fitted is not None
        for days, shift in ((60, 500.0), (40, before), (5, 300.0)):
            RatingPoint.objects.create(
                pool=POOL,
                version=version,
                ordinal=100_000 - days,
                fitted=fitted + shift,
                low=0,
                high=0,
                at=now() - timedelta(days=days),
            )
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    assert '<span class="up">▲ 20</span>' in page
    assert '<span class="down">▼ 30</span>' in page
    assert '<span class="quiet">new</span>' in page, "the house bot has played only now"
