"""Tiles: a game on a small card of a page, for people who do not know it.

A tile is Markdown with exactly this content: a line with a picture, written as in rule sheets; a
line with its caption; a list of three lines on how the game is played; and the duration of a deal.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from bots.sheets.rule_sheets import Piece, package_of, picture
from engine import registry

LONGEST: Final = 60
"""Characters of a line."""


class Tile(NamedTuple):
    lines: tuple[str, ...]
    """Three lines on the game; its summary if it has no tile."""
    picture: tuple[Piece, ...] = ()
    """Empty if there is none."""
    caption: str = ""
    time: str = ""
    """The duration of a deal, such as ``3 min``; may be empty."""


@cache
def tile(game: str) -> Tile:
    """The tile of a game; without one, a tile with the game's summary.

    A game from another package brings ``tile.md`` beside its module.
    """
    path = files("seeds") / "tiles" / f"{game}.md"
    if game not in registry.BUILT_IN:
        path = files(package_of(game)) / "tile.md"
    if not path.is_file():
        return Tile((registry.game(game).summary,))
    return parse_tile(path.read_text(encoding="utf-8"))


def parse_tile(text: str) -> Tile:
    """A tile from its Markdown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    bullets = tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))
    picture_line, caption, *other_lines = [line for line in lines if not line.startswith("- ")]
    return Tile(bullets, tuple(picture(picture_line)), caption, "".join(other_lines[:1]))
