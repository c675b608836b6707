"""Reading the fields of a `state`, as the rules documents' examples write positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cards import parse_cards


def integer(state: Mapping[str, Any], key: str, default: int, high: int) -> int:
    """A whole number from 0 to `high`, `default` where the field is left out; else ValueError."""
    value = state.get(key)
    if value is None:
        return default
    if type(value) is not int or not 0 <= value <= high:
        raise ValueError(f"{key} is a whole number from 0 to {high}, not {value!r}.")
    return value


def card_rows(state: Mapping[str, Any], key: str, count: int) -> list[list[int]]:
    """`count` lists of cards, missing ones empty; also as an object with the numbers as keys.

    ValueError names what is malformed.
    """
    rows = state.get(key) or []
    if isinstance(rows, Mapping):
        strange = sorted(set(rows) - set(map(str, range(count))))
        if strange:
            raise ValueError(f"{key}: there is no {strange[0]!r}; numbers are 0 to {count - 1}.")
        rows = [rows.get(str(number), []) for number in range(count)]
    if not isinstance(rows, list) or len(rows) > count:
        raise ValueError(f"{key} is a list of {count} lists of cards.")
    cards = [parse_cards(row) for row in rows]
    return cards + [[] for _ in range(count - len(cards))]
