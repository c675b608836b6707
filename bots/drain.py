"""Draining: a worker takes no more work, ends what is short, and gives the rest back in time.

The worker's first process says so, by `begin`, in memory that it shares with the processes it
forked; these look there before they take work, between matches, and every few milliseconds while
a bot thinks. So nothing is ever interrupted where it would hurt: no signal handler raises into a
database call. Nothing here knows Django or Celery.
"""

from __future__ import annotations

import mmap
import time

SLICE_SECONDS = 0.2
"""How often somebody who rests looks up."""

_shared = memoryview(mmap.mmap(-1, 8)).cast("d")
"""When the time is over, by the clock that all processes of a machine share; 0: not draining."""


class Stopped(BaseException):
    """What was being done is to be given back; the text says why.

    Not an `Exception`: nobody on the way must take it for a failure.
    """


def begin(seconds: float) -> None:
    """Take no more work, and end what there is within so many seconds; a second call changes
    nothing but may shorten the time."""
    until = time.monotonic() + seconds
    _shared[0] = min(_shared[0] or until, until)


def resume() -> None:
    """Take work again."""
    _shared[0] = 0.0


def draining() -> bool:
    """Whether no more work is to be taken."""
    return _shared[0] > 0.0


def over() -> bool:
    """Whether what is still being done is to be given back now."""
    return 0.0 < _shared[0] <= time.monotonic()


def look() -> None:
    """Stopped when the time is over; for whoever does something long."""
    if over():
        raise Stopped("The worker takes no more work, and this did not end in time; given back.")


def rest(seconds: float) -> bool:
    """Sleep for so long, or until no more work is to be taken: then True."""
    until = time.monotonic() + seconds
    while not draining():
        left = until - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, SLICE_SECONDS))
    return True
