"""Keep bots seated while people think, within the host's memory budget.

Memory is counted between decisions, when no clock runs. If all seats exceed
`CARDROOM_TABLE_MEMORY_MB`, bots of tables that wait for people are closed first, the least recently
used before others; then all bots of the playing table except the one to move. Closed bots are
seated again when needed, so only time is lost.
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

KEPT_TABLES: Final = 8
"""Tables whose bots stay seated while people think: about 15 MB per bot."""
KEPT_SECONDS: Final = 60.0
"""Time for which bots stay seated without a turn."""
SEAT_KIB: Final = Limits().wall_mib << 10
"""The memory limit of one seat."""


def budget_kib() -> int:
    """The budget of all seats of a host: the setting, or a quarter of the machine's memory."""
    set_mb: int | None = settings.TABLE_MEMORY_MB
    return machine_kib() // 4 if set_mb is None else set_mb << 10


@dataclass
class Seated:
    """The bots of one table, and their `Table.seating`."""

    seats: TableSeats
    seating: int
    since: float = 0.0
    """When they were last used, by this machine's clock."""
    held_kib: int = 0
    """Their memory while they rest."""


class SeatKeeper:
    """Bots that stay seated, the timer that frees them, and the sum of all seats' memory."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Seated] = OrderedDict()
        self._playing: dict[TableSeats, int] = {}
        """KiB of the bots that threads use now."""
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    # --- bots that rest -------------------------------------------------------------------------

    def take(self, table: Table) -> Seated | None:
        """Remove and return the bots of a table, if they have its present seating and position."""
        with self._lock:
            seated = self._kept.pop(table.key, None)
        if seated is None:
            return None
        if seated.seating == table.seating and self._caught_up(seated, table):
            return seated
        seated.seats.close()
        return None

    def _caught_up(self, seated: Seated, table: Table) -> bool:
        try:
            seated.seats.follow(moves_of(table, seated.seats.played))
        except IllegalMove:  # one of its own moves was not stored; another one was
            return False
        return seated.seats.played == table.moves

    def put(self, table: Table, seated: Seated) -> None:
        """Stop the bots and keep them for a while."""
        seated.seats.freeze_all()
        seated.since = time.monotonic()
        seated.held_kib = seated.seats.held_kib()
        with self._lock:
            crowd = [old] if (old := self._kept.pop(table.key, None)) else []
            self._kept[table.key] = seated
            self._playing.pop(seated.seats, None)
            while len(self._kept) > KEPT_TABLES:
                crowd.append(self._kept.popitem(last=False)[1])
            crowd += self._evict()
            self._set_timer()
        for old_seated in crowd:
            old_seated.seats.close()

    def free(self, older: float = 0.0) -> None:
        """Close the bots that were not used for this many seconds."""
        until = time.monotonic() - older
        with self._lock:
            over = [key for key, seated in self._kept.items() if seated.since <= until]
            closing = [self._kept.pop(key) for key in over]
            self._set_timer()
        for seated in closing:
            seated.seats.close()

    def _set_timer(self) -> None:
        """Set the timer for the next bots to free, or cancel it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._kept:
            oldest = min(seated.since for seated in self._kept.values())
            wait = max(0.1, oldest + KEPT_SECONDS - time.monotonic() + 0.05)
            self._timer = threading.Timer(wait, self.free, args=(KEPT_SECONDS,))
            self._timer.daemon = True
            self._timer.start()

    def __len__(self) -> int:
        return len(self._kept)

    # --- memory of all seats --------------------------------------------------------------------

    @contextmanager
    def counted(self, seats: TableSeats) -> Iterator[None]:
        """Count the memory of bots that this thread uses, until they rest or end."""
        with self._lock:
            self._playing[seats] = 0
        try:
            yield
        finally:
            with self._lock:
                self._playing.pop(seats, None)

    def room(self) -> int:
        """The number of further seats that fit even if each grows to its limit; at least 1."""
        with self._lock:
            return max(1, -self._excess() // SEAT_KIB)

    def make_room(self, seats: TableSeats) -> None:
        """Close bots if memory runs short; call it before asking a bot of `seats`."""
        held_kib = seats.held_kib()
        with self._lock:
            self._playing[seats] = held_kib
            crowd = self._evict()
            excess = self._excess()
        for seated in crowd:
            seated.seats.close()
        if excess > 0:
            seats.free_memory(excess)

    def _evict(self) -> list[Seated]:
        """Remove resting bots above the budget, the oldest first; the caller closes them."""
        sizes = {key: seated.held_kib for key, seated in self._kept.items()}
        return [self._kept.pop(key) for key in keys_to_free(sizes, self._excess())]

    def _excess(self) -> int:
        """KiB of all seats above the budget; negative if below."""
        resting = sum(seated.held_kib for seated in self._kept.values())
        return resting + sum(self._playing.values()) - budget_kib()


keeper = SeatKeeper()
