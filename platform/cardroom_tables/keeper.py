"""The seats of a host: which bots stay seated while people think, and how much memory all may hold.

Memory is counted between decisions, when nobody's clock runs. Where all seats together hold more
than `CARDROOM_TABLE_MEMORY_MB`, bots whose tables wait for people are closed first, those that were
asked longest ago before others; then, of the table that is being played, all but the one to be
asked. They are seated anew when they are asked again, so nothing is lost but time.
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

from bots.referee.table_seats import TableSeats, first_over
from bots.sandbox import Limits
from bots.sandbox.accounts import machine_kib
from cardroom_tables.match_cache import moves_of
from cardroom_tables.models import Table
from engine import IllegalMove

KEPT_TABLES: Final = 8
"""Tables whose bots stay seated while people think: about 15 MB a bot."""
KEPT_SECONDS: Final = 60.0
"""So long they stay without a turn."""
SEAT_KIB: Final = Limits().wall_mib << 10
"""What one seat may hold at most."""


def budget_kib() -> int:
    """What all seats of a host may hold: as it is set, or a quarter of the machine's memory."""
    set_mb: int | None = settings.TABLE_MEMORY_MB
    return machine_kib() // 4 if set_mb is None else set_mb << 10


@dataclass
class Seated:
    """The bots of one table, and for which seating they sit."""

    seats: TableSeats
    seating: int
    since: float = 0.0
    """When they were last asked, by this machine's clock."""
    held_kib: int = 0
    """What they hold while they rest."""


class SeatKeeper:
    """Bots that stay seated, the timer that frees them, and the sum of all seats' memory."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Seated] = OrderedDict()
        self._playing: dict[TableSeats, int] = {}
        """KiB of the bots that a thread has now."""
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    # --- bots that rest -------------------------------------------------------------------------

    def take(self, table: Table) -> Seated | None:
        """The bots of a table, as far as they sit for it as it stands; nobody else has them."""
        with self._lock:
            found = self._kept.pop(table.key, None)
        if found is None:
            return None
        if found.seating == table.seating and self._caught_up(found, table):
            return found
        found.seats.close()
        return None

    def _caught_up(self, found: Seated, table: Table) -> bool:
        try:
            found.seats.follow(moves_of(table, found.seats.played))
        except IllegalMove:  # one of its own moves was not stored, and another came instead
            return False
        return found.seats.played == table.moves

    def put(self, table: Table, seated: Seated) -> None:
        """Keep them for a while, stopped."""
        seated.seats.rest()
        seated.since = time.monotonic()
        seated.held_kib = seated.seats.held_kib()
        with self._lock:
            crowd = [old] if (old := self._kept.pop(table.key, None)) else []
            self._kept[table.key] = seated
            self._playing.pop(seated.seats, None)
            while len(self._kept) > KEPT_TABLES:
                crowd.append(self._kept.popitem(last=False)[1])
            crowd += self._over()
            self._arm()
        for each in crowd:
            each.seats.close()

    def free(self, older: float = 0.0) -> None:
        """Close those that were not asked for so many seconds."""
        until = time.monotonic() - older
        with self._lock:
            over = [key for key, each in self._kept.items() if each.since <= until]
            closing = [self._kept.pop(key) for key in over]
            self._arm()
        for each in closing:
            each.seats.close()

    def _arm(self) -> None:
        """One timer while there is something to free; none otherwise."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._kept:
            oldest = min(each.since for each in self._kept.values())
            wait = max(0.1, oldest + KEPT_SECONDS - time.monotonic() + 0.05)
            self._timer = threading.Timer(wait, self.free, args=(KEPT_SECONDS,))
            self._timer.daemon = True
            self._timer.start()

    def __len__(self) -> int:
        return len(self._kept)

    # --- memory of all seats --------------------------------------------------------------------

    @contextmanager
    def counted(self, seats: TableSeats) -> Iterator[None]:
        """Count bots that this thread has, from before they are opened until they rest or end."""
        with self._lock:
            self._playing[seats] = 0
        try:
            yield
        finally:
            with self._lock:
                self._playing.pop(seats, None)

    def room(self) -> int:
        """How many further seats would fit if each grew to its limit; one always may."""
        with self._lock:
            return max(1, -self._excess() // SEAT_KIB)

    def make_room(self, seats: TableSeats) -> None:
        """Before a bot of `seats` is asked: close what must be closed."""
        held_kib = seats.held_kib()
        with self._lock:
            self._playing[seats] = held_kib
            crowd = self._over()
            excess = self._excess()
        for each in crowd:
            each.seats.close()
        if excess > 0:
            seats.shrink(excess)

    def _over(self) -> list[Seated]:
        """Take out of what is kept what must go, the oldest first; for who closes it."""
        sizes = {key: each.held_kib for key, each in self._kept.items()}
        return [self._kept.pop(key) for key in first_over(sizes, self._excess())]

    def _excess(self) -> int:
        """How many KiB all seats hold above the budget; negative: what is left."""
        resting = sum(each.held_kib for each in self._kept.values())
        return resting + sum(self._playing.values()) - budget_kib()


keeper = SeatKeeper()
