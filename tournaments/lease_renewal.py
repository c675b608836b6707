"""Renew leases, write live moves and give back matches while the referee plays."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from django.conf import settings
from django.db import Error, connection

from bots.referee.clock import ClockSettings
from bots.sandbox import unpin
from cardroom_base.db import database
from tournaments.actions import attempts, live_moves
from tournaments.models import Attempt

log = logging.getLogger(__name__)

GRACE_SECONDS: Final = 120.0
"""Added to the clocks' limits: a referee without progress for longer is considered hung."""
LIVE_SECONDS: Final = 1.0
"""Interval at which live moves are written. Matches shorter than twice this are not shown live."""

_HELD_UP: Final = "The match before it in its batch took long, so the worker gave it back."


class LeaseLost(Exception):  # noqa: N818 - what happened, not an error of this worker
    """The match has been given to another worker, or will not be played."""


class GivenBack(LeaseLost):
    """`Leases.share` gave the match back before it began."""


class _CurrentMatch:
    """The moves that the referee has reported of the current match."""

    def __init__(self, attempt: int, match: int) -> None:
        self.attempt = attempt
        self.match = match
        self.from_ = time.monotonic() + 2 * LIVE_SECONDS
        self.played = 0
        self.written = 0
        self.unwritten: list[str] = []
        """New moves; the referee's thread appends them, and the thread of `Leases` removes them."""


class Leases:
    """Renews the leases of a batch from its own thread while the referee makes progress."""

    def __init__(
        self, claimed: Sequence[Attempt], on_hang: Callable[[], None] | None = None
    ) -> None:
        """`on_hang` is called from the thread if the referee hangs."""
        self._on_hang = on_hang
        self._held = {attempt.pk for attempt in claimed}
        self._lost: set[int] = set()
        self._given_back: set[int] = set()
        self._unreleased: set[int] = set()
        """Attempts that were given back but are still to be closed in the database."""
        self._lock = threading.Lock()
        """Held to begin a match, and to give back the matches after it."""
        self._current: _CurrentMatch | None = None
        self._timeout = 0.0
        self._deadline = time.monotonic() + GRACE_SECONDS
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def __enter__(self) -> Leases:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def at(self, attempt: int, match: int, clock: ClockSettings) -> None:
        """Report that the batch has reached this match; LeaseLost if it need not be played."""
        with self._lock:
            if attempt in self._given_back:
                raise GivenBack
            if attempt in self._lost:
                raise LeaseLost
            self._current = _CurrentMatch(attempt, match)
        self._timeout = (clock.move_ms + clock.bank_ms) / 1000 + GRACE_SECONDS
        self.progress(attempt, 0, [])

    def progress(self, attempt: int, moves: int, fresh: Sequence[str]) -> None:
        """Report the number of moves so far and the new ones; LeaseLost if the match need not be
        finished."""
        if attempt in self._lost:
            raise LeaseLost
        if self._current is not None:
            self._current.played = moves
            self._current.unwritten.extend(fresh)
        self._deadline = time.monotonic() + self._timeout

    def done(self, attempt: int) -> None:
        """Stop renewing this attempt's lease."""
        self._held.discard(attempt)
        self._current = None

    def _run(self) -> None:
        unpin()  # leave the referee's core to the referee
        next_beat = time.monotonic() + settings.HEARTBEAT_SECONDS
        while not self._stop.wait(min(settings.HEARTBEAT_SECONDS, LIVE_SECONDS)):
            self.show()
            self.share()
            if time.monotonic() < next_beat:
                continue
            next_beat = time.monotonic() + settings.HEARTBEAT_SECONDS
            if time.monotonic() > self._deadline:
                at = self._current
                log.error(
                    "The referee makes no progress; its leases are no longer renewed.",
                    extra={"match": at.match, "attempt": at.attempt} if at else None,
                )
                if self._on_hang is not None:
                    self._on_hang()
                break
            self.renew()
        connection.close()

    def show(self) -> None:
        """Write the new moves for spectators."""
        current = self._current
        if current is None or not current.unwritten or time.monotonic() < current.from_:
            return
        moves = list(current.unwritten)
        try:
            live_moves.append_moves(current.attempt, current.match, current.written, moves)
        except Error as error:  # the match can be played without it
            log.warning("Moves are not shown for now. %s", database.away_text(error))
            database.drop_connection()
            return
        current.written += len(moves)
        del current.unwritten[: len(moves)]

    def share(self) -> None:
        """If the current match takes long, give back those after it: other workers may be idle."""
        with self._lock:
            current = self._current
            if current is not None and time.monotonic() >= current.from_:
                unbegun = self._held - self._lost - {current.attempt}
                self._held -= unbegun
                self._given_back |= unbegun
                self._unreleased |= unbegun
        if not self._unreleased:
            return
        try:
            attempts.release_attempts(sorted(self._unreleased), _HELD_UP)
        except Error as error:  # tried again; finally their leases expire
            log.warning("Matches are not given back. %s", database.away_text(error))
            database.drop_connection()
        else:
            log.info("%d matches are given back: %s", len(self._unreleased), _HELD_UP)
            self._unreleased.clear()

    def renew(self) -> None:
        """Renew the leases now, and note the lost ones."""
        held = set(self._held)
        current = self._current
        try:
            renewed = attempts.heartbeat(held, {current.match: current.played} if current else None)
        except Error as error:  # play on: storing the result will show whether the lease was lost
            log.warning("The leases are not renewed. %s", database.away_text(error))
            database.drop_connection()
        else:
            self._lost |= held - renewed
