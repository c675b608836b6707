"""Rule sheets: how to play a game in two minutes, for people, in several languages."""

from __future__ import annotations

from importlib.resources import files

LANGUAGES = {"en": "English", "ja": "日本語"}
"""Code of a language → its own name for itself."""


def rule_sheet(game: str, language: str = "en") -> str | None:
    """The sheet of a game as Markdown, None where there is none in that language."""
    suffix = "" if language == "en" else f".{language}"
    sheet = files("seeds") / "rules" / f"{game}{suffix}.md"
    return sheet.read_text(encoding="utf-8") if sheet.is_file() else None


def languages(game: str) -> list[str]:
    """The languages in which a game has a sheet."""
    return [language for language in LANGUAGES if rule_sheet(game, language) is not None]
