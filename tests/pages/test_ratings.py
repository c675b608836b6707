"""Pages of ratings: components, partners, values of sides, comparisons."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot
from cardroom.pages.matches.opponents import ratings_of
from cardroom.pages.site.ratings import _certainty, abbreviated
from cardroom.templatetags.ratings import lead_certainty
from cardroom_base.db.db_time import now
from tests.pages import pools
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments.models import PoolFit, Rating, RatingPoint, TeamRating
from tournaments.reading.head_to_head import HeadToHead
from tournaments.reading.ratings import RatingLead
from tournaments.standings.noise import noise_by_pool

POOL = "cassino/standard/1v1"


def test_components_are_ranked_separately(client: Client, world: World) -> None:
    """Each component has its own places and leads; a line says that they cannot be compared."""
    client.force_login(world.owner)
    (part,) = client.get("/ratings/", {"pool": POOL}).context["parts"]
    assert [line.row.lead is None for line in part] == [False, False, True]
    alone = part[0].row.version_key
    Rating.objects.filter(pool=POOL, version=alone).update(component=1)
    response = client.get("/ratings/", {"pool": POOL})
    assert "2 groups of bots have never met" in flat(response.content.decode())
    large, small = response.context["parts"]
    assert [line.row.lead is None for line in large] == [False, True]
    (best,) = small
    assert (best.row.version_key, best.row.best, best.row.worst) == (alone, 1, 1)
    assert best.row.lead is None


def test_the_margin_reaches_to_the_farther_end_of_a_lopsided_interval(
    client: Client, world: World
) -> None:
    version = world.magpie.active_version
    Rating.objects.filter(pool=POOL, version=version).update(fitted=1500, low=1420, high=1700)
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    assert re.search(r'<span class="rate">1500</span> <span class="pm"> ±200 </span>', page)
    assert 'aria-label="1500, between 1420 and 1700"' in page
    page = flat(client.get("/bots/magpie/", {"pool": POOL}).content.decode())
    assert re.search(r"<b>1500</b> [^<]+, ±200", page)
    assert ratings_of(["magpie"]) == {"magpie": {POOL: (1500, 200)}}


def test_partners_have_ratings_of_their_own(client: Client, world: World) -> None:
    versions = [bot.active_version for bot in (world.magpie, world.jay)]
    team = TeamRating.objects.create(pool=POOL, key="x", fitted=1234, low=1200, high=1268, bond=12)
    team.members.set([version for version in versions if version])
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    row = re.search(r"<tr>(?:(?!</tr>).)*1234.*?</tr>", page)
    assert row is not None
    assert "Magpie</a> &amp; " in row[0]
    assert "+12" in row[0]
    # Teams of other components are not compared with these.
    others = Rating.objects.filter(pool=POOL).exclude(version__in=versions)
    third = others.values_list("version", flat=True)[0]
    PoolFit.objects.filter(pool=POOL).update(components=2)
    Rating.objects.filter(pool=POOL, version=third).update(component=1)
    assert "1234" in client.get("/ratings/", {"pool": POOL}).content.decode()
    team.members.set([third])
    assert "1234" not in client.get("/ratings/", {"pool": POOL}).content.decode()
    PoolFit.objects.filter(pool=POOL).update(components=1)
    team.members.set([version for version in versions if version])
    assert "strangers" not in page
    Rating.objects.filter(pool=POOL, version=versions[0]).update(kind="strangers")
    every_page = client.get("/ratings/", {"pool": POOL}).context["page"]
    strangers_page = client.get("/ratings/", {"pool": POOL, "kind": "strangers"}).context["page"]
    assert (every_page.paginator.count, strangers_page.paginator.count) == (2, 1)
    assert "With strangers" in client.get("/ratings/", {"pool": POOL}).content.decode()


def test_two_bots_are_compared_in_words(client: Client, world: World) -> None:
    address = f"/ratings/head-to-head/?a=magpie&b=nagi&pool={POOL}"
    page = flat(client.get(address).content.decode())
    assert re.findall(r'<option value="([\w-]+)" selected>', page)[:2] == ["magpie", "nagi"]
    assert page.count('<option value="magpie"') == 2
    assert re.search(r"is better than .* with a probability of <b>\d+ %</b>", page)
    Rating.objects.filter(pool=POOL).update(component=F("version"))
    assert "No chain of matches connects" in client.get(address).content.decode()


def test_an_open_end_is_compared_as_in_the_table(client: Client, world: World) -> None:
    comparison = {"a": "magpie", "b": "nagi", "pool": POOL}
    Rating.objects.filter(pool=POOL).update(fitted=1000, low=900, high=1100)
    nagi = Rating.objects.filter(pool=POOL, version=world.jay.active_version)
    nagi.update(fitted=1300, low=1200, high=1400)
    magpie = Rating.objects.filter(pool=POOL, version=world.magpie.active_version)
    for low, groups, words in (
        (1390, None, "overlap, so the order is not clear yet"),
        (1410, 0, "do not overlap, so the order is clear"),
    ):
        magpie.update(fitted=1500, low=low, high=None)
        page = flat(client.get("/ratings/head-to-head/", comparison).content.decode())
        assert words in page
        assert "with a probability of" not in page
        fields = client.get("/api/v1/ratings/head-to-head/", comparison).json()["comparison"]
        assert fields["probability"] is None
        rows = client.get("/api/v1/ratings/table/", {"pool": POOL}).json()["rows"]
        lead = next(row["lead"] for row in rows if row["bot"] == "magpie")
        for numbers in (fields, lead):
            assert [numbers[key] for key in ("low", "high", "groups")] == [None, None, groups]


def test_probabilities_are_never_given_as_certain(world: World) -> None:
    version = world.magpie.active_version
    assert version is not None

    def words(probability: float | None) -> str:
        return _certainty(HeadToHead(version, version, True, probability, 0.0, -1.0, 1.0, None))

    assert [words(p) for p in (0.5, 0.3, 0.991, 1.0, None)] == [
        "50 %",
        "70 %",
        "99.1 %",
        "over 99.9 %",
        "",
    ]
    assert _certainty(None) == ""


def test_the_page_shows_the_noise_of_a_match(client: Client, world: World) -> None:
    noise = noise_by_pool()[POOL]
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    assert "How informative a match is" in page
    assert f"<dd>{noise.in_groups:.1f}</dd>" in page
    assert (
        "How informative a match is"
        not in client.get("/ratings/", {"pool": "cassino"}).content.decode()
    )


def test_the_page_explains_ratings_and_links_to_the_docs(client: Client, world: World) -> None:
    page = client.get("/ratings/", {"pool": POOL}).content.decode()
    foot = page.partition('<div class="foot-line">')[2].partition("<details")[0]
    assert len(re.sub(r"<[^>]+>", " ", foot).split()) < 50
    assert 'href="/ratings/how-to-read/"' in foot
    chapter = flat(client.get("/ratings/how-to-read/").content.decode())
    assert "<h1>How to read ratings</h1>" in chapter
    assert "p (1 − p)" in chapter


def test_the_best_bot_of_each_game_is_shown_above(client: Client, world: World) -> None:
    assert "Best in each game" not in client.get("/ratings/").content.decode(), (
        "the site has one game"
    )
    rating = Rating.objects.filter(pool="cassino", kind="all").order_by("-fitted").first()
    assert rating is not None
    best = rating.version.bot.name
    rating.pk, rating.pool = None, "paks"
    rating.save()
    page = flat(client.get("/ratings/", {"pool": "paks"}).content.decode())
    strip = page.partition("Best in each game")[2].partition("</nav>")[0]
    assert re.findall(r'href="\?pool=(\w+)"', strip) == ["overall", "cassino", "paks"]
    assert strip.count(f"{best.split()[-1]}</") == 3
    assert strip.count('aria-current="page"') == 1


def _assert_first(client: Client, name: str) -> None:
    """The bot is first in the game's table, on the strip above it, and on the home page."""
    context = client.get("/ratings/", {"pool": "cassino"}).context
    best = {row.pool: row.name for row, *_ in context["best"]}
    assert (best["cassino"], context["table"].rows[0].name) == (name, name)
    boards = {pool.name: rows for pool, rows in client.get("/").context["boards"]}
    table = client.get("/ratings/", {"pool": POOL}).context["table"]
    assert [row.rating.version.bot.name for row in boards[POOL]] == [
        row.name for row in table.rows[: len(boards[POOL])]
    ]
    assert boards[POOL][0].rating.version.bot.name == name


