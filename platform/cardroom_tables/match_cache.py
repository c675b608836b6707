"""The matches of tables, made of their moves, and kept in memory while they grow.

A kept course only ever appends; the key of a table and the number of its moves say which it is, so
nothing kept can be wrong. What is not kept is made anew.
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
from engine import Format, IllegalMove, Match, RecordError, player_view
from engine.player_view import Frames

KEPT: Final = 64
"""Courses in the memory of a process: a few hundred kilobytes each."""
WINDOW: Final = 64
"""Frames of each onlooker that are kept. A page that lacks more of them begins with these."""


class CachedMatch:
    """One match as far as it has been played, and its last frames as some onlookers see them."""

    def __init__(self, table: Table) -> None:
        self.key = table.key
        self.match = Match(parsed(table.format), seed=table.seed)
        self.onlookers: tuple[int | None, ...] = ()
        self.frames: deque[dict[int | None, str]] = deque(maxlen=WINDOW)
        """As JSON, which needs a tenth of the memory."""
        self.total = 0
        self.scores: list[list[int]] = []
        """Of each deal that is over: by side, after it."""
        self.deal_starts = [0]
        """Of each deal: the number of its first move."""
        self.given = table.given
        self.lock = threading.Lock()

    def grow(self, moves: Iterable[str], *, unseen: int = 0) -> None:
        """Take moves in; frames are made for all but the first `unseen`."""
        for number, move in enumerate(moves):
            watching = self.onlookers if number >= unseen else ()
            if not self.total:
                self._add(player_view.opening(self.match, watching))
            self._play(move, watching)

    def _play(self, move: str, watching: tuple[int | None, ...]) -> None:
        before = len(self.scores)
        made = player_view.play(self.match, move, watching)
        if len(self.match.deals_since(before)) > 0:
            self.scores.append(self.match.scores)
            self.deal_starts.append(len(self.match.moves))
        for frames in made:
            self._add(frames)

    def open(self) -> None:
        """Have at least the frame before the first move."""
        if not self.total:
            self._add(player_view.opening(self.match, self.onlookers))

    def first_here(self, deal: int) -> int:
        """The number of the first move of a deal (from 0) that was played at the table."""
        return max(self.deal_starts[deal], self.given)

    def _add(self, frames: Frames) -> None:
        self.total += 1
        if frames:
            self.frames.append({seat: _packed(frame) for seat, frame in frames.items()})

    def frames_for(self, seat: int | None, after: int) -> tuple[int, list[dict[str, Any]]]:
        """The index of the first, and the frames of an onlooker from `after` on, if these are kept,
        else as many as are."""
        oldest = self.total - len(self.frames)
        first = min(max(after, oldest), self.total)
        return first, [json.loads(each[seat]) for each in islice(self.frames, first - oldest, None)]


_packed = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_kept: OrderedDict[str, CachedMatch] = OrderedDict()
_lock = threading.Lock()


def position(table: Table) -> Match:
    """The table's match as it stands, to do with as one likes. RecordError: see `course_of`."""
    course = course_of(table)
    with course.lock:
        return course.match.copy()


def course_of(table: Table, onlookers: tuple[int | None, ...] = ()) -> CachedMatch:
    """The course of a table, up to the moves that `table` knows; take its `lock` to read it.

    `onlookers`: seats, or None for who only watches, whose frames are wanted. RecordError where the
    moves do not follow by the rules of this program.
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
    course = _made(table, onlookers)
    with _lock:
        _kept[table.key] = course
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return course


def forget() -> None:
    """Keep none any more."""
    with _lock:
        _kept.clear()


def moves_of(table: Table, first: int = 0) -> list[str]:
    """The moves from number `first` on that `table` knows of."""
    rows = TableMove.objects.filter(table=table.pk, n__gte=first, n__lt=table.moves)
    return list(rows.order_by("n").values_list("move", flat=True))


def _made(table: Table, onlookers: tuple[int | None, ...]) -> CachedMatch:
    course = CachedMatch(table)
    course.onlookers = onlookers
    moves = moves_of(table)
    with _naming(table):
        course.grow(moves, unseen=max(0, len(moves) - WINDOW))
        course.open()
    return course


def _catch_up(course: CachedMatch, table: Table) -> None:
    """Append what has been played since; whoever asks with an older row sees what is newer."""
    known = len(course.match.moves)
    if known < table.moves:
        with _naming(table):
            course.grow(moves_of(table, known))


@lru_cache(maxsize=256)
def parsed(format_text: str) -> Format:
    """The format of this text."""
    return Format.parse(format_text)


@contextmanager
def _naming(table: Table) -> Iterator[None]:
    """IllegalMove as RecordError: a table that was begun by other rules."""
    try:
        yield
    except IllegalMove as error:
        forget()  # half of it may have been taken in
        raise RecordError(
            f"This table was begun by version {table.rules} of the rules, "
            f"and its moves do not follow here: {error}"
        ) from error
