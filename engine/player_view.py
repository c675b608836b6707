"""A match as one seat sees it, frame by frame, for people who play or watch while it runs.

`Record.frames` shows a finished match with all cards. Here a frame has the seat's own view, the
events as the seat sees them, and sentences made from these alone. Spectators (seat None) see only
what every seat sees, so they cannot tell a player anything new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.cards import CODE
from engine.english import addressed, the_cards
from engine.events import Event, event_for
from engine.game import Telling
from engine.match import Match

Frames = dict[int | None, dict[str, Any]]
"""Frames of one position for several viewers, by seat; None is a spectator."""

_NOBODY = -1  # a seat without hidden parts of events


def view_of(match: Match, seat: int | None) -> dict[str, Any]:
    """The view of `seat`; None: what all seats know, with ``seat`` null and ``hand`` empty."""
    if seat is not None:
        return match.view(seat)
    views = [match.view(other) for other in range(match.format.seats)]
    shared: dict[str, Any] = _shared(views)
    return shared | {"seat": None, "hand": []}


def events_of(match: Match, seat: int | None, since: int = 0) -> list[dict[str, Any]]:
    """The log from index `since` on as `seat` sees it; None: without anybody's hidden parts."""
    return [
        event_for(event, _NOBODY if seat is None else seat) for event in match.logged_since(since)
    ]


def opening(match: Match, seats: Iterable[int | None]) -> Frames:
    """The frame of a match before its first move."""
    return _frames(match, 0, seats)


def play(match: Match, move: str, seats: Sequence[int | None]) -> list[Frames]:
    """Play a move; returns the frames that follow: two if it ends a deal or the match, else one.

    Frames have the keys of `Record.frames`, with the seat's ``view`` and ``events``, but no
    ``note``, because bots may note their cards. IllegalMove leaves the match unchanged.
    """
    number, seen, mover = len(match.moves), match.logged, match.turn
    match.step(move)
    frames = _frames(match, seen, seats)
    for seat, frame in frames.items():
        hidden = seat != mover and not _is_public(match, move, seen)
        frame |= {"n": number, "seat": mover, "move": "" if hidden else move}
    seen = match.logged
    match.proceed()
    return [frames, _frames(match, seen, seats)] if match.logged > seen else [frames]


def _is_public(match: Match, move: str, seen: int) -> bool:
    """Whether all seats see the move itself, by the game's `open_moves` or by the log."""
    if match.format.spec.open_moves:
        return True
    return any(public.get("move") == move for _, public, _ in match.logged_since(seen))


def _frames(match: Match, seen: int, seats: Iterable[int | None]) -> Frames:
    return {seat: _frame(match, seen, seat) for seat in seats}


def _frame(match: Match, seen: int, seat: int | None) -> dict[str, Any]:
    view = view_of(match, seat)
    texts, spoken = _told(match, seen, seat)
    return {
        "n": None,
        "seat": None,
        "move": None,
        "deal": view["deal"],
        "events": events_of(match, seat, seen),
        "view": view,
        "sentence": " ".join(texts),
        "clause": spoken[0].clause if spoken else "",
        "marks": list(spoken[0].marks) if spoken else [],
        "clock_ms": None,
        "note": None,
    }


def sentences(match: Match, seen: int, seat: int) -> list[str]:
    """The events since the `seen`-th as `seat` saw them, each as a sentence to that seat."""
    return _told(match, seen, seat)[0]


def _told(match: Match, seen: int, seat: int | None) -> tuple[list[str], list[Telling]]:
    """(the sentences about the events, their tellings); events without a sentence are omitted."""
    events = [_event_for(event, seat) for event in match.logged_since(seen)]
    tellings = [match.format.spec.tell(match.format, event) for event in events]
    texts = [
        f"{addressed(telling, match.format.seats, seat)}{_drawn_cards(event, seat)}"
        for telling, event in zip(tellings, events, strict=True)
        if telling.sentence
    ]
    return texts, [telling for telling in tellings if telling.sentence]


def _event_for(event: Event, seat: int | None) -> Event:
    """The event with only this seat's hidden part."""
    kind, public, secret = event
    own = secret.get(seat) if secret and seat is not None else None
    return kind, public, None if own is None or seat is None else {seat: own}


def _drawn_cards(event: Event, seat: int | None) -> str:
    """The drawn card, for the seat that drew it unseen."""
    _, public, secret = event
    if not secret or seat is None or public.get("seat") != seat:
        return ""
    card, several = secret[seat].get("card"), secret[seat].get("cards")
    cards = [card] if isinstance(card, str) else several
    if not isinstance(cards, list) or not cards or any(text not in CODE for text in cards):
        return ""
    return f" {'It is' if len(cards) == 1 else 'They are'} {the_cards([CODE[c] for c in cards])}."


def _shared(values: list[Any]) -> Any:
    """The common part of several JSON values; where they differ, an empty value of their kind."""
    first = values[0]
    if all(value == first for value in values):
        return first
    if all(isinstance(value, dict) for value in values):
        keys = [key for key in first if all(key in value for value in values)]
        return {key: _shared([value[key] for value in values]) for key in keys}
    if all(isinstance(value, list) for value in values):
        if len({len(value) for value in values}) > 1:
            return []
        return [_shared([value[at] for value in values]) for at in range(len(first))]
    return None
