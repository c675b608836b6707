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
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from cardroom_tables.models import Table, TableMove
from engine import Format, IllegalMove, Match, RecordError
from engine.frames import Frames, opening_frames, play_with_frames

KEPT: Final = 64
"""Matches in the cache of a process: a few hundred kilobytes each."""
WINDOW: Final = 64
"""Number of frames cached for each onlooker; a page that needs more begins with these."""


class CachedMatch:
    """A match so far, and its latest frames for some onlookers."""

    def __init__(self, table: Table) -> None:
        self.key = table.key
        self.match = Match(parsed(table.format), seed=table.seed)
        self.onlookers: tuple[int | None, ...] = ()
        self.frames: deque[dict[int | None, str]] = deque(maxlen=WINDOW)
        """As JSON, which needs a tenth of the memory."""
        self.total = 0
        self.scores: list[list[int]] = []
        """By finished deal: the scores after it, by side."""
        self.deal_starts = [0]
        """By deal: the number of its first move."""
        self.given = table.given
        self.lock = threading.Lock()

    def grow(self, moves: Iterable[str], *, unseen: int = 0) -> None:
        """Append moves; frames are computed for all but the first `unseen`."""
        for number, move in enumerate(moves):
            watching = self.onlookers if number >= unseen else ()
            if not self.total:
                self._add(opening_frames(self.match, watching))
            self._play(move, watching)

    def _play(self, move: str, watching: tuple[int | None, ...]) -> None:
        before = len(self.scores)
        new_frames = play_with_frames(self.match, move, watching)
        if len(self.match.deals_since(before)) > 0:
            self.scores.append(self.match.scores)
            self.deal_starts.append(len(self.match.moves))
        for frames in new_frames:
            self._add(frames)

    def open(self) -> None:
        """Add the frame before the first move if there is no frame."""
        if not self.total:
            self._add(opening_frames(self.match, self.onlookers))

    def first_here(self, deal: int) -> int:
        """The number of the first move of a deal (from 0) that was played at the table."""
        return max(self.deal_starts[deal], self.given)

    def _add(self, frames: Frames) -> None:
        self.total += 1
        if frames:
            self.frames.append({seat: _packed(frame) for seat, frame in frames.items()})

    def frames_for(self, seat: int | None, after: int) -> tuple[int, list[dict[str, Any]]]:
        """(index of the first frame, frames of an onlooker from `after` on), as far as cached."""
        oldest = self.total - len(self.frames)
        first = min(max(after, oldest), self.total)
        return first, [
            json.loads(frames[seat]) for frames in islice(self.frames, first - oldest, None)
        ]


_packed = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_kept: OrderedDict[str, CachedMatch] = OrderedDict()
_lock = threading.Lock()


def position(table: Table) -> Match:
    """A copy of the table's match. RecordError: see `cached_match`."""
    course = cached_match(table)
    with course.lock:
        return course.match.copy()


def cached_match(table: Table, onlookers: tuple[int | None, ...] = ()) -> CachedMatch:
    """The match of a table with at least the moves of `table`; hold its `lock` to read it.

    `onlookers`: the seats that need frames; None is a spectator. RecordError if the moves are
    illegal by the rules of this program.
    """
    with _lock:
        course = _kept.get(table.key)
        if course is not None:
            _kept.move_to_end(table.key)
    if course is not None:
        with course.lock:
            if set(onlookers) <= set(course.onlookers):
                _catch_up(course, table)
                return course
            onlookers = (*course.onlookers, *onlookers)
    course = _build(table, onlookers)
    with _lock:
        _kept[table.key] = course
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return course


def forget() -> None:
    """Empty the cache."""
    with _lock:
        _kept.clear()


def moves_of(table: Table, first: int = 0) -> list[str]:
    """The moves of `table` from number `first` on."""
    rows = TableMove.objects.filter(table=table.pk, n__gte=first, n__lt=table.moves)
    return list(rows.order_by("n").values_list("move", flat=True))


def _build(table: Table, onlookers: tuple[int | None, ...]) -> CachedMatch:
    course = CachedMatch(table)
    course.onlookers = onlookers
    moves = moves_of(table)
    with _record_errors(table):
        course.grow(moves, unseen=max(0, len(moves) - WINDOW))
        course.open()
    return course


def _catch_up(course: CachedMatch, table: Table) -> None:
    """Append the new moves; with an older `table` the match may be ahead of it."""
    count = len(course.match.moves)
    if count < table.moves:
        with _record_errors(table):
            course.grow(moves_of(table, count))


@lru_cache(maxsize=256)
def parsed(format_text: str) -> Format:
    return Format.parse(format_text)


@contextmanager
def _record_errors(table: Table) -> Iterator[None]:
    """Raise IllegalMove as RecordError: the table began under other rules."""
    try:
        yield
    except IllegalMove as error:
        forget()  # some of the moves may have been appended
        raise RecordError(
            f"This table was begun by version {table.rules} of the rules, "
            f"and its moves do not follow here: {error}"
        ) from error
