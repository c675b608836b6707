"""Formats as text and pictures instead of codes: `Canasta in pairs`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from bots.sheets.rule_sheets import PICTURES, picture, rule_sheet
from engine import Format, registry
from engine.declarations import TABLES
from engine.game import for_people

MAX_CARDS: Final = 5
"""The maximum number of cards in a picture."""
CARD_BACKS: Final = ("back",) * 3


@dataclass(frozen=True, slots=True)
class FormatWords:
    """A format as text."""

    game: str
    """The slug of the game's pages; empty if the site no longer has the game."""
    title: str
    """Game and variant: `Royal Cassino`."""
    table: str
    """The table form: `in pairs`."""
    options: str
    """Options that differ from the variant's defaults: `deals 2, target 300`."""

    def __str__(self) -> str:
        return for_people(self.title, self.table) if self.table else self.title


@lru_cache(maxsize=1024)
def format_words(text: str) -> FormatWords:
    """The words for a format's text; the text itself if the site does not have the format."""
    try:
        fmt = Format.parse(text)
    except ValueError:
        return FormatWords("", text, "", "")
    game = registry.game(fmt.game)
    variant = next(candidate for candidate in game.variants if candidate.name == fmt.variant)
    return FormatWords(fmt.game, variant.title, table_words(fmt.table), _options(text))


def table_words(table: str) -> str:
    """The words for a table form."""
    return TABLES[table].people


def _options(text: str) -> str:
    """The options in a format's text: `deals 2, target 300`."""
    pairs = [pair.partition("=") for pair in text.partition("?")[2].split("&") if pair]
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, _, value in pairs)


@cache
def cards_of(game: str) -> tuple[str, ...]:
    """The cards that represent a game: the largest pile in the pictures of its rule sheet.

    Card backs if the sheet has no cards.
    """
    sheet = rule_sheet(game) or ""
    lines: list[str] = []
    for block in sheet.split(f"```{PICTURES}\n")[1:]:
        lines += block.partition("```")[0].splitlines()
    piles = [piece.cards for line in lines for piece in picture(line) if "?" not in piece.cards]
    longest = max(piles, key=len, default=())
    return longest[:MAX_CARDS] or CARD_BACKS
