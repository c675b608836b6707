"""Running matches as frames for spectators, cached in memory while the matches grow.

Hundreds may watch one match. So a process reads each watched match from the database once a second,
however many spectators it has, and builds each frame once.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from engine import IllegalMove, Match
from engine.frames import Frames, opening_frames, play_with_frames
from tournaments import models
from tournaments.models.matches import cached_format
from tournaments.reading.live import shown_moves

log = logging.getLogger(__name__)

KEPT: Final = 32
"""Matches in the memory of a process: some hundred kilobytes each."""
POLL_SECONDS: Final = 1.0
"""Seconds between two database reads about a match."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive frames of a running match."""

    attempt: int
    first: int
    """Number of the first frame within the match."""
    frames: tuple[str, ...]
    """The frames as JSON."""

    def as_json(self, again: int) -> str:
        """The answer to the page, which polls again after `again` seconds."""
        head = f'{{"attempt":{self.attempt},"first":{self.first},"again":{again},"frames":['
        return head + ",".join(self.frames) + "]}"


class LiveMatch:
    """The frames of one attempt that spectators may see: the deal in play and the one before."""

    def __init__(self, row: models.Match, attempt: int) -> None:
        self.attempt = attempt
        self.match = Match(cached_format(row.format), seed=row.deal_group.seed)
        self.frames: list[str] = []
        self.dropped = 0
        """Number of frames of earlier deals, which have been dropped."""
        self.deals: list[int] = []
        """The number of each deal's first frame."""

    def grow(self, moves: list[str]) -> None:
        """Add moves; IllegalMove if this program's rules forbid one."""
        if not self.deals:
            self._add(opening_frames(self.match, (None,)))
        for move in moves:
            for frames in play_with_frames(self.match, move, (None,)):
                self._add(frames)

    def _add(self, frames: Frames) -> None:
        frame = frames[None]
        if frame["deal"] >= len(self.deals):
            self.deals.append(self.dropped + len(self.frames))
            self._drop()
        self.frames.append(_packed(_without_hands(frame)))

    def _drop(self) -> None:
        """Drop all deals except the current one and the one before."""
        start = self.deals[-2] if len(self.deals) > 1 else 0
        del self.frames[: start - self.dropped]
        self.dropped = start

    def chunk(self, after: int | None) -> Chunk:
        """The frames from number `after`; if it is None or unknown, those of the deal in play."""
        total = self.dropped + len(self.frames)
        first = self.deals[-1] if after is None else after
        if not self.dropped <= first <= total:
            first = self.deals[-1]
        return Chunk(self.attempt, first, tuple(self.frames[first - self.dropped :]))


def _without_hands(frame: dict[str, Any]) -> dict[str, Any]:
    """A frame in the shape of `Record.frames`, with all hands hidden."""
    view = frame["view"]
    hands: list[list[str]] = [[] for _ in view["hand_sizes"]]
    return frame | {"view": view | {"hands": hands, "stock_cards": []}}


_packed = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class _Watched:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.due = 0.0
        self.frames: LiveMatch | None = None


_watched: OrderedDict[int, _Watched] = OrderedDict()
_lock = threading.Lock()


def chunk_of(pk: int, attempt: int | None, after: int | None) -> Chunk | None:
    """The frames that may be shown now, from number `after` if `attempt` still runs.

    None if nothing may be shown.
    """
    with _lock:
        watched = _watched.setdefault(pk, _Watched())
        _watched.move_to_end(pk)
        while len(_watched) > KEPT:
            _watched.popitem(last=False)
    with watched.lock:
        if time.monotonic() >= watched.due:
            watched.frames = _updated(pk, watched.frames)
            watched.due = time.monotonic() + POLL_SECONDS
        frames = watched.frames
        if frames is None:
            with _lock:
                _watched.pop(pk, None)
            return None
        return frames.chunk(after if attempt == frames.attempt else None)


def forget() -> None:
    """Empty the memory."""
    with _lock:
        _watched.clear()


def _updated(pk: int, frames: LiveMatch | None) -> LiveMatch | None:
    """The frames with the moves that the database has now."""
    matches = models.Match.objects.select_related("deal_group", "tournament")
    row = matches.filter(pk=pk, state=models.Match.State.PLAYING).first()
    if row is None:
        return None
    position = (frames.attempt, len(frames.match.moves)) if frames else None
    update = shown_moves(pk, row.tournament.live_delay, position)
    if update is None:
        return None
    if frames is None or frames.attempt != update.attempt:
        frames = LiveMatch(row, update.attempt)
    try:
        frames.grow(update.moves)
    except IllegalMove as error:  # the worker has other rules than this server
        log.warning("Match %d cannot be shown while it is played: %s", pk, error)
        return None
    return frames
