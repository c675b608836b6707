"""Play the bots of a table until a person is to move.

A host holds a table's lease only while a bot is to move. The bots stay seated, stopped, for about a
minute (`keeper`). After a loss they are seated again from the moves. `serving` chooses the table.
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
from cardroom_tables.keeper import Seated, keeper
from cardroom_tables.match_cache import parsed, position
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import names_of, seats_of
from engine import RecordError

log = logging.getLogger(__name__)

RENEW_SECONDS: Final = 5.0
SLICE_SECONDS: Final = 5.0
"""Seconds after which a table whose bots still move gives its thread to other tables."""
TRIES: Final = 2
"""Immediate tries after a failure of the platform; later the sweep retries."""


class WorkStopped(BaseException):
    """The work must stop. A BaseException, so that nothing handles it as a failure."""


def stop_if_draining() -> None:
    """Raise WorkStopped if this process is draining."""
    if drain.draining():
        raise WorkStopped


def lease_renewer(renew: Callable[[], bool]) -> Callable[[], None]:
    """A function to call often during leased work, which renews the lease every few seconds.

    It raises WorkStopped if the lease is lost or this process is draining.
    """
    renewed = time.monotonic()

    def look() -> None:
        nonlocal renewed
        stop_if_draining()
        if time.monotonic() - renewed > RENEW_SECONDS:
            renewed = time.monotonic()
            if not renew():
                raise WorkStopped

    return look


@contextmanager
def holding(job: Job) -> Iterator[Callable[[], None]]:
    """Yield a `lease_renewer`; an unfinished job is given back, and a failed one retried."""
    try:
        yield lease_renewer(job.renew)
    except Exception:
        job.retry()
        raise
    except BaseException:
        job.give_back()
        raise


class Slice:
    """The time for which a table may use a thread."""

    def __init__(self) -> None:
        self._until = time.monotonic() + SLICE_SECONDS
        self.used_up = False
        """Whether the slice ended before the turn of the bots did."""

    def over(self) -> bool:
        """Whether to serve another table next, even if this one has more to do."""
        self.used_up = time.monotonic() >= self._until
        return self.used_up


_sandbox: Sandbox | None = None
_sandbox_lock = threading.Lock()


def sandbox() -> Sandbox:
    """The sandbox of this process; without isolation it runs only house bots."""
    global _sandbox
    with _sandbox_lock:
        if _sandbox is None:
            isolation = detect()
            trusted = isolation.level == "none"
            if trusted:
                log.error("No sandbox here: only house bots are played. %s", isolation.reason)
            _sandbox = Sandbox(trusted=trusted, warm=settings.WARM_SANDBOXES)
        return _sandbox


def close() -> None:
    """Close all seats and the sandbox."""
    global _sandbox
    keeper.free()
    with _sandbox_lock:
        if _sandbox is not None:
            _sandbox.close()
            _sandbox = None


def play_bots(table: int, time_slice: Slice | None = None) -> int:
    """Play the bots of a table until a person is to move, or the slice is used up; returns the
    number of moves stored.

    Does nothing if another host plays the table, or no bot is to move.
    """
    own = thread_name()
    row = hosting.take(table, own)
    if row is None:
        return 0
    stored = 0
    for attempt in range(1, TRIES + 1):
        turn = _BotTurns(row, own, time_slice)
        try:
            stored += turn.play()
        except WorkStopped:
            hosting.release(row, own)
        except RecordError as error:
            hosting.release(row, own, trouble=str(error))
        except (RefereeError, SandboxUnavailable) as error:
            log.warning("The bots of table %s cannot be played: %s", row.key, error)
            unlucky = error.seat if isinstance(error, RefereeError) else None
            if attempt < TRIES and unlucky is None and hosting.renew(row, own):
                stored += turn.stored
                row = turn.table
                continue
            seat = -1 if unlucky is None else unlucky
            hosting.release(row, own, trouble=_trouble_text(error), unlucky=seat)
        except BaseException:
            hosting.release(row, own)
            raise
        break
    return stored


class _BotTurns:
    """The bots' moves at a table up to a person's move."""

    def __init__(self, table: Table, own: str, time_slice: Slice | None) -> None:
        self.table = table
        self.own = own
        self.stored = 0
        self.seated: Seated | None = None
        self._slice = time_slice
        self._counted = ExitStack()
        self._look = lease_renewer(lambda: hosting.renew(self.table, own))

    def play(self) -> int:
        """Play the moves; return the number stored. On success the bots stay seated."""
        try:
            while self.table.bots_turn:
                if self._slice and self.stored and self._slice.over():
                    hosting.release(self.table, self.own)
                    break
                seated = self._seats()
                number = seated.seats.played
                keeper.make_room(seated.seats)
                played = seated.seats.decide()
                after = hosting.store_move(self.table, self.own, played, seated.seats.match, number)
                if after is None:  # the lease is lost, so the move does not count
                    return self.stored
                self.table = after
                self.stored += 1
            self._keep()
        finally:
            self._close()
        return self.stored

    def _seats(self) -> Seated:
        """The bots of the current seating, either cached or newly seated."""
        if self.seated is not None and self.seated.seating == self.table.seating:
            return self.seated
        self._close()
        self.seated = keeper.take(self.table) or Seated(
            seat_table_bots(self.table, seats_of(self.table)), self.table.seating
        )
        seats = self.seated.seats
        self._counted.enter_context(keeper.counted(seats))
        seats.on_poll = self._look
        if not seats.opened:
            seats.open(sandbox_for(self.table), parallel=keeper.room())
        return self.seated

    def _close(self) -> None:
        seated, self.seated = self.seated, None
        if seated is not None:
            seated.seats.close()
        self._counted.close()

    def _keep(self) -> None:
        if self.seated is not None and not self.table.over:
            keeper.put(self.table, self.seated)
            self.seated = None


def seat_table_bots(table: Table, seats: list[TableSeat]) -> TableSeats:
    """The bots of a table at its position, not started yet."""
    fmt = parsed(table.format)
    bots = {
        seat.index: SeatedBot(seat.bot, package_of(seat))
        for seat in seats
        if seat.kind == TableSeat.Kind.BOT
    }
    faulty = [fault["seat"] for fault in table.faults]
    bot_seats = TableSeats(position(table), names_of(fmt, seats), bots, table.rng, faulty=faulty)
    bot_seats.unlucky = frozenset(table.unlucky)
    return bot_seats


def package_of(seat: TableSeat) -> Package:
    """The package of a seat's bot: that of its version, or of this program's house bot."""
    if seat.version is not None:
        return package_store.fetch(seat.version.package_id)
    return house.load(seat.bot.removeprefix(HOUSE))


def sandbox_for(table: Table) -> SandboxLike:
    """The sandbox of a table's bots; SandboxUnavailable for users' bots without isolation."""
    shared = sandbox()
    strangers = table.seats.filter(kind=TableSeat.Kind.BOT).exclude(bot__startswith=HOUSE)
    if shared.trusted and strangers.exists():
        raise SandboxUnavailable("This machine has no sandbox for bots of others.")
    return shared


def _trouble_text(error: Exception) -> str:
    return f"The bots cannot play now; the host retries every few seconds. ({error})"
