"""The pictures of rule sheets."""

from __future__ import annotations

import pytest
from django.test import Client

from bots.sheets.rule_sheets import LANGUAGES
from cardroom.display.rule_pictures import draw_pictures, spoken_name
from cardroom.pages.games.game_views import markdown_html
from engine.registry import BUILT_IN


def test_cards_are_drawn_and_words_stay_text() -> None:
    html = draw_pictures("9H takes [3C 6D] <b>\n\n?\n", "en")
    assert html.count('<p class="picture">') == 2
    assert html.count("<use ") == 4
    assert html.count('<span class="fan">') == 1
    assert 'aria-label="nine of hearts"' in html
    assert "cards.svg#9H" in html
    assert "<span>&lt;b&gt;</span>" in html
    assert 'aria-label="face-down card"' in html


def test_only_blocks_of_cards_become_pictures() -> None:
    assert 'class="pictures"' in markdown_html("```cards\n9H\n```")
    assert 'class="pictures"' not in markdown_html("```json\n9H\n```")


@pytest.mark.parametrize(
    ("card", "english", "japanese"),
    [
        ("TD", "ten of diamonds", "ダイヤの10"),
        ("AS", "ace of spades", "スペードのA"),
        ("X", "joker", "ジョーカー"),
        ("X15", "joker 15", "ジョーカー15"),
        ("?", "face-down card", "裏向きのカード"),
    ],
)
def test_pictures_name_their_cards_for_screen_readers(
    card: str, english: str, japanese: str
) -> None:
    assert spoken_name(card) == english
    assert spoken_name(card, "ja") == japanese


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", BUILT_IN)
def test_every_game_page_shows_pictures(game: str, language: str, client: Client, db: None) -> None:
    page = client.get(f"/games/{game}/", {"lang": language}).content.decode()
    assert page.count('<p class="picture">') >= 3
    assert "```" not in page
