"""The games as people see them first: a picture, three lines, how many play."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from bots.sheets.tiles import Tile, tile
from cardroom.pages.games.rule_pictures import pieces
from engine import registry
from engine.declarations import TABLES, Declaration


@dataclass(frozen=True, slots=True)
class GameTile:
    """What a page shows of a game to somebody who has never heard of it."""

    name: str
    title: str
    players: str
    """How many, as ``2–4``."""
    tile: Tile
    picture: SafeString
    """Cards and words, drawn; empty where there is none."""


def game_tiles() -> list[GameTile]:
    """All games, ours first."""
    return [_shown(game) for game in registry.games()]


def game_tile(name: str) -> GameTile | None:
    """One game; None for a game that the site no longer has."""
    try:
        return _shown(registry.game(name))
    except ValueError:
        return None


def _shown(game: Declaration) -> GameTile:
    seats = [TABLES[name].seats for name in game.tables]
    least, most = min(seats), max(seats)
    content = tile(game.name)
    return GameTile(
        game.name,
        game.title,
        f"{least}–{most}" if least < most else str(least),
        content,
        pieces(list(content.picture), "en"),
    )
