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
"""Seconds between two checks of a sleeping process."""

_deadlines = memoryview(mmap.mmap(-1, 16)).cast("d")
"""The end of the drain that staff requested, and of the drain before the worker stops: monotonic
times, which all processes share; 0 without such a drain."""


class Stopped(BaseException):
    """The current work must be given back; the text is the reason.

    Not an `Exception`, so that no caller mistakes it for a failure of the work.
    """


def begin(seconds: float, *, stops: bool = False) -> None:
    """Take no more work, and finish the current work within `seconds`. A second call can only
    shorten the time. `stops`: the worker stops afterwards, so `resume` does not undo this call."""
    deadline = time.monotonic() + seconds
    _deadlines[stops] = min(_deadlines[stops] or deadline, deadline)


def resume() -> None:
    """Take work again, unless the worker stops."""
    _deadlines[0] = 0.0


def draining() -> bool:
    """Whether the worker must take no more work."""
    return any(_deadlines)


def stopping() -> bool:
    """Whether the worker drains because it stops."""
    return _deadlines[1] > 0.0


def is_time_up() -> bool:
    """Whether unfinished work must be given back now."""
    now = time.monotonic()
    return 0.0 < _deadlines[0] <= now or 0.0 < _deadlines[1] <= now


def stop_if_time_is_up() -> None:
    """Raise Stopped if the time is up. Long work calls this often."""
    if is_time_up():
        raise Stopped("The worker is draining; this work did not finish in time and is given back.")


def sleep(seconds: float) -> bool:
    """Sleep until `seconds` have passed or the worker drains; return whether it drains."""
    end = time.monotonic() + seconds
    while not draining():
        remaining = end - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(remaining, SLICE_SECONDS))
    return True
