"""Numbers and durations in sentences."""

from __future__ import annotations

from typing import Final, Protocol

from tournaments.ratings.elo import interval_text

_WORDS: Final = (
    *("no", "a", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_FRACTIONS: Final = {0.25: "¼", 0.5: "½", 0.75: "¾"}


def plural(word: str, count: float) -> str:
    """The singular or the plural of a noun: `match`, `matches`."""
    if count == 1:
        return word
    return f"{word}es" if word.endswith(("s", "ch")) else f"{word}s"


def count_of(count: int, word: str) -> str:
    """A number in digits with its noun: `1 point`, `2,255 points`."""
    return f"{count:,} {plural(word, count)}"


def spelled_count(count: int, word: str) -> str:
    """A number with its noun, small numbers spelled out: `a win`, `three wins`."""
    number = _WORDS[count] if count < len(_WORDS) else f"{count:,}"
    return f"{number} {plural(word, count)}"


def fraction(value: float | None) -> str:
    """Points as in a chess table: `2½`; fractions other than quarters with two decimals."""
    if value is None:
        return "–"
    whole, part = divmod(round(value, 2), 1)
    if part == 0:
        return f"{whole:.0f}"
    fraction_sign = _FRACTIONS.get(round(part, 2))
    if fraction_sign is None:
        return f"{value:.2f}"
    return f"{whole:.0f}{fraction_sign}" if whole else fraction_sign


def score(own: float, other: float) -> str:
    """Two scores: `2½ – 1½`."""
    return f"{fraction(own)} – {fraction(other)}"


def rough_duration(seconds: float) -> str:
    """An approximate duration as text: `about 5 minutes`."""
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minute{'s' if minutes > 1 else ''}"
    return f"about {round(minutes / 60)} hours"


class Bounded(Protocol):
    """An interval; None: that end is open."""

    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def interval(value: Bounded) -> str:
    """A 95 % interval in words, with true minus signs: `−20 to 130`, `at most 130`."""
    return interval_text(value.low, value.high).replace("-", "−")
