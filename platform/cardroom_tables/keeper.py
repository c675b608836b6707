"""Keep bots seated while people think, within the host's memory budget.

Memory is counted between decisions, when no clock runs. If all seats exceed
`CARDROOM_TABLE_MEMORY_MB`, bots of tables that wait for people are closed first, beginning with
those that have waited longest; then all bots of the playing table except the one to move. Closed
bots are seated again when needed, so only time is lost.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from bots.referee.table_seats import TableSeats, keys_to_free
from bots.sandbox import Limits
from bots.sandbox.process_stats import machine_kib
from cardroom_tables.match_cache import moves_of
from cardroom_tables.models import Table
from engine import IllegalMove

MAX_IDLE_TABLES: Final = 8
"""Maximum number of tables whose bots stay seated while people think; a bot takes about 15 MB."""
MAX_IDLE_SECONDS: Final = 60.0
"""Seconds for which bots stay seated without a turn."""
SEAT_KIB: Final = Limits().wall_mib << 10
"""The memory limit of one seat."""


def budget_kib() -> int:
    """The budget of all seats of a host: the setting, or a quarter of the machine's memory."""
    setting_mb: int | None = settings.TABLE_MEMORY_MB
    return machine_kib() // 4 if setting_mb is None else setting_mb << 10


@dataclass
class TableBots:
    """The bots of one table, and their `Table.seating`."""

    seats: TableSeats
    seating: int
    since: float = 0.0
    """The monotonic time of their last use, in seconds."""
    held_kib: int = 0
    """Their memory while they are idle."""


class SeatKeeper:
    """Bots that stay seated, the timer that closes them, and the sum of all seats' memory."""

    def __init__(self) -> None:
        self._idle: OrderedDict[str, TableBots] = OrderedDict()
        self._playing: dict[TableSeats, int] = {}
        """KiB of the bots that threads use now."""
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    # --- idle bots ------------------------------------------------------------------------------

    def take(self, table: Table) -> TableBots | None:
        """Remove and return a table's idle bots at its present position; None unless they have its
        present seating and moves."""
        with self._lock:
            table_bots = self._idle.pop(table.key, None)
        if table_bots is None:
            return None
        if table_bots.seating == table.seating and self._catch_up(table_bots, table):
            return table_bots
        table_bots.seats.close()
        return None

    def _catch_up(self, table_bots: TableBots, table: Table) -> bool:
        try:
            table_bots.seats.follow(moves_of(table, table_bots.seats.played))
        except IllegalMove:  # one of its own moves was not stored; another one was
            return False
        return table_bots.seats.played == table.moves

    def put(self, table: Table, table_bots: TableBots) -> None:
        """Pause the bots and keep them for a while."""
        table_bots.seats.pause_all()
        table_bots.since = time.monotonic()
        table_bots.held_kib = table_bots.seats.held_kib()
        with self._lock:
            evicted = [old] if (old := self._idle.pop(table.key, None)) else []
            self._idle[table.key] = table_bots
            self._playing.pop(table_bots.seats, None)
            while len(self._idle) > MAX_IDLE_TABLES:
                evicted.append(self._idle.popitem(last=False)[1])
            evicted += self._evict()
            self._set_timer()
        for old_bots in evicted:
            old_bots.seats.close()

    def close_idle(self, seconds: float = 0.0) -> None:
        """Close the bots that have been idle for at least `seconds`."""
        oldest_allowed = time.monotonic() - seconds
        with self._lock:
            keys = [
                key for key, table_bots in self._idle.items() if table_bots.since <= oldest_allowed
            ]
            closing = [self._idle.pop(key) for key in keys]
            self._set_timer()
        for table_bots in closing:
            table_bots.seats.close()

    def _set_timer(self) -> None:
        """Set the timer for the next bots to close, or cancel it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._idle:
            oldest = min(table_bots.since for table_bots in self._idle.values())
            wait = max(0.1, oldest + MAX_IDLE_SECONDS - time.monotonic() + 0.05)
            self._timer = threading.Timer(wait, self.close_idle, args=(MAX_IDLE_SECONDS,))
            self._timer.daemon = True
            self._timer.start()

    def __len__(self) -> int:
        return len(self._idle)

    # --- memory of all seats --------------------------------------------------------------------

    @contextmanager
    def count_memory(self, seats: TableSeats) -> Iterator[None]:
        """Count the memory of the bots that this thread uses in the block."""
        with self._lock:
            self._playing[seats] = 0
        try:
            yield
        finally:
            with self._lock:
                self._playing.pop(seats, None)

    def free_seats(self) -> int:
        """The number of seats that still fit even if each grows to its limit; at least 1."""
        with self._lock:
            return max(1, -self._excess() // SEAT_KIB)

    def make_room(self, seats: TableSeats) -> None:
        """Close bots if memory runs short. Call this before a bot of `seats` decides."""
        held_kib = seats.held_kib()
        with self._lock:
            self._playing[seats] = held_kib
            evicted = self._evict()
            excess = self._excess()
        for table_bots in evicted:
            table_bots.seats.close()
        if excess > 0:
            seats.free_memory(excess)

    def _evict(self) -> list[TableBots]:
        """Remove idle bots above the budget, the oldest first; the caller closes them."""
        sizes = {key: table_bots.held_kib for key, table_bots in self._idle.items()}
        return [self._idle.pop(key) for key in keys_to_free(sizes, self._excess())]

    def _excess(self) -> int:
        """KiB by which all seats exceed the budget; negative if they are below it."""
        idle_kib = sum(table_bots.held_kib for table_bots in self._idle.values())
        return idle_kib + sum(self._playing.values()) - budget_kib()


keeper = SeatKeeper()
