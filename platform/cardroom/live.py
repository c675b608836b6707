"""Frames of running matches for spectators, cached in memory.

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

from engine import Format, IllegalMove, Match
from engine.frames import Frames, opening_frames, play_with_frames
from tournaments import models
from tournaments.reading.live import shown_moves

log = logging.getLogger(__name__)

MAX_MATCHES: Final = 32
"""The maximum number of matches in a process's memory, a few hundred kilobytes each."""
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
        """The response to a page, which polls again after `again` seconds."""
        head = f'{{"attempt":{self.attempt},"first":{self.first},"again":{again},"frames":['
        return head + ",".join(self.frames) + "]}"


class LiveMatch:
    """The frames of one attempt that spectators may see: the deal in play and the one before."""

    def __init__(self, row: models.Match, attempt: int) -> None:
        self.attempt = attempt
        self.match = Match(Format.parse(row.format), seed=row.deal_group.seed)
        self.frames: list[str] = []
        self.dropped = 0
        """The number of frames of earlier deals that were dropped."""
        self.deals: list[int] = []
        """The number of each deal's first frame."""

    def add_moves(self, moves: list[str]) -> None:
        """Add moves; IllegalMove if this program's rules forbid one."""
        if not self.deals:
            self._add_frame(opening_frames(self.match, (None,)))
        for move in moves:
            for frames in play_with_frames(self.match, move, (None,)):
                self._add_frame(frames)

    def _add_frame(self, frames: Frames) -> None:
        frame = frames[None]
        if frame["deal"] >= len(self.deals):
            self.deals.append(self.dropped + len(self.frames))
            self._drop_old_deals()
        self.frames.append(_to_json(_without_hands(frame)))

    def _drop_old_deals(self) -> None:
        """Drop all deals except the current one and the one before."""
        start = self.deals[-2] if len(self.deals) > 1 else 0
        del self.frames[: start - self.dropped]
        self.dropped = start

    def chunk(self, after: int | None) -> Chunk:
        """The frames from number `after`; if it is None or not in memory, those of the deal in
        play."""
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


_to_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class _WatchedMatch:
    """A match that somebody watches: its frames, and the time of its next database read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next_read = 0.0
        self.live: LiveMatch | None = None


_watched_matches: OrderedDict[int, _WatchedMatch] = OrderedDict()
_lock = threading.Lock()


def chunk_of(pk: int, attempt: int | None, after: int | None) -> Chunk | None:
    """The frames that spectators may see now, from number `after` if `attempt` still runs; None if
    there are none."""
    with _lock:
        watched = _watched_matches.setdefault(pk, _WatchedMatch())
        _watched_matches.move_to_end(pk)
        while len(_watched_matches) > MAX_MATCHES:
            _watched_matches.popitem(last=False)
    with watched.lock:
        if time.monotonic() >= watched.next_read:
            watched.live = _read_moves(pk, watched.live)
            watched.next_read = time.monotonic() + POLL_SECONDS
        live = watched.live
        if live is None:
            with _lock:
                _watched_matches.pop(pk, None)
            return None
        return live.chunk(after if attempt == live.attempt else None)


def clear() -> None:
    """Empty the memory."""
    with _lock:
        _watched_matches.clear()


def _read_moves(pk: int, live: LiveMatch | None) -> LiveMatch | None:
    """The match with the moves that the database has now; None if spectators may see nothing."""
    matches = models.Match.objects.select_related("deal_group", "tournament")
    row = matches.filter(pk=pk, state=models.Match.State.PLAYING).first()
    if row is None:
        return None
    position = (live.attempt, len(live.match.moves)) if live else None
    update = shown_moves(pk, row.tournament.live_delay, position)
    if update is None:
        return None
    if live is None or live.attempt != update.attempt:
        live = LiveMatch(row, update.attempt)
    try:
        live.add_moves(update.moves)
    except IllegalMove as error:  # the worker has other rules than this server
        log.warning("Match %d cannot be shown while it is being played: %s", pk, error)
        return None
    return live
