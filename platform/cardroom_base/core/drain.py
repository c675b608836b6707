"""Draining: a worker takes no more work, finishes what is short, and gives back the rest in time.

The worker's first process begins it (`begin`), in memory that it shares with the processes it
forked. These look there before they take work, between matches, and every few milliseconds while
a bot thinks. So nothing is interrupted where it would hurt: no signal handler raises into a
database call. Nothing here knows Django or Celery.
"""

from __future__ import annotations

import mmap
import time

SLICE_SECONDS = 0.2
"""How often a resting process looks."""

_shared = memoryview(mmap.mmap(-1, 8)).cast("d")
"""When the time is up, by the clock that all processes of a machine share; 0: not draining."""


class Stopped(BaseException):
    """The work in hand has to be given back; the text says why.

    Not an `Exception`: no caller on the way may take it for a failure.
    """


def begin(seconds: float) -> None:
    """Take no more work and finish current work within `seconds`. A second call can only shorten
    that time."""
    until = time.monotonic() + seconds
    _shared[0] = min(_shared[0] or until, until)


def resume() -> None:
    """Take work again."""
    _shared[0] = 0.0


def draining() -> bool:
    """Whether to take no more work."""
    return _shared[0] > 0.0


def over() -> bool:
    """Whether to give back now what is still unfinished."""
    return 0.0 < _shared[0] <= time.monotonic()


def look() -> None:
    """Raise Stopped when the time is up; for code that does something long."""
    if over():
        raise Stopped("The worker takes no more work, and this did not finish in time; given back.")


def rest(seconds: float) -> bool:
    """Sleep for `seconds`, or until draining begins; True if it has begun."""
    until = time.monotonic() + seconds
    while not draining():
        remaining = until - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(remaining, SLICE_SECONDS))
    return True
