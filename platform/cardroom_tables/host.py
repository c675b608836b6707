"""Plays the bots of one table: their turn, then back to waiting.

A host holds a table's lease only while a bot is to move. Its bots stay seated, stopped, for a
little while (`keeper`): people answer within a minute or not so soon. Whatever it forgets, or takes
with it when it is killed, is made anew from the moves. Which table is next, `serving` decides.
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
from bots.referee.outcome import Player, RefereeError
from bots.referee.table_seats import TableSeats
from bots.sandbox import Sandbox, SandboxUnavailable, detect
from cardroom_base.core import drain
from cardroom_base.core.names import HOUSE
from cardroom_base.db.jobs import Job, own_name
from cardroom_tables.actions import hosting
from cardroom_tables.keeper import Seated, keeper
from cardroom_tables.match_cache import parsed, position
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import names_of, seats_of
from engine import RecordError

log = logging.getLogger(__name__)

RENEW_SECONDS: Final = 5.0
SLICE_SECONDS: Final = 5.0
"""After so long a table that goes on with bots leaves its thread to others that wait."""
TRIES: Final = 2
"""A failure of the platform's is tried once more at once, then left to the sweep."""


class Stopped(BaseException):
    """What is being asked is not wanted any more; nobody on the way may take it for a failure."""


def heed_the_end() -> None:
    """Stopped where this process is to end: what it does is announced again."""
    if drain.draining():
        raise Stopped


def look_for(renew: Callable[[], bool]) -> Callable[[], None]:
    """A function to call often during leased work: it renews the lease from time to time.

    Stopped where the lease is lost, or this process is to end.
    """
    renewed = time.monotonic()

    def look() -> None:
        nonlocal renewed
        heed_the_end()
        if time.monotonic() - renewed > RENEW_SECONDS:
            renewed = time.monotonic()
            if not renew():
                raise Stopped

    return look


@contextmanager
def holding(job: Job) -> Iterator[Callable[[], None]]:
    """For the block, what `look_for` makes; a job that is not done is given back, or rests after a
    failure."""
    try:
        yield look_for(job.renew)
    except Exception:
        job.retry()
        raise
    except BaseException:
        job.give_back()
        raise


class Slice:
    """The time for which a table has a thread."""

    def __init__(self) -> None:
        self._until = time.monotonic() + SLICE_SECONDS
        self.used_up = False
        """Whether the bots had more to do."""

    def over(self) -> bool:
        """Whether somebody else is next, though the bots of this table go on."""
        self.used_up = time.monotonic() >= self._until
        return self.used_up


_sandbox: Sandbox | None = None
_sandbox_lock = threading.Lock()


def sandbox() -> Sandbox:
    """This process's sandbox, made when first asked for; without isolation for house bots only."""
    global _sandbox
    with _sandbox_lock:
        if _sandbox is None:
            isolation = detect()
            trusted = isolation.level == "none"
            if trusted:
                log.error("No sandbox here: only house bots are played. %s", isolation.reason)
            _sandbox = Sandbox(trusted=trusted, warm=settings.WARM_SANDBOXES)
        return _sandbox


def leave() -> None:
    """Close everything."""
    global _sandbox
    keeper.free()
    with _sandbox_lock:
        if _sandbox is not None:
            _sandbox.close()
            _sandbox = None


def play_bots(table: int, time_slice: Slice | None = None) -> int:
    """Play the bots of a table until a person is to move, or the slice is used up; how many moves
    were stored.

    Nothing is done where another host does it, or nothing is to be done.
    """
    own = own_name()
    taken = hosting.take(table, own)
    if taken is None:
        return 0
    stored = 0
    for attempt in range(1, TRIES + 1):
        turn = _Turn(taken, own, time_slice)
        try:
            stored += turn.play()
        except Stopped:
            hosting.release(taken, own)
        except RecordError as error:
            hosting.release(taken, own, trouble=str(error))
        except (RefereeError, SandboxUnavailable) as error:
            log.warning("The bots of table %s cannot be played: %s", taken.key, error)
            unlucky = error.seat if isinstance(error, RefereeError) else None
            if attempt < TRIES and unlucky is None and hosting.renew(taken, own):
                stored += turn.stored
                taken = turn.table
                continue
            seat = -1 if unlucky is None else unlucky
            hosting.release(taken, own, trouble=_in_words(error), unlucky=seat)
        except BaseException:
            hosting.release(taken, own)
            raise
        break
    return stored


class _Turn:
    """The bots' moves of one table up to a person's."""

    def __init__(self, table: Table, own: str, time_slice: Slice | None) -> None:
        self.table = table
        self.own = own
        self.stored = 0
        self.seated: Seated | None = None
        self._slice = time_slice
        self._counted = ExitStack()
        self._look = look_for(lambda: hosting.renew(self.table, own))

    def play(self) -> int:
        """Play; how many moves were stored. The bots stay seated if all went well."""
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
                if after is None:  # the lease is lost: what was played here is not so
                    return self.stored
                self.table = after
                self.stored += 1
            self._keep()
        finally:
            self._close()
        return self.stored

    def _seats(self) -> Seated:
        """The bots as they are to sit now: kept, or seated anew."""
        if self.seated is not None and self.seated.seating == self.table.seating:
            return self.seated
        self._close()
        self.seated = keeper.take(self.table) or Seated(
            seated_anew(self.table, seats_of(self.table)), self.table.seating
        )
        seats = self.seated.seats
        self._counted.enter_context(keeper.counted(seats))
        seats.on_look = self._look
        if not seats.opened:
            seats.open(sandbox_for(self.table), at_once=keeper.room())
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


def seated_anew(table: Table, seats: list[TableSeat]) -> TableSeats:
    """The bots of a table, not yet started, at its position."""
    fmt = parsed(table.format)
    bots = {
        seat.index: Player(seat.bot, package_of(seat))
        for seat in seats
        if seat.kind == TableSeat.Kind.BOT
    }
    faulty = [fault["seat"] for fault in table.faults]
    made = TableSeats(position(table), names_of(fmt, seats), bots, table.rng, faulty=faulty)
    made.unlucky = frozenset(table.unlucky)
    return made


def package_of(seat: TableSeat) -> Package:
    """What a bot's seat runs: its version, or the house bot of this program."""
    if seat.version is not None:
        return package_store.fetch(seat.version.package_id)
    return house.load(seat.bot.removeprefix(HOUSE))


def sandbox_for(table: Table) -> SandboxLike:
    """Where the bots of a table run; SandboxUnavailable for others' where nothing walls in."""
    made = sandbox()
    strangers = table.seats.filter(kind=TableSeat.Kind.BOT).exclude(bot__startswith=HOUSE)
    if made.trusted and strangers.exists():
        raise SandboxUnavailable("This machine has no sandbox for bots of others.")
    return made


def _in_words(error: Exception) -> str:
    return f"The bots cannot play now; it is tried again every few seconds. ({error})"
