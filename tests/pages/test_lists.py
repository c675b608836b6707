"""The lists of tournaments and matches: game, winner, date, and filters."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.humanize.templatetags.humanize import ordinal
from django.test import Client

from cardroom.display.format_names import cards_of, format_words
from cardroom.display.numbers import count_of
from cardroom.pages.tournaments import tournament_list
from cardroom.pages.tournaments.tournament_list import MIN_FINISHED
from cardroom_base.db.db_time import now
from engine import registry
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments import actions, projections
from tournaments.models import Kept, Match, Tournament
from tournaments.reading import content_cache, kinds


def rows(client: Client, address: str) -> list[str]:
    """The rows of the page's table, as text."""
    page = client.get(address).content.decode()
    read(page)
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    texts = [re.sub(r"<[^>]+>", " ", row) for row in body.split("</tr>")]
    return [" ".join(row.split()) for row in texts if row.strip()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cassino/standard/1v1", "Cassino for two"),
        ("cassino/royal/2v2?deals=2", "Royal Cassino in pairs"),
        ("canasta/draw-two/1v1", "Canasta for two, drawing two"),
        ("canasta/classic/1v2", "Canasta, one against two"),
        ("zwicker/grupp/ffa5", "Zwicker after Grupp for five"),
        ("gone/standard/1v1", "gone/standard/1v1"),
    ],
)
def test_a_format_in_words(text: str, words: str) -> None:
    assert str(format_words(text)) == words


def test_every_format_has_a_distinct_text() -> None:
    formats = [
        f"{game.name}/{variant.name}/{table}"
        for game in registry.games()
        for variant in game.variants
        for table in variant.tables
    ]
    assert len({str(format_words(text)) for text in formats}) == len(formats)


def test_every_game_has_a_picture() -> None:
    assert all(cards_of(game.name) for game in registry.games())
    assert cards_of("no-such-game") == ("back",) * 3


def texts_by_name(client: Client, address: str = "/tournaments/") -> dict[str, str]:
    """Texts of the cards and rows of tournaments, by the first word of the name."""
    page = client.get(address).content.decode()
    read(page)
    cards = re.findall(r'<li class="[^"]*row-link">(.*?)</li>', page, re.DOTALL)
    texts = [" ".join(re.sub(r"<[^>]+>", " ", card).split()) for card in cards]
    return {text.split()[0]: text for text in texts}


def test_each_tournament_is_described_by_its_state(client: Client, world: World) -> None:
    content_cache.compute_due(kinds.KINDS)
    texts = texts_by_name(client)
    winner = kinds.STORY.load(kinds.STORY.make(world.finished)).places[0][1]
    champion = world.finished.entries.get(pk=winner).title
    assert "Cassino for two, 3 bots" in texts["Autumn"]
    assert f"▸ {champion} " in texts["Autumn"]
    assert texts["Autumn"].endswith("share first place just now")
    assert "No results yet" in texts["Winter"]
    assert "1 bot so far" in texts["Spring"]
    assert "Enter a bot" in texts["Spring"]
    assert "Summer" not in texts
    client.force_login(world.organizer)
    assert "only you see it" in texts_by_name(client)["Summer"]


def test_a_running_tournament_shows_leader_own_place_and_end(client: Client, db: None) -> None:
    owner = factories.user("owner")
    bots = [
        factories.bot(owner if name == "Wren" else None, name) for name in ("Jay", "Rook", "Wren")
    ]
    cup = factories.tournament(bots, name="Cup", start=True)
    for match in cup.matches.order_by("pk")[: MIN_FINISHED - 1]:
        factories.finish(match)
    content_cache.compute_due(kinds.KINDS)
    story = content_cache.read_many(kinds.STORY, [cup])[cup.pk]
    names = {entry.pk: entry.title for entry in cup.entries.all()}
    text = texts_by_name(client)["Cup"]
    leaders = [line for line in story.lines if line.place == 1]
    assert names[leaders[0].entrant] in text
    assert f"with {leaders[0].points:.0f}" in text
    assert "ends about" not in text, "too few matches to guess"
    client.force_login(owner)
    own_line = next(line for line in story.lines if names[line.entrant] == "Wren")
    assert f"Your Wren is {ordinal(own_line.place)} with " in texts_by_name(client)["Cup"]
    factories.finish(cup.matches.order_by("pk")[MIN_FINISHED - 1])
    assert re.search(r"ends about \d\d:\d\d UTC", texts_by_name(client)["Cup"])


def _rows(client: Client, ladder: Tournament) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(f"/api/v1/tournaments/{ladder.slug}/standings/").json()[
        "rows"
    ]
    return rows