@pytest.mark.parametrize("size", [3, 30])
def test_the_best_bot_of_a_game_is_first_in_its_table(client: Client, db: None, size: int) -> None:
    """Short tables have bots with few deal groups, too; bots of a small component come later."""
    pools.fill(size)
    rated = Rating.objects.filter(pool__in=("cassino", POOL), kind="all")
    rated.update(groups=100)
    in_game = rated.filter(pool="cassino")
    first, second = (row.version for row in in_game.order_by("fitted")[:2])
    rated.filter(version=first).update(fitted=3000.0, groups=99)
    rated.filter(version=second).update(fitted=2500.0)
    _assert_first(client, (first if size == 3 else second).bot.name)
    rated.filter(version__in=(first, second)).update(component=1)
    if size == 30:
        best = rated.filter(component=0).order_by("-fitted")[0].version
        rated.filter(version=best).update(fitted=2400.0)
        _assert_first(client, best.bot.name)


def test_bots_of_different_games_have_no_lead_in_all_games(client: Client, db: None) -> None:
    """Results in one game show nothing about another one."""
    first, second, third = (version.pk for version in pools.fill(3))
    in_all = Rating.objects.filter(pool="overall", kind="all")
    for version, points in ((first, 1500.0), (second, 1300.0), (third, 1200.0)):
        in_all.filter(version=version).update(fitted=points, low=points - 9, high=points + 9)
    games = Rating.objects.filter(version__in=(first, second, third)).exclude(pool__contains="/")
    games.exclude(pool="overall").filter(version=third).exclude(pool="cassino").delete()

    def leads() -> list[bool]:
        rows = client.get("/ratings/", {"pool": "overall"}).context["table"].rows
        assert [row.version_key for row in rows] == [first, second, third]
        return [row.lead is not None for row in rows]

    assert leads() == [True, False, False]
    comparison = {"a": "pooled-0", "b": "pooled-2", "pool": "overall"}
    fields = client.get("/api/v1/ratings/head-to-head/", comparison).json()["comparison"]
    assert (fields["probability"], fields["groups"]) == (None, None)
    games.filter(pool="cassino", version=first).update(component=1)
    assert leads() == [False, False, False]
    page = flat(client.get("/ratings/", {"pool": "overall"}).content.decode())
    assert "is first." in page
    assert "compares no bots that play different games" in page


