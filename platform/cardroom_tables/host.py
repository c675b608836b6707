"""Play the bots of a table until a person is to move.

A host is a process that runs the bots of tables. It holds a table's lease only while a bot is to
move. Between their turns the bots stay seated for about a minute, but paused (`keeper`). Closed
bots are started again with the moves so far. `serving` chooses the table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from django.conf import settings

from bots import package_store
from bots.package.package import Package
from bots.referee import house
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import RefereeError, SeatedBot
from bots.referee.table_seats import TableSeats
from bots.sandbox import Sandbox, SandboxUnavailable, detect
from cardroom_base.core import drain
from cardroom_base.core.names import HOUSE
from cardroom_base.db.jobs import Job, thread_name
from cardroom_tables.actions import hosting
from cardroom_tables.keeper import TableBots, keeper
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import fault_of, names_of, seats_of
from engine import Format, RecordError

log = logging.getLogger(__name__)

RENEW_SECONDS: Final = 5.0
SLICE_SECONDS: Final = 5.0
"""Seconds after which a table whose bots still move gives its thread to other tables."""
MAX_TRIES: Final = 2
"""Tries in a row when the platform fails; later the sweep retries."""


class WorkStopped(BaseException):
    """The work must stop. Not an `Exception`, so that no caller mistakes it for a failure."""


def stop_if_draining() -> None:
    """Raise WorkStopped if this process is draining."""
    if drain.draining():
        raise WorkStopped


def lease_renewer(renew: Callable[[], bool]) -> Callable[[], None]:
    """A function that renews the lease every few seconds; leased work calls it often.

    It raises WorkStopped if the lease is lost or this process is draining.
    """
    renewed_at = time.monotonic()

    def renew_if_due() -> None:
        nonlocal renewed_at
        stop_if_draining()
        if time.monotonic() - renewed_at > RENEW_SECONDS:
            renewed_at = time.monotonic()
            if not renew():
                raise WorkStopped

    return renew_if_due


@contextmanager
def hold_job(job: Job) -> Iterator[Callable[[], None]]:
    """Yield a `lease_renewer`. Retry the job if the block fails; give it back if it is stopped."""
    try:
        yield lease_renewer(job.renew)
    except Exception:
        job.retry()
        raise
    except BaseException:
        job.give_back()
        raise


class TimeSlice:
    """The time for which a table may use a thread."""

    def __init__(self) -> None:
        self._until = time.monotonic() + SLICE_SECONDS
        self.used_up = False
        """Whether the slice ended while bots were still to move."""

    def over(self) -> bool:
        """Whether to serve another table next, even if bots are still to move here."""
        self.used_up = time.monotonic() >= self._until
        return self.used_up


_sandbox: Sandbox | None = None
_sandbox_lock = threading.Lock()


def shared_sandbox() -> Sandbox:
    """The sandbox of this process; without isolation it runs only house bots."""
    global _sandbox
    with _sandbox_lock:
        if _sandbox is None:
            isolation = detect()
            trusted = isolation.level == "none"
            if trusted:
                log.error("No sandbox here: only house bots play. %s", isolation.reason)
            _sandbox = Sandbox(trusted=trusted, warm=settings.WARM_SANDBOXES)
        return _sandbox


def close() -> None:
    """Close all seats and the sandbox."""
    global _sandbox
    keeper.close_idle()
    with _sandbox_lock:
        if _sandbox is not None:
            _sandbox.close()
            _sandbox = None


def play_bots(table: int, time_slice: TimeSlice | None = None) -> int:
    """Play the bots of a table until a person is to move, or the slice is used up; returns the
    number of moves stored.

    Does nothing if another host plays the table, or no bot is to move.
    """
    host = thread_name()
    row = hosting.take(table, host)
    if row is None:
        return 0
    stored = 0
    for attempt in range(1, MAX_TRIES + 1):
        turn = _BotTurns(row, host, time_slice)
        try:
            stored += turn.play()
        except WorkStopped:
            hosting.release(row, host)
        except RecordError as error:
            hosting.release(row, host, trouble=str(error))
        except (RefereeError, SandboxUnavailable) as error:
            log.warning("The bots of table %s cannot be played: %s", row.key, error)
            killed_seat = error.seat if isinstance(error, RefereeError) else None
            if attempt < MAX_TRIES and killed_seat is None and hosting.renew(row, host):
                stored += turn.stored
                row = turn.table
                continue
            seat = -1 if killed_seat is None else killed_seat
            hosting.release(row, host, trouble=_trouble_text(error), unlucky=seat)
        except BaseException:
            hosting.release(row, host)
            raise
        break
    return stored


class _BotTurns:
    """The bots' moves at a table up to a person's move."""

    def __init__(self, table: Table, host: str, time_slice: TimeSlice | None) -> None:
        self.table = table
        self.host = host
        self.stored = 0
        self.table_bots: TableBots | None = None
        self._slice = time_slice
        self._memory_count = ExitStack()
        self._renew_if_due = lease_renewer(lambda: hosting.renew(self.table, host))

    def play(self) -> int:
        """Play the moves; return the number stored. On success the bots stay seated."""
        try:
            while self.table.bots_turn:
                if self._slice and self.stored and self._slice.over():
                    hosting.release(self.table, self.host)
                    break
                table_bots = self._seat_bots()
                number = table_bots.seats.played
                keeper.make_room(table_bots.seats)
                bot_move = table_bots.seats.decide()
                row = hosting.store_move(
                    self.table, self.host, bot_move, table_bots.seats.match, number
                )
                if row is None:  # the lease is lost, so the move does not count
                    return self.stored
                self.table = row
                self.stored += 1
            self._keep()
        finally:
            self._close()
        return self.stored

    def _seat_bots(self) -> TableBots:
        """The bots of the current seating, either cached or newly seated."""
        if self.table_bots is not None and self.table_bots.seating == self.table.seating:
            return self.table_bots
        self._close()
        self.table_bots = keeper.take(self.table) or TableBots(
            seat_table_bots(self.table, seats_of(self.table)), self.table.seating
        )
        seats = self.table_bots.seats
        self._memory_count.enter_context(keeper.count_memory(seats))
        seats.on_poll = self._renew_if_due
        if not seats.opened:
            seats.open(sandbox_for(self.table), parallel=keeper.free_seats())
        return self.table_bots

    def _close(self) -> None:
        table_bots, self.table_bots = self.table_bots, None
        if table_bots is not None:
            table_bots.seats.close()
        self._memory_count.close()

    def _keep(self) -> None:
        if self.table_bots is not None and not self.table.over:
            keeper.put(self.table, self.table_bots)
            self.table_bots = None


def seat_table_bots(table: Table, seats: list[TableSeat]) -> TableSeats:
    """The bots of a table at its position, not started yet."""
    fmt = Format.parse(table.format)
    bots = {
        seat.index: SeatedBot(seat.bot, package_of(seat))
        for seat in seats
        if seat.kind == TableSeat.Kind.BOT
    }
    faulty = [seat.index for seat in seats if fault_of(table, seat) is not None]
    bot_seats = TableSeats(position_of(table), names_of(fmt, seats), bots, table.rng, faulty=faulty)
    bot_seats.unlucky = frozenset(table.unlucky)
    return bot_seats


def package_of(seat: TableSeat) -> Package:
    """The package of a seat's bot: that of its version, or of this program's house bot."""
    if seat.version is not None:
        return package_store.fetch(seat.version.package_id)
    return house.load(seat.bot.removeprefix(HOUSE))


def sandbox_for(table: Table) -> SandboxLike:
    """The sandbox for a table's bots; SandboxUnavailable if users' bots would lack isolation."""
    shared = shared_sandbox()
    user_bots = table.seats.filter(kind=TableSeat.Kind.BOT).exclude(bot__startswith=HOUSE)
    if shared.trusted and user_bots.exists():
        raise SandboxUnavailable("This machine has no sandbox for users' bots.")
    return shared


def _trouble_text(error: Exception) -> str:
    return f"The bots cannot play now; the host retries every few seconds. ({error})"
