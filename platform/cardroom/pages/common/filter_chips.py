"""Filters of a list as a row of chips: links that keep what else the address asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter."""

    words: str
    query: str
    """Of the address that it leads to, with the question mark."""
    on: bool
    count: int | None = None
    """How many it would show, where that is known."""


def one_of(
    filters: Mapping[str, str], every: str, choices: Sequence[tuple[str, str, str]]
) -> list[Chip]:
    """One of several, or all of them. `choices`: key, value and words of each; all have one key."""
    key = choices[0][0]
    rest = {name: value for name, value in filters.items() if name != key}
    chosen = filters.get(key, "")
    values = {value for _, value, _ in choices}
    return [Chip(every, query(rest), chosen not in values)] + [
        Chip(words, query({**rest, key: value}), chosen == value) for key, value, words in choices
    ]


def toggles(filters: Mapping[str, str], choices: Sequence[tuple[str, str, str]]) -> list[Chip]:
    """Filters that a second press takes away; of those with one key only one holds."""
    chips = []
    for key, value, words in choices:
        on = filters.get(key) == value
        rest = {name: other for name, other in filters.items() if name != key}
        chips.append(Chip(words, query(rest if on else {**rest, key: value}), on))
    return chips


def query(filters: Mapping[str, str]) -> str:
    """The query of an address that asks for this, with its question mark."""
    return f"?{urlencode(filters)}" if filters else "?"
