"""Tiles: a game on one small piece of the page, for whoever has never heard of it.

A tile is Markdown beside the rule sheets, in this order and nothing else: a picture and what it
shows, each a line (a picture is written as those of rule sheets); then three lines of how the game
goes, as a list; then how long a deal takes somebody who plays it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from bots.sheets.rule_sheets import Piece, module_of, picture
from engine import registry

LONGEST: Final = 60
"""Characters of a line."""


class Tile(NamedTuple):
    """A game at a glance."""

    lines: tuple[str, ...]
    """How it goes; three for a game with a tile, else its summary."""
    picture: tuple[Piece, ...] = ()
    """Empty where there is none."""
    caption: str = ""
    """What the picture shows."""
    time: str = ""
    """How long a deal takes, as ``3 min``; empty where nobody has said."""


@cache
def tile(game: str) -> Tile:
    """The tile of a game; one from another package brings ``tile.md`` beside its module.

    A game without a tile is told by its summary.
    """
    path = files("seeds") / "tiles" / f"{game}.md"
    if game not in registry.BUILT_IN:
        path = files(module_of(game)) / "tile.md"
    if not path.is_file():
        return Tile((registry.game(game).summary,))
    return parsed(path.read_text(encoding="utf-8"))


def parsed(text: str) -> Tile:
    """A tile from its Markdown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    bullets = tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))
    drawn, caption, *rest = [line for line in lines if not line.startswith("- ")]
    return Tile(bullets, tuple(picture(drawn)), caption, "".join(rest[:1]))
