"""The home page for a first visit."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from cardroom.pages.games import tiles
from cardroom.templatetags.formats import format_text
from cardroom.templatetags.ui import colour_suits
from engine import registry
from tests.pages import finished
from tests.pages.markup import flat
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def test_an_empty_site_says_so_and_shows_every_game(client: Client) -> None:
    page = flat(client.get("/").content.decode())
    assert "No match has been played yet." in page
    for game in registry.games():
        assert game.title in page


def test_the_last_match_is_on_the_table_and_the_others_are_listed(client: Client) -> None:
    older = finished.match(finished.play("paks/standard/1v1"))
    Tournament.objects.update(slug="older")
    newest = finished.match(finished.play("cassino/royal/2v2?deals=1"))
    response = client.get("/")
    assert response.context["watched"].match.pk == newest.pk
    assert [line.match.pk for line in response.context["finished"]] == [older.pk]
    page = flat(response.content.decode())
    assert "Royal Cassino in pairs" in page
    assert "Paks for two" in page


def test_the_numbers_of_the_day_are_cached_for_a_minute(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    assert client.get("/").context["facts"] == {"bots": 0, "matches": 0}
    finished.match(finished.play("cassino/standard/1v1?deals=1"))
    with django_assert_max_num_queries(15):
        assert client.get("/").context["facts"]["matches"] == 0
    cache.clear()
    with django_assert_max_num_queries(15):
        assert client.get("/").context["facts"]["matches"] == 1


def test_a_tile_gives_the_number_of_players() -> None:
    assert [(tile.name, tile.players) for tile in tiles.game_tiles()][:2] == [
        ("cassino", "2–4"),
        ("canasta", "2–6"),
    ]
    assert tiles.game_tile("whist") is None


def test_a_known_format_is_in_words_an_unknown_one_verbatim() -> None:
    assert format_text("canasta/classic/2v2?deals=2") == "Canasta in pairs"
    assert format_text("canasta/draw-two/1v1") == "Canasta for two, drawing two"
    assert format_text("whist/standard/2v2") == "whist/standard/2v2"


def test_suits_are_coloured_and_markup_is_escaped() -> None:
    assert colour_suits("Take 10♦ & <b>") == (
        'Take <span class="nb">10<span class="t-d">♦</span></span> &amp; &lt;b&gt;'
    )
    assert colour_suits("no cards") == "no cards"
