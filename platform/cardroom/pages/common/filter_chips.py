"""The filters of a list as a row of chips: links that keep the other filters."""

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
    active: bool
    count: int | None = None
    """The number of rows that the filter shows, if known."""


def single_choice(
    filters: Mapping[str, str], all_title: str, choices: Sequence[tuple[str, str, str]]
) -> list[Chip]:
    """A chip for all rows and one for each choice, of which exactly one is active.

    `choices`: key, value and title; all have the same key. `all_title`: title of the first chip.
    """
    key = choices[0][0]
    others = {name: value for name, value in filters.items() if name != key}
    selected = filters.get(key, "")
    values = {value for _, value, _ in choices}
    return [Chip(all_title, query(others), selected not in values)] + [
        Chip(words, query({**others, key: value}), selected == value)
        for key, value, words in choices
    ]


def toggles(filters: Mapping[str, str], choices: Sequence[tuple[str, str, str]]) -> list[Chip]:
    """Chips that a second click deactivates. Of chips with the same key, one can be active."""
    chips = []
    for key, value, words in choices:
        active = filters.get(key) == value
        others = {name: other for name, other in filters.items() if name != key}
        chips.append(Chip(words, query(others if active else {**others, key: value}), active))
    return chips


def query(filters: Mapping[str, str]) -> str:
    """The filters as the query of an address, with its question mark."""
    return f"?{urlencode(filters)}" if filters else "?"
