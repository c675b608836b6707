"""Rule sheets in several languages, and their pictures."""

from __future__ import annotations

import re

import pytest

from bots.sheets.rule_sheets import (
    LANGUAGES,
    PICTURES,
    Piece,
    languages,
    picture,
    rule_sheet,
    rules_document,
)
from bots.sheets.tiles import tile
from engine import registry
from engine.cards import CODE
from engine.registry import BUILT_IN
from tests.season.game import GAME

BLOCK = re.compile(rf"^```{PICTURES}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CARD = re.compile(r"\b(?:[A2-9TJQK][CDHS]|X\d*)\b")


def test_every_built_in_game_has_a_sheet() -> None:
    for game in BUILT_IN:
        assert (rule_sheet(game) or "").startswith("## ")


def test_a_language_without_a_sheet_is_not_offered() -> None:
    assert languages("cassino") == list(LANGUAGES)
    assert languages("no-such-game") == []
    assert rule_sheet("cassino", "xx") is None


def test_a_game_of_a_plain_module_may_have_no_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formerly all pages about its tournaments failed."""
    monkeypatch.setattr(registry, "game", lambda _: GAME)
    assert rule_sheet("season") is None
    assert rules_document("season") is None
    assert tile("season").lines == (GAME.summary,)


def test_a_picture_has_cards_piles_and_words() -> None:
    assert picture("9H takes [3C 6D] and ? X15: all") == [
        Piece(("9H",)),
        Piece(words="takes"),
        Piece(("3C", "6D")),
        Piece(words="and"),
        Piece(("?",)),
        Piece(words="X15: all"),
    ]
    assert picture("[not cards] 1H") == [Piece(words="[not cards] 1H")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", BUILT_IN)
def test_every_sheet_shows_typical_moves(game: str, language: str) -> None:
    """Each sheet has at least three pictures, and no card outside a picture by mistake."""
    blocks = BLOCK.findall(rule_sheet(game, language) or "")
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) >= 3
    for line in lines:
        pieces = picture(line)
        cards = [card for piece in pieces for card in piece.cards]
        assert cards == CARD.findall(line)
        assert set(cards) <= CODE.keys()


@pytest.mark.parametrize("game", BUILT_IN)
def test_both_languages_show_the_same_piles(game: str) -> None:
    piles = [
        sorted(piece.cards for line in block.splitlines() for piece in picture(line) if piece.cards)
        for language in LANGUAGES
        for block in BLOCK.findall(rule_sheet(game, language) or "")
    ]
    assert piles[0] == piles[1]