def test_rows_show_the_change_within_a_month(client: Client, world: World) -> None:
    versions = [bot.active_version for bot in (world.magpie, world.jay)]
    for version, past_shift in zip(versions, (-20.0, 30.0), strict=True):
        assert version is not None
        fitted = Rating.objects.get(pool=POOL, kind="all", version=version).fitted
        assert fitted is not None
        for days, shift in ((60, 500.0), (40, past_shift), (5, 300.0)):
            RatingPoint.objects.create(
                pool=POOL,
                version=version,
                ordinal=100_000 - days,
                fitted=fitted + shift,
                low=0,
                high=0,
                at=now() - timedelta(days=days),
            )
    # A shift of the scale is not a change of the bot.
    RatingPoint.objects.filter(pool=POOL, ordinal=100_000 - 5).update(shift=250.0)
    Rating.objects.filter(pool=POOL).update(fitted=F("fitted") + 250.0)
    page = flat(client.get("/ratings/", {"pool": POOL}).content.decode())
    assert '<span class="up">▲ 20</span>' in page
    assert '<span class="down">▼ 30</span>' in page
    assert '<span class="quiet">new</span>' in page, "the house bot has no earlier rating"
    # The history is that of ratings by all results.
    for version in versions:
        assert version is not None
        Rating.objects.create(pool=POOL, kind="strangers", version=version, fitted=900)
    page = flat(client.get("/ratings/", {"pool": POOL, "kind": "strangers"}).content.decode())
    assert "900" in page
    assert not re.search("[▲▼]|>new<", page)


