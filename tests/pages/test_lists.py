"""What the lists of tournaments and matches say: game, winner, date; and how they are narrowed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from cardroom.pages.formats import cards_of, words
from engine import registry
from tests import cups, factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments import actions
from tournaments.models import Kept, Tournament
from tournaments.reading import kept, kinds


def rows(client: Client, address: str) -> list[str]:
    """The rows of the page's table, as text."""
    page = client.get(address).content.decode()
    read(page)
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    plain = [re.sub(r"<[^>]+>", " ", row) for row in body.split("</tr>")]
    return [" ".join(row.split()) for row in plain if row.strip()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cassino/standard/1v1", "Cassino for two"),
        ("cassino/royal/2v2?deals=2", "Royal Cassino in pairs"),
        ("canasta/draw-two/1v1", "Canasta for two, drawing two"),
        ("canasta/classic/1v2", "Canasta, one against two"),
        ("zwicker/grupp/ffa5", "Zwicker after Grupp for five"),
        ("gone/standard/1v1", "gone/standard/1v1"),
    ],
)
def test_a_format_in_words(text: str, said: str) -> None:
    assert str(words(text)) == said


def test_every_format_has_words_of_its_own() -> None:
    every = [
        f"{game.name}/{variant.name}/{table}"
        for game in registry.games()
        for variant in game.variants
        for table in variant.tables
    ]
    assert len({str(words(text)) for text in every}) == len(every)


def test_every_game_has_a_picture() -> None:
    assert all(cards_of(game.name) for game in registry.games())
    assert cards_of("no-such-game") == ("back",) * 3


def test_a_tournament_in_the_list_names_game_winner_and_date(client: Client, world: World) -> None:
    kept.make_due(kinds.KINDS)
    listed = {row.split()[0]: row for row in rows(client, "/tournaments/")}
    first = kinds.STORY.load(kinds.STORY.make(world.finished)).places[0][1]
    champion = world.finished.entries.get(pk=first).title
    assert "Cassino for two" in listed["Autumn"]
    assert f" finished {champion} " in listed["Autumn"]
    assert "ended just now" in listed["Autumn"]
    assert "started just now" in listed["Winter"]
    assert "opened just now" in listed["Spring"]


def test_who_leads_so_far(client: Client, db: None) -> None:
    bots = [factories.bot(None, name) for name in ("Magpie", "Jay", "Rook", "Wren")]
    factories.tournament(bots, name="Cup", start=True)
    assert "lead" not in rows(client, "/tournaments/")[0]
    (first, _) = actions.claim("test/1", 2)
    cups.win(first.match, first.pk, [bot.name for bot in bots])
    kept.make_due(kinds.KINDS)
    names = [seat.version.bot.name for seat in first.match.seats.all()]
    leader = min(names, key=[bot.name for bot in bots].index)
    assert f"{leader} leads so far" in rows(client, "/tournaments/")[0]


def test_of_an_old_tournament_the_winner_is_asked_for(client: Client, world: World) -> None:
    Kept.objects.all().delete()
    Tournament.objects.filter(pk=world.finished.pk).update(finished="2020-01-01T00:00:00Z")
    client.get("/tournaments/")
    assert Kept.objects.get(tournament=world.finished).asked is not None
    kept.make_due(kinds.KINDS)
    assert kept.read_many(kinds.STORY, [world.finished])[world.finished.pk].places


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", {"Autumn", "Winter", "Spring"}),
        ("?state=finished", {"Autumn"}),
        ("?game=cassino", {"Autumn", "Winter", "Spring"}),
        ("?game=cassino&state=open", {"Spring"}),
        ("?game=paks", set()),
        ("?game=nonsense&state=nonsense", {"Autumn", "Winter", "Spring"}),
    ],
)
def test_tournaments_are_narrowed(
    client: Client, world: World, asked: str, found: set[str]
) -> None:
    assert {row.split()[0] for row in rows(client, f"/tournaments/{asked}")} == found


def test_matches_are_narrowed_by_game(client: Client, world: World) -> None:
    played = rows(client, "/matches/?game=cassino")
    assert played == rows(client, "/matches/")
    assert all("Cassino for two" in row for row in played)
    assert len(played) == 6
    assert rows(client, "/matches/?game=canasta") == []
    page = flat(client.get("/matches/?game=cassino&state=waiting").content.decode())
    assert 'value="cassino" selected' in page
    assert "6 found" in page


def test_a_story_is_kept_of_small_ones_too(world: World) -> None:
    """Lists tell of them, and nobody who reads waits until one is made."""
    kept.make_due(kinds.KINDS)
    before: Any = kept.read(kinds.STORY, world.running).value
    match = factories.finish(world.running.matches.earliest("pk"))
    assert kept.read(kinds.STORY, world.running).coming
    kept.make_due(kinds.KINDS)
    after: Any = kept.read(kinds.STORY, world.running).value
    assert (before.matches, after.matches) == (0, 1)
    assert match.state == "finished"
