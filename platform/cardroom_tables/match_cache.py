"""Cache the matches of tables in memory.

A cached match only appends moves. The table's key and number of moves identify its state, so it
cannot be stale. A match that is not cached is rebuilt from the moves.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from cardroom_tables.models import Table, TableMove
from engine import Format, IllegalMove, Match, RecordError
from engine.frames import Frames, opening_frames, play_with_frames

MAX_MATCHES: Final = 64
"""Maximum number of matches in a process's cache; each takes a few hundred kilobytes."""
MAX_FRAMES: Final = 64
"""Number of the latest frames cached for each onlooker; a page gets no older ones."""


class CachedMatch:
    """A match so far, and its latest frames for some onlookers."""

    def __init__(self, table: Table) -> None:
        self.key = table.key
        self.match = Match(Format.parse(table.format), seed=table.seed)
        self.onlookers: tuple[int | None, ...] = ()
        self.frames: deque[dict[int | None, str]] = deque(maxlen=MAX_FRAMES)
        """For each frame, JSON text by onlooker, which needs a tenth of an object's memory."""
        self.total = 0
        self.scores: list[list[int]] = []
        """For each finished deal: the scores after it, by side."""
        self.deal_starts = [0]
        """For each deal: the number of its first move."""
        self.given = table.given
        self.lock = threading.Lock()

    def append(self, moves: Iterable[str], *, without_frames: int = 0) -> None:
        """Append moves; compute no frames for the first `without_frames` moves."""
        for number, move in enumerate(moves):
            onlookers = self.onlookers if number >= without_frames else ()
            if not self.total:
                self._add(opening_frames(self.match, onlookers))
            self._play(move, onlookers)

    def _play(self, move: str, onlookers: tuple[int | None, ...]) -> None:
        deals_before = len(self.scores)
        new_frames = play_with_frames(self.match, move, onlookers)
        if len(self.match.deals_since(deals_before)) > 0:
            self.scores.append(self.match.scores)
            self.deal_starts.append(len(self.match.moves))
        for frames in new_frames:
            self._add(frames)

    def add_opening_frame(self) -> None:
        """Add the frame before the first move if there is no frame."""
        if not self.total:
            self._add(opening_frames(self.match, self.onlookers))

    def first_table_move(self, deal: int) -> int:
        """The number of a deal's first move at the table, not in the record; deals count from 0."""
        return max(self.deal_starts[deal], self.given)

    def _add(self, frames: Frames) -> None:
        self.total += 1
        if frames:
            self.frames.append({seat: _to_json(frame) for seat, frame in frames.items()})

    def frames_for(self, seat: int | None, after: int) -> tuple[int, list[dict[str, Any]]]:
        """(index of the first frame, frames): the cached frames of an onlooker from `after` on."""
        oldest = self.total - len(self.frames)
        first = min(max(after, oldest), self.total)
        return first, [
            json.loads(frames[seat]) for frames in islice(self.frames, first - oldest, None)
        ]


_to_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_cache: OrderedDict[str, CachedMatch] = OrderedDict()
_lock = threading.Lock()


def position_of(table: Table) -> Match:
    """A copy of the table's match. RecordError: see `cached_match`."""
    cached = cached_match(table)
    with cached.lock:
        return cached.match.copy()


def cached_match(table: Table, onlookers: tuple[int | None, ...] = ()) -> CachedMatch:
    """The match of a table with at least the moves of `table`; hold its `lock` to read it.

    `onlookers`: the seats that need frames; None is a spectator. RecordError if the moves are
    illegal by the rules of this program.
    """
    with _lock:
        cached = _cache.get(table.key)
        if cached is not None:
            _cache.move_to_end(table.key)
    if cached is not None:
        with cached.lock:
            if set(onlookers) <= set(cached.onlookers):
                _catch_up(cached, table)
                return cached
            onlookers = (*cached.onlookers, *onlookers)
    cached = _build(table, onlookers)
    with _lock:
        _cache[table.key] = cached
        while len(_cache) > MAX_MATCHES:
            _cache.popitem(last=False)
    return cached


def clear() -> None:
    """Empty the cache."""
    with _lock:
        _cache.clear()


def moves_of(table: Table, first: int = 0) -> list[str]:
    """The moves of `table` from number `first` on."""
    rows = TableMove.objects.filter(table=table.pk, n__gte=first, n__lt=table.moves)
    return list(rows.order_by("n").values_list("move", flat=True))


def _build(table: Table, onlookers: tuple[int | None, ...]) -> CachedMatch:
    cached = CachedMatch(table)
    cached.onlookers = onlookers
    moves = moves_of(table)
    with _record_errors(table):
        cached.append(moves, without_frames=max(0, len(moves) - MAX_FRAMES))
        cached.add_opening_frame()
    return cached


def _catch_up(cached: CachedMatch, table: Table) -> None:
    """Append the moves that the cached match lacks. It may be ahead of an older `table`."""
    count = len(cached.match.moves)
    if count < table.moves:
        with _record_errors(table):
            cached.append(moves_of(table, count))


@contextmanager
def _record_errors(table: Table) -> Iterator[None]:
    """Turn IllegalMove into RecordError: the table began under other rules."""
    try:
        yield
    except IllegalMove as error:
        clear()  # some of the moves may have been appended
        raise RecordError(
            f"This table began under version {table.rules} of the rules, "
            f"and its moves are illegal under the current version: {error}"
        ) from error
