"""Run a host's work in threads: tables, hints, comparisons, opinions.

Messages only queue work (`submit`). `FairQueue` chooses the next piece of work so that neither a
person nor an author can take all threads. A host that stops announces its unfinished work again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from django.conf import settings
from django.db import close_old_connections, connections

from cardroom_base.core import drain
from cardroom_base.core.names import HOUSE
from cardroom_base.db import database
from cardroom_tables import comparing, hinting, host, judging
from cardroom_tables.fair_queue import FairQueue, Kind, Work
from cardroom_tables.models import Hint, Opinion, TableSeat
from cardroom_tables.overdue_work import announce_work

log = logging.getLogger(__name__)


class WorkPool:
    """Threads that do the submitted work in the order of `FairQueue`."""

    def __init__(self, threads: int, do: Callable[[Work], bool]) -> None:
        """`do` does a piece of work and returns whether to repeat it later."""
        self._queue = FairQueue(threads)
        self._count = threads
        self._do = do
        self._change = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def submit(self, work: Iterable[Work]) -> None:
        """Queue work. After `stop` it does not begin; `unstarted` returns it."""
        with self._change:
            for item in work:
                self._queue.add(item)
            if not (self._threads or self._stopped):
                self._threads = [
                    threading.Thread(target=self._run, name=f"seat {number}", daemon=True)
                    for number in range(self._count)
                ]
                for thread in self._threads:
                    thread.start()
            self._change.notify_all()

    def stop(self) -> None:
        """Begin no more work, and wait for the running work."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def unstarted(self) -> list[Work]:
        """The work that has not begun."""
        with self._change:
            return self._queue.waiting

    def _run(self) -> None:
        try:
            while (work := self._next()) is not None:
                repeat = False
                close_old_connections()
                try:
                    repeat = self._do(work)
                except Exception:
                    log.exception("The %s %d failed.", work.kind, work.key)
                finally:
                    close_old_connections()
                    self._done(work, repeat=repeat)
        finally:
            connections.close_all()

    def _next(self) -> Work | None:
        with self._change:
            while not (self._stopped or drain.draining()):
                if (work := self._queue.next()) is not None:
                    return work
                self._change.wait()
        return None

    def _done(self, work: Work, *, repeat: bool) -> None:
        with self._change:
            self._queue.done(work)
            if repeat:
                self._queue.add(work)
            self._change.notify_all()


@cache
def pool() -> WorkPool:
    """The threads of this process."""
    return WorkPool(settings.TABLE_WORKERS, do_work)


def do_work(work: Work) -> bool:
    """Do a piece of work; return whether to repeat it later."""
    repeat = False
    try:
        with database.skip_if_unavailable():  # the sweep retries it
            repeat = _DO[work.kind](work.key)
    except host.WorkStopped:
        repeat = True
    return repeat or drain.draining()


def _play(table: int) -> bool:
    time_slice = host.TimeSlice()
    host.play_bots(table, time_slice)
    return time_slice.used_up


def _hint(hint: int) -> bool:
    hinting.answer_hint(hint)
    return False


def _opinion(opinion: int) -> bool:
    judging.answer_opinion(opinion)
    return False


_DO: Final[dict[Kind, Callable[[int], bool]]] = {
    "table": _play,
    "hint": _hint,
    "comparison": comparing.compare_next,
    "opinion": _opinion,
}


# --- work -----------------------------------------------------------------------------------------


def submit(kind: Kind, keys: Iterable[int]) -> int:
    """Queue these tables, hints or opinions; return the number that exist."""
    work = work_of(kind, list(keys))
    pool().submit(work)
    return len(work)


def stop() -> None:
    """Stop, and announce unfinished work again for other hosts."""
    pool().stop()
    host.close()
    unfinished = pool().unstarted()
    with database.skip_if_unavailable():  # the sweep announces it
        for item in unfinished:
            announce_work(item.kind, [item.key])


def work_of(kind: Kind, keys: list[int]) -> list[Work]:
    """The work on these tables, hints or opinions, each with its waiting person and the authors of
    its bots."""
    if kind == "opinion":
        askers = Opinion.objects.filter(pk__in=keys).values_list("pk", "asker")
        return [Work(kind, key, asker) for key, asker in askers.order_by("pk")]
    tables = dict(zip(keys, keys, strict=True))
    if kind == "hint":
        tables = dict(Hint.objects.filter(pk__in=keys).values_list("pk", "table"))
    persons, authors = _people_of(set(tables.values()))
    return [
        Work(kind, key, persons[table], frozenset() if kind == "hint" else authors[table])
        for key, table in tables.items()
        if table in persons
    ]


def _people_of(tables: set[int]) -> tuple[dict[int, str], dict[int, frozenset[str]]]:
    """Two dicts by table: the person who created it, and the authors of its bots."""
    rows = TableSeat.objects.filter(table__in=tables).values_list(
        *("table", "table__maker", "index", "user", "guest"),
        *("kind", "bot", "version__bot__owner"),
    )
    persons: dict[int, str] = {}
    authors: dict[int, set[str]] = {}
    for table, maker, index, user, guest, kind, bot, owner in rows:
        names = authors.setdefault(table, set())
        if index == maker:
            persons[table] = f"account {user}" if user else f"guest {guest}"
        if kind == TableSeat.Kind.BOT and not bot.startswith(HOUSE):
            names.add(f"author {owner}" if owner else bot)
    return persons, {table: frozenset(names) for table, names in authors.items()}
