"""Numbers in sentences."""

from __future__ import annotations

from typing import Final

from cardroom.templatetags.look import points

_WORDS: Final = (
    *("no", "a", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def plural(word: str, count: float) -> str:
    """The word for so many: `match`, `matches`."""
    if count == 1:
        return word
    return f"{word}es" if word.endswith(("s", "ch")) else f"{word}s"


def counted(count: int, word: str) -> str:
    """So many, in figures: `1 point`, `2,255 points`."""
    return f"{count:,} {plural(word, count)}"


def spelled(count: int, word: str) -> str:
    """So many, in words as far as people write them: `a win`, `three wins`."""
    number = _WORDS[count] if count < len(_WORDS) else f"{count:,}"
    return f"{number} {plural(word, count)}"


def fraction(value: float) -> str:
    """Points as in a chess table: `2½`."""
    return points(value)


def score(own: float, other: float) -> str:
    """Points against points: `2½ – 1½`."""
    return f"{fraction(own)} – {fraction(other)}"