def test_the_page_says_when_styles_matter(client: Client, world: World) -> None:
    assert "Styles matter" not in client.get("/ratings/", {"pool": POOL}).content.decode()
    PoolFit.objects.filter(pool=POOL).update(styles=True)
    assert "Styles matter here" in client.get("/ratings/", {"pool": POOL}).content.decode()


def test_heads_of_narrow_columns_are_short() -> None:
    names = ("Nagi", "Quiet Ledger", "house:expert", "house:expert-5", "凪 Nagi", "bot_12345", "!?")
    assert [abbreviated(name) for name in names] == ["Na", "QL", "ex", "E5", "凪N", "B123", "!?"]


def test_leads_show_how_many_groups_would_settle_them(client: Client, world: World) -> None:
    def lead(groups: int | None, low: float | None = -1.0) -> str:
        return lead_certainty(RatingLead(14.0, low, None if low is None else 29.0, groups))

    assert lead(0) == "clear"
    assert lead(1) == "about 1 more group"
    assert lead(1_581) == "about 1,600 more groups"
    assert lead(None) == "too close to call"
    assert lead(None, None) == "not clear yet"


@pytest.mark.parametrize("size", [0, 1, 3, 30])
def test_pools_of_any_size(client: Client, db: None, size: int) -> None:
    versions = pools.fill(size)
    with CaptureQueriesContext(connection) as queries:
        response = client.get("/ratings/", {"pool": POOL})
    assert len(queries) <= 13
    assert len(gzip.compress(response.content)) < 15_000
    page = flat(response.content.decode())
    table = response.context["table"]
    assert ("Nobody is rated yet" in page) == (size == 0)
    assert table.count == size - table.fewer
    assert (table.fewer > 0) == (size == 30)
    assert len(table.columns) == (min(size, 12) if size > 1 else 0)
    rows = page.split('<td class="place">')[1:]
    assert len(rows) == table.count
    assert all(row.count('<td class="x">') == len(table.columns) for row in rows)
    table_of_all = client.get("/ratings/", {"pool": POOL, "fewer": "yes"}).context["table"]
    assert table_of_all.count == len(versions)


def test_the_users_bots_are_never_left_out(client: Client, db: None) -> None:
    """This holds for few deal groups, too; the columns are those around the best of them."""
    pools.fill(30)
    owner = User.objects.get(username="owner")
    own_bots = Bot.objects.filter(owner=owner)
    rated = Rating.objects.filter(pool=POOL, kind="all")
    Bot.objects.filter(pk=rated.order_by("fitted")[0].version.bot_id).update(owner=owner)
    rated.filter(version__bot__in=own_bots).update(groups=3)
    client.force_login(owner)
    table = client.get("/ratings/", {"pool": POOL}).context["table"]
    rows = [row for row in table.rows if row.owner == owner.pk]
    assert len(rows) == own_bots.count()
    assert rows[0].bot in table.columns


def test_places_continue_on_the_next_page(client: Client, db: None) -> None:
    pools.rate(POOL, pools.versions(80))
    first, second = (
        client.get("/ratings/", {"pool": POOL, "page": str(number)}).context["table"]
        for number in (1, 2)
    )
    assert (len(first.rows), len(second.rows)) == (50, first.count - 50)
    assert second.rows[0].worst > 50, "places count over the whole table"
    assert first.rows[-1].lead is not None, "the next row is on the other page"
    assert set(second.columns) <= {row.bot for row in second.rows}


def test_open_intervals_are_shown_as_bounds(client: Client, world: World) -> None:
    """For an unbeaten side the page says *at least*, and promises no order by the difference."""
    best = Rating.objects.filter(pool=POOL, kind="all").order_by("-fitted")[0]
    assert best.low is not None
    Rating.objects.filter(pk=best.pk).update(high=None)
    response = client.get("/ratings/", {"pool": POOL})
    page = flat(response.content.decode())
    assert f'<span class="pm"> at least {best.low:.0f} </span>' in page
    (part,) = response.context["parts"]
    assert part[0].row.lead.low is None
    assert part[0].bar.high == 240
    assert part[0].bar.ends.count("M") == 1