def test_a_ladder_shows_its_last_match_and_invites_bots(client: Client, db: None) -> None:
    ladder = {"system": "ladder", "groups": 1, "settings": {"ahead": 1, "first": 1}}
    tournament = factories.tournament(3, name="Ladder", stages=[ladder], start=True)
    match = factories.finish(tournament.matches.earliest("pk"))
    projections.refresh()
    content_cache.compute(kinds.STORY, tournament)
    text = texts_by_name(client)["Ladder"]
    ratings = sorted(
        (row["rating"] for row in _rows(client, tournament) if row["groups"]), reverse=True
    )
    ahead = count_of(round(ratings[0] - ratings[1]), "rating point")
    assert f" is first, {ahead} ahead" in text
    assert "open-ended" in text
    assert "Last match less than a minute ago. Any bot can join." in text
    page = client.get("/tournaments/").content.decode()
    assert f'href="/tournaments/{tournament.slug}/entries/">Enter your bot' in flat(page)
    Match.objects.filter(pk=match.pk).update(finished=now() - timedelta(minutes=17))
    text = texts_by_name(client)["Ladder"]
    assert "idle" in text
    assert "Last match about 17 minutes ago." in text
    owner = factories.user("owner")
    bot = factories.bot(owner, "Wren")
    actions.enter(tournament, bot, owner)
    client.force_login(owner)
    assert "Your Wren takes part." in texts_by_name(client)["Ladder"]
    assert "Watch" in texts_by_name(client)["Ladder"]


def test_a_shortened_list_links_to_the_whole_list(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_list, "MAX_CARDS", 1)
    factories.tournament(2, name="Monday Cup", start=True)
    page = client.get("/tournaments/?game=cassino").content.decode()
    assert '<a class="small" href="?game=cassino&amp;state=playing">All 2</a>' in page
    assert set(texts_by_name(client, "/tournaments/?game=cassino&state=playing")) == {
        "Winter",
        "Monday",
    }


def test_the_winner_of_an_old_tournament_is_queried(client: Client, world: World) -> None:
    Kept.objects.all().delete()
    Tournament.objects.filter(pk=world.finished.pk).update(finished="2020-01-01T00:00:00Z")
    client.get("/tournaments/")
    assert Kept.objects.get(tournament=world.finished).asked is not None
    content_cache.compute_due(kinds.KINDS)
    assert content_cache.read_many(kinds.STORY, [world.finished])[world.finished.pk].places


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"Autumn", "Winter", "Spring"}),
        ("?state=finished", {"Autumn"}),
        ("?state=over", {"Autumn"}),
        ("?state=playing", {"Winter"}),
        ("?state=cancelled", set()),
        ("?mine=1", {"Autumn", "Winter", "Spring"}),
        ("?game=cassino", {"Autumn", "Winter", "Spring"}),
        ("?game=cassino&state=open", {"Spring"}),
        ("?game=paks", set()),
        ("?game=nonsense&state=nonsense", {"Autumn", "Winter", "Spring"}),
    ],
)
def test_tournaments_are_filtered(
    client: Client, world: World, query: str, names: set[str]
) -> None:
    assert set(texts_by_name(client, f"/tournaments/{query}")) == names


def test_mine_lists_tournaments_that_the_user_plays_in_or_organizes(
    client: Client, world: World
) -> None:
    client.force_login(world.owner)
    assert set(texts_by_name(client, "/tournaments/?mine=1")) == {"Autumn", "Winter", "Spring"}
    client.force_login(factories.user("stranger"))
    assert texts_by_name(client, "/tournaments/?mine=1") == {}
    assert "No tournament like this" in client.get("/tournaments/?mine=1").content.decode()


def test_matches_in_a_state_are_filtered_by_game(client: Client, world: World) -> None:
    finished = rows(client, "/matches/?state=finished&game=cassino")
    assert finished == rows(client, "/matches/?state=finished")
    assert all("Cassino for two" in row for row in finished)
    assert len(finished) == 6
    assert rows(client, "/matches/?state=finished&game=canasta") == []
    page = flat(client.get("/matches/?game=cassino&state=waiting").content.decode())
    assert 'value="cassino" selected' in page
    assert "6 waiting" in page


def test_stories_of_small_tournaments_are_cached(world: World) -> None:
    """Lists show stories, and readers do not wait for them."""
    content_cache.compute_due(kinds.KINDS)
    before: Any = content_cache.read(kinds.STORY, world.running).value
    match = factories.finish(world.running.matches.earliest("pk"))
    assert content_cache.read(kinds.STORY, world.running).coming
    content_cache.compute_due(kinds.KINDS)
    after: Any = content_cache.read(kinds.STORY, world.running).value
    assert (before.matches, after.matches) == (0, 1)
    assert match.state == "finished"
