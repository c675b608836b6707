"""Formats as text and pictures instead of codes: `Canasta in pairs`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from bots.sheets.rule_sheets import PICTURES, picture, rule_sheet
from engine import Format, registry
from engine.declarations import TABLES
from engine.game import for_people

_CARDS: Final = 5
"""Limit of cards in a picture."""
_BACKS: Final = ("back",) * 3


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a format."""

    game: str
    """The game's name in addresses; empty if the site no longer has the game."""
    title: str
    """Game and variant: `Royal Cassino`."""
    table: str
    """The sides: `in pairs`."""
    options: str
    """The options that differ from the variant's defaults: `deals 2, target 300`."""

    def __str__(self) -> str:
        return for_people(self.title, self.table) if self.table else self.title


@lru_cache(maxsize=1024)
def words(text: str) -> Words:
    """The text of a format; for a format that no longer exists, its code."""
    try:
        fmt = Format.parse(text)
    except ValueError:
        return Words("", text, "", "")
    game = registry.game(fmt.game)
    variant = next(candidate for candidate in game.variants if candidate.name == fmt.variant)
    return Words(fmt.game, variant.title, table_words(fmt.table), _options(text))


def table_words(table: str) -> str:
    """The sides of a table form as text."""
    return TABLES[table].people


def _options(text: str) -> str:
    """Those that a format's text names."""
    pairs = [pair.partition("=") for pair in text.partition("?")[2].split("&") if pair]
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, _, value in pairs)


@cache
def cards_of(game: str) -> tuple[str, ...]:
    """The cards that represent a game: the largest pile of the pictures in its rule sheet.

    Backs of cards if there is no sheet, or it has no cards.
    """
    sheet = rule_sheet(game) or ""
    lines: list[str] = []
    for block in sheet.split(f"```{PICTURES}\n")[1:]:
        lines += block.partition("```")[0].splitlines()
    piles = [piece.cards for line in lines for piece in picture(line) if "?" not in piece.cards]
    longest = max(piles, key=len, default=())
    return longest[:_CARDS] or _BACKS
