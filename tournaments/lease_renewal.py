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
from cardroom_base.db.jobs import LeaseLost
from tournaments.actions import attempts, live_moves
from tournaments.models import Attempt

log = logging.getLogger(__name__)

GRACE_SECONDS: Final = 120.0
"""Added to the clocks' limits: a referee without progress for longer is considered hung."""
LIVE_SECONDS: Final = 1.0
"""Interval at which live moves are written. Matches shorter than twice this are not shown live."""

_HELD_UP: Final = "The match before it in its batch took long, so the worker gave it back."


class GivenBack(LeaseLost):
    """`Leases.give_back_unbegun` gave the match back."""


class _CurrentMatch:
    """The current match and the moves that the referee has reported."""

    def __init__(self, attempt: int, match: int) -> None:
        self.attempt = attempt
        self.match = match
        self.live_from = time.monotonic() + 2 * LIVE_SECONDS
        self.moves_played = 0
        self.moves_written = 0
        self.unwritten_moves: list[str] = []
        """The referee's thread appends moves, and the thread of `Leases` removes them."""


class Leases:
    """Renews the leases of a batch from its own thread while the referee makes progress."""

    def __init__(
        self, claimed: Sequence[Attempt], on_hang: Callable[[], None] | None = None
    ) -> None:
        """`on_hang` is called from the thread if the referee hangs."""
        self._on_hang = on_hang
        self._held_attempts = {attempt.pk for attempt in claimed}
        self._lost_attempts: set[int] = set()
        self._given_back_attempts: set[int] = set()
        self._unreleased_attempts: set[int] = set()
        """Attempts that were given back but are not yet closed in the database."""
        self._lock = threading.Lock()
        """Guards against a match that begins while it is given back."""
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

    def begin_match(self, attempt: int, match: int, clock: ClockSettings) -> None:
        """Note that this match begins; LeaseLost if it need not be played."""
        with self._lock:
            if attempt in self._given_back_attempts:
                raise GivenBack
            if attempt in self._lost_attempts:
                raise LeaseLost
            self._current = _CurrentMatch(attempt, match)
        self._timeout = (clock.move_ms + clock.bank_ms) / 1000 + GRACE_SECONDS
        self.report_progress(attempt, 0, [])

    def report_progress(self, attempt: int, moves: int, new_moves: Sequence[str]) -> None:
        """Note the number of moves so far and the new moves; LeaseLost if the match need not be
        finished."""
        if attempt in self._lost_attempts:
            raise LeaseLost
        if self._current is not None:
            self._current.moves_played = moves
            self._current.unwritten_moves.extend(new_moves)
        self._deadline = time.monotonic() + self._timeout

    def finish_match(self, attempt: int) -> None:
        """Stop renewing this attempt's lease."""
        self._held_attempts.discard(attempt)
        self._current = None

    def _run(self) -> None:
        unpin()  # leave the referee's core to the referee
        next_beat = time.monotonic() + settings.HEARTBEAT_SECONDS
        while not self._stop.wait(min(settings.HEARTBEAT_SECONDS, LIVE_SECONDS)):
            self.write_live_moves()
            self.give_back_unbegun()
            if time.monotonic() < next_beat:
                continue
            next_beat = time.monotonic() + settings.HEARTBEAT_SECONDS
            if time.monotonic() > self._deadline:
                current = self._current
                log.error(
                    "The referee makes no progress; its leases are no longer renewed.",
                    extra={"match": current.match, "attempt": current.attempt} if current else None,
                )
                if self._on_hang is not None:
                    self._on_hang()
                break
            self.renew()
        connection.close()

    def write_live_moves(self) -> None:
        """Write the new moves for spectators."""
        current = self._current
        if current is None or not current.unwritten_moves or time.monotonic() < current.live_from:
            return
        new_moves = list(current.unwritten_moves)
        try:
            live_moves.append_moves(
                current.attempt, current.match, current.moves_written, new_moves
            )
        except Error as error:  # the match can be played without it
            log.warning("Moves are not shown for now. %s", database.unavailable_text(error))
            database.drop_connection()
            return
        current.moves_written += len(new_moves)
        del current.unwritten_moves[: len(new_moves)]

    def give_back_unbegun(self) -> None:
        """If the current match takes long, give back the matches after it for idle workers."""
        with self._lock:
            current = self._current
            if current is not None and time.monotonic() >= current.live_from:
                unbegun = self._held_attempts - self._lost_attempts - {current.attempt}
                self._held_attempts -= unbegun
                self._given_back_attempts |= unbegun
                self._unreleased_attempts |= unbegun
        if not self._unreleased_attempts:
            return
        try:
            attempts.release_attempts(sorted(self._unreleased_attempts), _HELD_UP)
        except Error as error:  # the next beat tries again; at last the leases expire
            log.warning("Matches are not given back. %s", database.unavailable_text(error))
            database.drop_connection()
        else:
            log.info("%d matches are given back: %s", len(self._unreleased_attempts), _HELD_UP)
            self._unreleased_attempts.clear()

    def renew(self) -> None:
        """Renew the leases and note the lost ones."""
        held = set(self._held_attempts)
        current = self._current
        try:
            moves_played = {current.match: current.moves_played} if current else None
            renewed = attempts.heartbeat(held, moves_played)
        except Error as error:  # play on: storing the result will show whether the lease was lost
            log.warning("The leases are not renewed. %s", database.unavailable_text(error))
            database.drop_connection()
        else:
            self._lost_attempts |= held - renewed
