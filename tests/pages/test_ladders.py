"""A ladder on its page and by REST: late entries, ranks by rating, its end."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests import factories as make
from tests.pages.markup import flat
from tournaments import projections
from tournaments.models import Rating, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Tournament:
    """Three bots that have played a little."""
    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    by = make.user("organizer")
    tournament = make.tournament(3, by=by, stages=stages, start=True)
    match = tournament.matches.order_by("-priority", "pk").first()
    assert match is not None
    make.finish(match)
    projections.refresh()
    return tournament


def test_bots_enter_and_leave_on_the_page(client: Client, ladder: Tournament) -> None:
    bot = make.bot(name="Latecomer")
    assert bot.owner is not None
    client.force_login(bot.owner)
    page = client.get(f"/tournaments/{ladder.slug}/entries/").content.decode()
    assert "Bots can enter and leave while the ladder runs" in page
    assert "Latecomer v1" in page
    entries = f"/tournaments/{ladder.slug}/entries/"
    response = client.post(f"{entries}enter/", {"bot": bot.slug}, follow=True)
    assert "Latecomer has been entered." in response.content.decode()
    response = client.post(f"{entries}withdraw/", {"bot": bot.slug}, follow=True)
    page = response.content.decode()
    assert "Latecomer has been withdrawn." in page
    assert '<span class="chip">withdrawn</span>' in page
    assert "Latecomer v1" in page  # it may enter again


def test_the_overview_links_to_entering_and_shows_whether_matches_run(
    client: Client, ladder: Tournament
) -> None:
    address = f"/tournaments/{ladder.slug}/"
    page = flat(client.get(address).content.decode())
    door = f'<a class="btn main" href="{address}entries/#enter"> Enter your bot</a>'
    assert door in page
    assert "open-ended</span>" in page
    assert door not in flat(client.get(f"{address}entries/").content.decode())
    assert 'id="enter"' in client.get(f"{address}entries/").content.decode()
    ladder.matches.exclude(state="finished").update(state="void")
    page = flat(client.get(address).content.decode())
    assert "idle</span>" in page
    assert ">running</span>" not in page


def test_standings_show_the_intervals_of_the_table_of_ratings(
    client: Client, ladder: Tournament
) -> None:
    """They are not symmetrical, and have an open end if a bot has won nothing."""
    versions = ladder.entries.order_by("number").values_list("version", flat=True)
    fits = ((1500, 1400, None), (1200, 1100, 1350), (-150, None, -20))
    for version, (fitted, low, high) in zip(versions, fits, strict=True):
        Rating.objects.update_or_create(
            pool="cassino/standard/1v1",
            kind="all",
            version_id=version,
            defaults={"fitted": fitted, "low": low, "high": high},
        )
    address = f"/tournaments/{ladder.slug}/"
    page = flat(client.get(f"{address}standings/").content.decode())
    shown = re.findall(r'<b>(−?\d+)</b></td>\s*<td class="n quiet wraps">([^<]+)</td>', page)
    assert shown == [("1500", "at least 1400"), ("1200", "1100 to 1350"), ("−150", "at most −20")]
    assert "300 rating points ahead" in flat(client.get(address).content.decode())
    rows = client.get(f"/api/v1{address}standings/").json()["rows"]
    assert [(row["low"], row["high"]) for row in rows] == [(1400, None), (1100, 1350), (None, -20)]


def test_places_follow_ratings_until_the_organizer_ends_the_ladder(
    client: Client, ladder: Tournament
) -> None:
    address = f"/tournaments/{ladder.slug}/"
    page = client.get(f"{address}standings/").content.decode()
    assert "Places follow the rating in this format" in page
    assert "Places follow from the bracket" not in page
    assert 'aria-sort="descending">Rating' in page
    assert "End the ladder" not in page
    rows = client.get(f"/api/v1{address}standings/").json()["rows"]
    ratings = [row["rating"] for row in rows if row["groups"]]
    assert ratings == sorted(ratings, reverse=True)
    assert all(row["low"] is None or row["low"] < row["rating"] for row in rows)
    assert all(row["high"] is None or row["rating"] < row["high"] for row in rows)
    assert client.post(f"/api/v1{address}finish/").status_code in {401, 403}
    assert ladder.organizer is not None
    client.force_login(ladder.organizer)
    assert "End the ladder" in client.get(address).content.decode()
    page_after = client.post(f"{address}finish/", follow=True).content.decode()
    assert "has ended. Finished matches stay." in page_after
    ladder.refresh_from_db()
    assert ladder.state == "finished"
    response = client.post(f"/api/v1{address}finish/", content_type="application/json")
    assert response.status_code == 409


def test_pages_do_not_query_all_rounds(client: Client, ladder: Tournament) -> None:
    assert ladder.organizer is not None
    client.force_login(ladder.organizer)
    for tab in ("", "standings/", "crosstable/", "matches/", "conditions/"):
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"/tournaments/{ladder.slug}/{tab}")
        assert page.status_code == 200
        statements = [query["sql"] for query in queries if "dealgroup" in query["sql"]]
        assert not [sql for sql in statements if "GROUP BY" in sql or "DISTINCT" in sql], tab
    progress = page.context["progress"]
    matches = ladder.matches.exclude(state="void")
    assert progress.total == matches.count()
    assert progress.done == matches.filter(state="finished").count() == 1
    assert (progress.rounds, progress.time_left) == ([], "")
    assert "Play a round again" not in page.content.decode()
