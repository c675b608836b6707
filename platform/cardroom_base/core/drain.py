"""Draining: a worker takes no more work, finishes short work, and gives back the rest in time.

The worker's first process begins draining (`begin`), in memory that it shares with its forks. They
check that memory before they take work, between matches, and every few milliseconds while a bot
thinks. This way no signal handler raises inside a database call. This module uses neither Django
nor Celery.
"""

from __future__ import annotations

import mmap
import time

SLICE_SECONDS = 0.2
"""Seconds between two checks of a resting process."""

_ends = memoryview(mmap.mmap(-1, 16)).cast("d")
"""The ends of the drain that staff requested and of the last one, before the worker stops, on the
monotonic clock; 0: none. Processes share it."""


class Stopped(BaseException):
    """The current work has to be given back; the text is the reason.

    Not an `Exception`, so that no caller mistakes it for a failure of the work.
    """


def begin(seconds: float, *, stops: bool = False) -> None:
    """Take no more work, and finish the current work within this many seconds. A second call can
    only shorten the time. `stops`: `resume` does not undo it, because the worker stops."""
    until = time.monotonic() + seconds
    _ends[stops] = min(_ends[stops] or until, until)


def resume() -> None:
    """Take work again, unless the worker stops."""
    _ends[0] = 0.0


def draining() -> bool:
    """Whether the worker must take no more work."""
    return any(_ends)


def stopping() -> bool:
    """Whether the worker drains because it stops."""
    return _ends[1] > 0.0


def over() -> bool:
    """Whether unfinished work must be given back now."""
    now = time.monotonic()
    return 0.0 < _ends[0] <= now or 0.0 < _ends[1] <= now


def stop_if_over() -> None:
    """Raise Stopped when the time is up; long work calls this often."""
    if over():
        raise Stopped(
            "The worker takes no more work; this did not finish in time and is given back."
        )


def rest(seconds: float) -> bool:
    """Sleep for this many seconds, or until the worker drains; then return True."""
    until = time.monotonic() + seconds
    while not draining():
        remaining = until - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(remaining, SLICE_SECONDS))
    return True
