"""A match as one seat sees it, for people who play or watch while it runs.

Sentences are made only from the events that the seat sees. Spectators (seat None) see only what
every seat sees, so they cannot pass a player any news.
"""

from __future__ import annotations

from typing import Any

from engine.cards import CODE
from engine.english import sentence_for, the_cards
from engine.events import Event, event_for
from engine.game import Telling
from engine.match import Match

_NOBODY = -1  # no event has a hidden part for this seat


def view_of(match: Match, seat: int | None) -> dict[str, Any]:
    """The view of `seat`. For spectators (None), the facts that all seats know.

    Then ``seat`` is null and ``hand`` is empty.
    """
    if seat is not None:
        return match.view(seat)
    views = [match.view(other) for other in range(match.format.seats)]
    shared: dict[str, Any] = _common_part(views)
    return shared | {"seat": None, "hand": []}


def events_of(match: Match, seat: int | None, since: int = 0) -> list[dict[str, Any]]:
    """The log from index `since` on as `seat` sees it; without hidden parts if `seat` is None."""
    return [
        event_for(event, _NOBODY if seat is None else seat) for event in match.logged_since(since)
    ]


def sentences(match: Match, since: int, seat: int) -> list[str]:
    """The events from index `since` on as `seat` saw them, each as a sentence to that seat."""
    return sentences_and_tellings(match, since, seat)[0]


def sentences_and_tellings(
    match: Match, since: int, seat: int | None
) -> tuple[list[str], list[Telling]]:
    """The sentences about the events, to `seat`, and their tellings; not all events have one."""
    events = [_event_for(event, seat) for event in match.logged_since(since)]
    tellings = [match.format.spec.tell(match.format, event) for event in events]
    texts = [
        f"{sentence_for(telling, match.format.seats, seat)}{_drawn_cards(event, seat)}"
        for telling, event in zip(tellings, events, strict=True)
        if telling.sentence
    ]
    return texts, [telling for telling in tellings if telling.sentence]


def _event_for(event: Event, seat: int | None) -> Event:
    """The event with only this seat's hidden part."""
    kind, public, secret = event
    if not secret or seat is None or seat not in secret:
        return kind, public, None
    return kind, public, {seat: secret[seat]}


def _drawn_cards(event: Event, seat: int | None) -> str:
    """The drawn card, for the seat that drew it unseen."""
    _, public, secret = event
    if not secret or seat is None or public.get("seat") != seat:
        return ""
    card, drawn_cards = secret[seat].get("card"), secret[seat].get("cards")
    cards = [card] if isinstance(card, str) else drawn_cards
    if not isinstance(cards, list) or not cards or any(text not in CODE for text in cards):
        return ""
    return f" {'It is' if len(cards) == 1 else 'They are'} {the_cards([CODE[c] for c in cards])}."


def _common_part(values: list[Any]) -> Any:
    """The common part of several JSON values; where they differ, an empty value of their kind."""
    first = values[0]
    if all(value == first for value in values):
        return first
    if all(isinstance(value, dict) for value in values):
        keys = [key for key in first if all(key in value for value in values)]
        return {key: _common_part([value[key] for value in values]) for key in keys}
    if all(isinstance(value, list) for value in values):
        if len({len(value) for value in values}) > 1:
            return []
        return [_common_part([value[index] for value in values]) for index in range(len(first))]
    return None
