"""Rule sheets: how to play a game in two minutes, for people, in several languages.

A sheet is Markdown. Its pictures are fenced blocks of the language ``cards``: each line is one
picture, its words that name cards are drawn as cards, those in brackets as one pile, ``?`` as a
face-down card: ``9H takes [3C 6D] and 5C 4D``.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final, NamedTuple

from engine import registry
from engine.cards import CODE

LANGUAGES = {"en": "English", "ja": "日本語"}
"""Code of a language → its own name for itself."""

PICTURES: Final = "cards"
"""The language of the fenced blocks that are pictures."""

_CARD: Final = "|".join([*sorted(CODE, key=len, reverse=True), r"\?"])
_PIECE: Final = re.compile(rf"\[((?:{_CARD})(?: (?:{_CARD}))*)\]|(?<!\S)({_CARD})(?!\S)")


class Piece(NamedTuple):
    """A piece of a picture: a card or a pile of several (by their texts), or words between."""

    cards: tuple[str, ...] = ()
    words: str = ""


def rule_sheet(game: str, language: str = "en") -> str | None:
    """The sheet of a game as Markdown, None where there is none in that language.

    A game from another package brings ``sheet.md`` (``sheet.ja.md``, …) beside its module.
    """
    suffix = "" if language == "en" else f".{language}"
    sheet = files("seeds") / "rules" / f"{game}{suffix}.md"
    if game not in registry.BUILT_IN and language in LANGUAGES:
        sheet = files(_module(game)) / f"sheet{suffix}.md"
    return sheet.read_text(encoding="utf-8") if sheet.is_file() else None


def languages(game: str) -> list[str]:
    """The languages in which a game has a sheet."""
    return [language for language in LANGUAGES if rule_sheet(game, language) is not None]


def picture(line: str) -> list[Piece]:
    """A line of a picture in pieces, in order."""
    pieces: list[Piece] = []
    end = 0
    for found in _PIECE.finditer(line):
        if words := line[end : found.start()].strip():
            pieces.append(Piece(words=words))
        pieces.append(Piece(tuple((found[1] or found[2]).split())))
        end = found.end()
    if words := line[end:].strip():
        pieces.append(Piece(words=words))
    return pieces


def _module(game: str) -> str:
    """The package of a game, or ours where there is no such game: nothing lies there."""
    try:
        return type(registry.game(game)).__module__
    except ValueError:
        return "seeds"
