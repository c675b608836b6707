"""Frames: the positions of a match, one after each move, for drawing without the rules.

`Record.frames` makes the frames of a finished match, with all cards. While a match runs,
`opening_frames` and `play_with_frames` make frames as one seat sees the match
(`engine.player_view`). All have the same keys: ``n`` (move number from 0, or null), ``seat`` (that
moved, or null), ``move``, ``deal``, ``events`` (since the frame before), ``view``, ``sentence``,
``clause``, ``marks`` (texts of the cards and items last put down or taken), ``clock_ms`` and
``note`` of the move (or null).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.game import Telling
from engine.match import Match
from engine.player_view import events_of, sentences_and_tellings, view_of

Frames = dict[int | None, dict[str, Any]]
"""Frames of one position for several viewers, by seat; None is a spectator."""


def open_frame(match: Match, since: int) -> dict[str, Any]:
    """The frame with all cards; its events are those of the log from index `since` on."""
    tellings = [match.format.spec.tell(match.format, event) for event in match.logged_since(since)]
    tellings = [telling for telling in tellings if telling.sentence]
    sentences = [telling.sentence for telling in tellings]
    return _frame(match.view(None), match.events(None, since), sentences, tellings)


def opening_frames(match: Match, seats: Iterable[int | None]) -> Frames:
    """The frames of a match before its first move."""
    return _seat_frames(match, 0, seats)


def play_with_frames(match: Match, move: str, seats: Sequence[int | None]) -> list[Frames]:
    """Play a move; returns the frames that follow: two if it ends a deal or the match, else one.

    They have no ``note``, because bots may note their cards. IllegalMove leaves the match
    unchanged.
    """
    number, since, mover = len(match.moves), match.logged, match.turn
    match.step(move)
    frames = _seat_frames(match, since, seats)
    for seat, frame in frames.items():
        hidden = seat != mover and not _is_public(match, move, since)
        frame |= {"n": number, "seat": mover, "move": "" if hidden else move}
    since = match.logged
    match.proceed()
    return [frames, _seat_frames(match, since, seats)] if match.logged > since else [frames]


def _is_public(match: Match, move: str, since: int) -> bool:
    """Whether all seats see the text of the move, by the game's `open_moves` or in the log."""
    if match.format.spec.open_moves:
        return True
    return any(public.get("move") == move for _, public, _ in match.logged_since(since))


def _seat_frames(match: Match, since: int, seats: Iterable[int | None]) -> Frames:
    frames = {}
    for seat in seats:
        sentences, tellings = sentences_and_tellings(match, since, seat)
        events = events_of(match, seat, since)
        frames[seat] = _frame(view_of(match, seat), events, sentences, tellings)
    return frames


def _frame(
    view: dict[str, Any],
    events: list[dict[str, Any]],
    sentences: Sequence[str],
    tellings: Sequence[Telling],
) -> dict[str, Any]:
    """A frame without a move; the first of `tellings` gives its clause and marks."""
    return {
        "n": None,
        "seat": None,
        "move": None,
        "deal": view["deal"],
        "events": events,
        "view": view,
        "sentence": " ".join(sentences),
        "clause": tellings[0].clause if tellings else "",
        "marks": list(tellings[0].marks) if tellings else [],
        "clock_ms": None,
        "note": None,
    }
