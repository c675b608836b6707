"""Tiles of games: a picture, three lines, and the number of players."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from bots.sheets.tiles import Tile, tile
from cardroom.display.rule_pictures import draw_picture
from engine import registry
from engine.declarations import TABLES, Declaration


@dataclass(frozen=True, slots=True)
class GameTile:
    """The introduction to a game."""

    name: str
    title: str
    players: str
    """The number of players, such as ``2–4``."""
    tile: Tile
    picture: SafeString
    """A picture of cards and text, or empty."""


def game_tiles() -> list[GameTile]:
    """The tiles of all games; games from other packages come last."""
    return [_tile(game) for game in registry.games()]


def game_tile(name: str) -> GameTile | None:
    """The tile of a game; None if the site no longer has the game."""
    try:
        return _tile(registry.game(name))
    except ValueError:
        return None


def _tile(game: Declaration) -> GameTile:
    seats = [TABLES[name].seats for name in game.tables]
    min_seats, max_seats = min(seats), max(seats)
    content = tile(game.name)
    return GameTile(
        game.name,
        game.title,
        f"{min_seats}–{max_seats}" if min_seats < max_seats else str(min_seats),
        content,
        draw_picture(list(content.picture), "en"),
    )
