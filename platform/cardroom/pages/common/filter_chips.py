"""Filters of a list as a row of chips: links that keep the other parts of the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter."""

    words: str
    query: str
    """The query of its link, with the question mark."""
    on: bool
    count: int | None = None
    """The number of rows that it would show, if known."""


def one_of(
    filters: Mapping[str, str], every: str, choices: Sequence[tuple[str, str, str]]
) -> list[Chip]:
    """Chips of which at most one is active. `choices`: key, value and title; all have the
    same key."""
    key = choices[0][0]
    others = {name: value for name, value in filters.items() if name != key}
    chosen = filters.get(key, "")
    values = {value for _, value, _ in choices}
    return [Chip(every, query(others), chosen not in values)] + [
        Chip(words, query({**others, key: value}), chosen == value) for key, value, words in choices
    ]


def toggles(filters: Mapping[str, str], choices: Sequence[tuple[str, str, str]]) -> list[Chip]:
    """Chips that a second press switches off; only one with the same key can be active."""
    chips = []
    for key, value, words in choices:
        on = filters.get(key) == value
        others = {name: other for name, other in filters.items() if name != key}
        chips.append(Chip(words, query(others if on else {**others, key: value}), on))
    return chips


def query(filters: Mapping[str, str]) -> str:
    """The filters as the query of an address, with its question mark."""
    return f"?{urlencode(filters)}" if filters else "?"
