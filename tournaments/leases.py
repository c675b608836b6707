"""What runs beside the referee: leases are renewed, and moves written for people who watch."""

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
"""On top of what the clocks allow: a longer silence means that the referee hangs."""
LIVE_SECONDS: Final = 1.0
"""How often moves are written for people who watch; a match that is over sooner than twice that is
not shown while it is played."""


class LeaseLost(Exception):  # noqa: N818 - what happened, not an error of this worker
    """The match has been given to another worker, or will not be played."""


class _Course:
    """The match in play, as far as the referee has told."""

    def __init__(self, attempt: int, match: int) -> None:
        self.attempt = attempt
        self.match = match
        self.from_ = time.monotonic() + 2 * LIVE_SECONDS
        self.played = 0
        self.written = 0
        self.waiting: list[str] = []
        """Moves that have not been written; the referee's thread appends, the other one removes."""


class Leases:
    """Renews the leases of a batch from its own thread, as long as the referee makes progress."""

    def __init__(
        self, claimed: Sequence[Attempt], on_hang: Callable[[], None] | None = None
    ) -> None:
        """`on_hang` is called, from the thread, when the referee makes no progress for too long."""
        self._on_hang = on_hang
        self._held = {attempt.pk for attempt in claimed}
        self._lost: set[int] = set()
        self._course: _Course | None = None
        self._patience = 0.0
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
        """The batch has reached this match."""
        if attempt in self._lost:
            raise LeaseLost
        self._patience = (clock.move_ms + clock.bank_ms) / 1000 + GRACE_SECONDS
        self._course = _Course(attempt, match)
        self.progress(attempt, 0, [])

    def progress(self, attempt: int, moves: int, fresh: Sequence[str]) -> None:
        """The referee has come this far, with these moves since the last time; LeaseLost when it
        need not go on."""
        if attempt in self._lost:
            raise LeaseLost
        if self._course is not None:
            self._course.played = moves
            self._course.waiting.extend(fresh)
        self._deadline = time.monotonic() + self._patience

    def done(self, attempt: int) -> None:
        """This match no longer needs a lease."""
        self._held.discard(attempt)
        self._course = None

    def _run(self) -> None:
        unpin()  # the referee's core is for the referee alone
        beat = time.monotonic() + settings.HEARTBEAT_SECONDS
        while not self._stop.wait(min(settings.HEARTBEAT_SECONDS, LIVE_SECONDS)):
            self.show()
            if time.monotonic() < beat:
                continue
            beat = time.monotonic() + settings.HEARTBEAT_SECONDS
            if time.monotonic() > self._deadline:
                log.error("The referee makes no progress; its leases are no longer renewed.")
                if self._on_hang is not None:
                    self._on_hang()
                break
            self.renew()
        connection.close()

    def show(self) -> None:
        """Write the moves that were made since the last time, for people who watch."""
        course = self._course
        if course is None or not course.waiting or time.monotonic() < course.from_:
            return
        moves = list(course.waiting)
        try:
            live_moves.append(course.attempt, course.match, course.written, moves)
        except Error as error:  # nobody plays worse without it
            log.warning("Moves are not shown for now. %s", database.in_words(error))
            database.leave()
            return
        course.written += len(moves)
        del course.waiting[: len(moves)]

    def renew(self) -> None:
        """Renew the leases now, and see which have been lost."""
        held = set(self._held)
        course = self._course
        try:
            kept = attempts.heartbeat(held, {course.match: course.played} if course else None)
        except Error as error:  # whatever it is, the match goes on: its result decides
            log.warning("The leases are not renewed. %s", database.in_words(error))
            database.leave()
        else:
            self._lost |= held - kept
