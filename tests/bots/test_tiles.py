"""Tiles: every built-in game in three short lines and a picture."""

from __future__ import annotations

import pytest

from bots.sheets.rule_sheets import Piece
from bots.sheets.tiles import LONGEST, parse_tile, tile
from engine import registry
from engine.cards import CODE
from engine.registry import BUILT_IN


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_built_in_game_has_three_short_lines_a_picture_and_a_time(game: str) -> None:
    game_tile = tile(game)
    assert len(game_tile.lines) == 3
    assert max(map(len, game_tile.lines)) <= LONGEST
    cards = [card for piece in game_tile.picture for card in piece.cards]
    assert 2 < len(cards) < 7
    assert set(cards) <= set(CODE)
    assert game_tile.caption
    assert game_tile.time.endswith(" min")


def test_a_tile_is_parsed_line_by_line() -> None:
    game_tile = parse_tile(
        "9H takes 9C\na nine takes a nine\n\n- One.\n- Two.\n- Three.\n\n3 min\n"
    )
    assert game_tile.lines == ("One.", "Two.", "Three.")
    assert game_tile.picture == (Piece(("9H",)), Piece(words="takes"), Piece(("9C",)))
    assert (game_tile.caption, game_tile.time) == ("a nine takes a nine", "3 min")


def test_a_game_without_a_tile_has_its_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", ())
    assert tile.__wrapped__("cassino").lines == (registry.game("cassino").summary,)
