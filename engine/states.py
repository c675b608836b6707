"""Parses the fields of a `state`, the notation of positions in the rules documents' examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import TEXT, parse_cards
from engine.deals import BaseDeal


def check_keys(state: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Raise ValueError for a field that no position of the game has."""
    unknown = sorted(set(state) - set(keys))
    if unknown:
        raise ValueError(f"A position has no {unknown[0]!r}. It has {', '.join(keys)} and seed.")


def read_heading(deal: BaseDeal, state: Mapping[str, Any], deals: int) -> None:
    """Read the deal's number (below `deals`), the dealer, and the seat to move."""
    high = len(deal.hands) - 1
    deal.number = read_integer(state, "deal", 0, deals - 1)
    deal.dealer = read_integer(state, "dealer", high, high)
    deal.turn = deal.to_act = read_integer(state, "turn", 0, high)


def read_integer(state: Mapping[str, Any], key: str, default: int, high: int) -> int:
    """The field's whole number, or `default` if it is missing.

    ValueError unless the number is from 0 to `high`.
    """
    value = state.get(key)
    if value is None:
        return default
    if type(value) is not int or not 0 <= value <= high:
        raise ValueError(f"{key} is a whole number from 0 to {high}, not {value!r}.")
    return value


def read_boolean(state: Mapping[str, Any], key: str) -> bool:
    """The field's value, or False if it is missing; ValueError unless it is true or false."""
    value = state.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key} is true or false, not {value!r}.")  # noqa: TRY004 - bad input is a ValueError by contract
    return value


def checked_numbers(values: object, count: int, subject: str) -> list[int]:
    """`values` as a list; ValueError unless they are whole numbers from 0 to `count` - 1.

    `subject`: the start of its message, such as "by names seats".
    """
    if not isinstance(values, list) or any(
        type(value) is not int or not 0 <= value < count for value in values
    ):
        raise ValueError(f"{subject} 0 to {count - 1}, not {values!r}.")
    return list(values)


def read_scores(state: Mapping[str, Any], count: int) -> list[int]:
    """The field ``scores``, or zeros if it is missing; ValueError unless it has `count` numbers."""
    totals = state.get("scores") or [0] * count
    is_valid = isinstance(totals, list) and all(type(score) is int for score in totals)
    if not is_valid or len(totals) != count:
        raise ValueError(f"scores is a list of {count} whole numbers, not {totals!r}.")
    return list(totals)


def read_card_rows(state: Mapping[str, Any], key: str, count: int) -> list[list[int]]:
    """The field's `count` lists of cards, from a list or from an object with indices as keys.

    Missing lists are empty. ValueError if a list or a card is malformed.
    """
    rows = state.get(key) or []
    if isinstance(rows, Mapping):
        unknown = sorted(set(rows) - set(map(str, range(count))))
        if unknown:
            raise ValueError(f"{key}: there is no {unknown[0]!r}; numbers are 0 to {count - 1}.")
        rows = [rows.get(str(number), []) for number in range(count)]
    if not isinstance(rows, list) or len(rows) > count:
        raise ValueError(f"{key} is a list of {count} lists of cards.")
    cards = [parse_cards(row) for row in rows]
    return cards + [[] for _ in range(count - len(cards))]


def read_table_items(state: Mapping[str, Any], seats: int) -> list[tuple[object, int]]:
    """For each item of ``table``, its text and its seat in ``by``, or -1; else ValueError."""
    items = state.get("table", [])
    by = state.get("by") or []
    if not isinstance(items, list) or not isinstance(by, list) or len(by) > len(items):
        raise ValueError(
            "table and by must be lists; by lists seats in the order of table, and is no longer."
        )
    owners = [*by, *[None] * (len(items) - len(by))]
    checked_numbers([owner for owner in owners if owner is not None], seats, "by names seats")
    return [
        (item, -1 if owner is None else owner) for item, owner in zip(items, owners, strict=True)
    ]


def state_from_view(view: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The public fields of a `state`, from the view of a game that has a table of items."""
    return {
        "table": [entry["id"] for entry in view["table"]],
        "by": [entry["by"] for entry in view["table"]],
        "turn": 0 if view["to_act"] is None else view["to_act"],
        **{key: view[key] for key in keys},
    }


def unused_cards(pack: Sequence[int], piles: Sequence[Sequence[int]]) -> list[int] | None:
    """The cards of `pack` that are in none of `piles`, in card order; None if the piles contain a
    card more often than the pack."""
    counts = [0] * len(TEXT)
    for card in pack:
        counts[card] += 1
    for pile in piles:
        for card in pile:
            counts[card] -= 1
            if counts[card] < 0:
                return None
    return [card for card, count in enumerate(counts) for _ in range(count)]


def check_pack(pack: Sequence[int], piles: Sequence[Sequence[int]], text: str) -> None:
    """Raise ValueError for a card that occurs more often than in the pack of the format `text`."""
    if unused_cards(pack, piles) is not None:
        return
    placed = [card for pile in piles for card in pile]
    for card in sorted(set(placed)):
        if placed.count(card) > list(pack).count(card):
            raise ValueError(f"{TEXT[card]} occurs more often than in a pack of {text}.")
