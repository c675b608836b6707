"""Rule sheets: how to play a game in two minutes, for people, in several languages.

A sheet is Markdown. Its pictures are fenced blocks of the language ``cards``, with one picture per
line. A card's code is drawn as a card, codes in brackets as one pile, ``?`` as a face-down card:
``9H takes [3C 6D] and 5C 4D``.
"""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from engine import registry
from engine.cards import CODE

LANGUAGES = {"en": "English", "ja": "日本語"}
"""Code of a language → its native name."""

PICTURES: Final = "cards"
"""The language of the fenced blocks that are pictures."""

_CARD: Final = "|".join([*sorted(CODE, key=len, reverse=True), r"\?"])
_PIECE: Final = re.compile(rf"\[((?:{_CARD})(?: (?:{_CARD}))*)\]|(?<!\S)({_CARD})(?!\S)")


_COMMENT: Final = re.compile(r"<!--.*?-->\n+", re.DOTALL)
_HEADING: Final = re.compile(r"^## (?:\d+\. )?(.+)\n", re.MULTILINE)
_GAME_SECTIONS: Final = re.compile(r"Moves$|When a step is legal|What a bot sees|Public view")
_SHARED_SECTIONS: Final = re.compile(r"Cards$|Moves$")


class Piece(NamedTuple):
    """A piece of a picture: a card or pile, by the codes of its cards, or words between them."""

    cards: tuple[str, ...] = ()
    words: str = ""


def rule_sheet(game: str, language: str = "en") -> str | None:
    """The sheet of a game as Markdown; None if it has none in that language.

    A game from another package brings ``sheet.md`` (``sheet.ja.md``, …) beside its module.
    """
    suffix = "" if language == "en" else f".{language}"
    sheet = files("seeds") / "rules" / f"{game}{suffix}.md"
    if game not in registry.BUILT_IN and language in LANGUAGES:
        sheet = files(package_of(game)) / f"sheet{suffix}.md"
    return sheet.read_text(encoding="utf-8") if sheet.is_file() else None


def rules_document(game: str) -> Path | None:
    """The path of a game's rules document, with its numbered clauses.

    It lies in the checkout, the wheel, or the game's own package; None if it has none.
    """
    name = f"{Path(registry.game(game).document).name.removesuffix('.md')}.md"
    return next((path for path in _documents(name, package_of(game)) if path.is_file()), None)


def rules_text(path: Path) -> str:
    """A rules document without comments, which mark its tables of keys."""
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def reference(game: str) -> str | None:
    """The reference for bot authors: cards, moves and the view with every key, as Markdown.

    These are sections of the game's rules document; None if there is no document.
    """
    path = rules_document(game)
    if path is None:
        return None
    shared_document = next(
        (document for document in _documents("README.md", "seeds") if document.is_file()), None
    )
    shared = _sections(shared_document, _SHARED_SECTIONS) if shared_document else []
    return "\n".join(
        [f"# {registry.game(game).title}, for bots\n", *_sections(path, _GAME_SECTIONS), *shared]
    )


def _documents(name: str, package: str) -> list[Path]:
    seeds_folder = Path(str(files("seeds")))
    places = (
        seeds_folder.parent / "docs" / "rules",
        seeds_folder / "clauses",
        Path(str(files(package))),
    )
    return [place / name for place in places]


def _sections(path: Path, pattern: re.Pattern[str]) -> list[str]:
    """The sections of a document whose titles match; their numbers are removed."""
    parts = _HEADING.split(rules_text(path))
    titled = zip(parts[1::2], parts[2::2], strict=True)
    return [f"## {title}\n{text}" for title, text in titled if pattern.match(title)]


def languages(game: str) -> list[str]:
    """The languages in which a game has a sheet."""
    return [language for language in LANGUAGES if rule_sheet(game, language) is not None]


def picture(line: str) -> list[Piece]:
    """The pieces of a line of a picture, in order."""
    pieces: list[Piece] = []
    end = 0
    for match in _PIECE.finditer(line):
        if text := line[end : match.start()].strip():
            pieces.append(Piece(words=text))
        pieces.append(Piece(tuple((match[1] or match[2]).split())))
        end = match.end()
    if text := line[end:].strip():
        pieces.append(Piece(words=text))
    return pieces


def package_of(game: str) -> str:
    """The Python package of a game; for an unknown game our own, which has no files for it."""
    try:
        module = type(registry.game(game)).__module__
    except ValueError:
        return "seeds"
    is_package = hasattr(sys.modules[module], "__path__")
    return module if is_package else module.rpartition(".")[0] or "seeds"
