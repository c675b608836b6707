"""Running matches as frames for people who watch, kept in memory while they grow.

Hundreds may watch one match. So a process asks the database once a second about each match that is
watched, however many ask, and makes each frame once.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from engine import IllegalMove, Match, player_view
from engine.player_view import Frames
from tournaments import models
from tournaments.models.matches import parsed
from tournaments.reading.live import shown_moves

log = logging.getLogger(__name__)

KEPT: Final = 32
"""Matches in the memory of a process: some hundred kilobytes each."""
LOOK_SECONDS: Final = 1.0
"""How often the database is asked about a match."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Frames of a running match, one after another."""

    attempt: int
    first: int
    """Number of the first of them in the match."""
    frames: tuple[str, ...]
    """As JSON."""

    def as_json(self, again: int) -> str:
        """For the page, which asks again after so many seconds."""
        head = f'{{"attempt":{self.attempt},"first":{self.first},"again":{again},"frames":['
        return head + ",".join(self.frames) + "]}"


class LiveMatch:
    """One attempt as far as it may be shown: its frames, of the deal in play and the one before."""

    def __init__(self, found: models.Match, attempt: int) -> None:
        self.attempt = attempt
        self.match = Match(parsed(found.format), seed=found.deal_group.seed)
        self.frames: list[str] = []
        self.dropped = 0
        """Frames of earlier deals, which are no longer kept."""
        self.deals: list[int] = []
        """Numbers of the first frames of the deals."""

    def grow(self, moves: list[str]) -> None:
        """Take moves in. IllegalMove: they do not follow by the rules of this program."""
        if not self.deals:
            self._add(player_view.opening(self.match, (None,)))
        for move in moves:
            for frames in player_view.play(self.match, move, (None,)):
                self._add(frames)

    def _add(self, frames: Frames) -> None:
        frame = frames[None]
        if frame["deal"] >= len(self.deals):
            self.deals.append(self.dropped + len(self.frames))
            self._drop()
        self.frames.append(_packed(_closed(frame)))

    def _drop(self) -> None:
        """Keep no more than the deal before the one that begins."""
        start = self.deals[-2] if len(self.deals) > 1 else 0
        del self.frames[: start - self.dropped]
        self.dropped = start

    def piece(self, after: int | None) -> Piece:
        """The frames from number `after` on, or else those of the deal in play."""
        total = self.dropped + len(self.frames)
        first = self.deals[-1] if after is None else after
        if not self.dropped <= first <= total:
            first = self.deals[-1]
        return Piece(self.attempt, first, tuple(self.frames[first - self.dropped :]))


def _closed(frame: dict[str, Any]) -> dict[str, Any]:
    """A frame in the shape of `Record.frames`, nobody's cards being known."""
    view = frame["view"]
    hands: list[list[str]] = [[] for _ in view["hand_sizes"]]
    return frame | {"view": view | {"hands": hands, "stock_cards": []}}


_packed = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class _Watched:
    """A match that somebody watches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.due = 0.0
        self.course: LiveMatch | None = None


_watched: OrderedDict[int, _Watched] = OrderedDict()
_lock = threading.Lock()


def piece_of(pk: int, attempt: int | None, after: int | None) -> Piece | None:
    """What may be shown now of a match: from frame `after` on, if that counts frames of `attempt`.

    None: nothing may be shown, or not any more.
    """
    with _lock:
        watched = _watched.setdefault(pk, _Watched())
        _watched.move_to_end(pk)
        while len(_watched) > KEPT:
            _watched.popitem(last=False)
    with watched.lock:
        if time.monotonic() >= watched.due:
            watched.course = _looked(pk, watched.course)
            watched.due = time.monotonic() + LOOK_SECONDS
        course = watched.course
        if course is None:
            with _lock:
                _watched.pop(pk, None)
            return None
        return course.piece(after if attempt == course.attempt else None)


def forget() -> None:
    """Keep none any more."""
    with _lock:
        _watched.clear()


def _looked(pk: int, course: LiveMatch | None) -> LiveMatch | None:
    """The course as it is now by the database."""
    matches = models.Match.objects.select_related("deal_group", "tournament")
    found = matches.filter(pk=pk, state=models.Match.State.PLAYING).first()
    if found is None:
        return None
    known = (course.attempt, len(course.match.moves)) if course else None
    shown = shown_moves(pk, found.tournament.live_delay, known)
    if shown is None:
        return None
    if course is None or course.attempt != shown.attempt:
        course = LiveMatch(found, shown.attempt)
    try:
        course.grow(shown.moves)
    except IllegalMove as error:  # a worker plays by other rules than this server knows
        log.warning("Match %d cannot be shown while it is played: %s", pk, error)
        return None
    return course
