"""The log of a match: events with their hidden parts, which only individual seats see."""

from __future__ import annotations

from typing import Any

from engine.cards import TEXT

# The kind, and the part that everybody sees.
_OpenEvent = tuple[str, dict[str, Any], None]
# The kind, the part that everybody sees, and the parts that only one seat sees, by seat.
_PartlyHiddenEvent = tuple[str, dict[str, Any], dict[int, dict[str, Any]]]
Event = _OpenEvent | _PartlyHiddenEvent  # compiled, a union is shared, and a plain tuple copied


def card_events(kind: str, seats: int, **more: bool) -> list[list[Event]]:
    """By seat and card: an event that all seats see. Matches share them and never change them."""
    return [
        [(kind, {"seat": seat, "card": text, **more}, None) for text in TEXT]
        for seat in range(seats)
    ]


def hidden_card_events(kind: str, seats: int) -> list[list[Event]]:
    """By seat and card, an event whose card only this seat sees; shared like `card_events`."""
    return [
        [(kind, {"seat": seat}, {seat: {"card": text}}) for text in TEXT] for seat in range(seats)
    ]


def deep_copy(value: Any) -> Any:
    """A copy of JSON-like data that shares nothing with `value`."""
    if isinstance(value, dict):
        return {key: deep_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [deep_copy(item) for item in value]
    return value


def event_for(event: Event, seat: int | None) -> dict[str, Any]:
    """The event as `seat` sees it: a dict with ``type`` first.

    For spectators after the end (`seat` None) the key ``hidden`` has the hidden parts of all seats,
    by seat as text.
    """
    kind, public, secret = event
    result = {"type": kind, **public}
    for key, value in public.items():
        if isinstance(value, list | dict):
            result[key] = deep_copy(value)
    if not secret:
        return result
    if seat is None:
        result["hidden"] = {str(owner): deep_copy(own_part) for owner, own_part in secret.items()}
    elif seat in secret:
        result.update(deep_copy(secret[seat]))
    return result
