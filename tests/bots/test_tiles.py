"""Tiles: every game of ours in three short lines and a picture."""

from __future__ import annotations

import pytest

from bots.sheets.rule_sheets import Piece
from bots.sheets.tiles import LONGEST, parse_tile, tile
from engine import registry
from engine.cards import CODE
from engine.registry import BUILT_IN


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_game_of_ours_has_three_short_lines_a_picture_and_a_time(game: str) -> None:
    told = tile(game)
    assert len(told.lines) == 3
    assert max(map(len, told.lines)) <= LONGEST
    cards = [card for piece in told.picture for card in piece.cards]
    assert 2 < len(cards) < 7
    assert set(cards) <= set(CODE)
    assert told.caption
    assert told.time.endswith(" min")


def test_a_tile_is_read_line_by_line() -> None:
    told = parse_tile("9H takes 9C\na nine takes a nine\n\n- One.\n- Two.\n- Three.\n\n3 min\n")
    assert told.lines == ("One.", "Two.", "Three.")
    assert told.picture == (Piece(("9H",)), Piece(words="takes"), Piece(("9C",)))
    assert (told.caption, told.time) == ("a nine takes a nine", "3 min")


def test_a_game_without_a_tile_is_told_by_its_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", ())
    assert tile.__wrapped__("cassino").lines == (registry.game("cassino").summary,)
