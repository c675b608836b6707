"""How long work that failed rests before it is tried again: longer each time."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

FIRST_SECONDS: Final = 5.0
"""After the first failure; twice as long after each further one."""
LONGEST_SECONDS: Final = 300.0
"""The longest, however many failures there were."""
BRIEF: Final = timedelta(seconds=2)
"""After a failure that does not count: long enough for another machine to be faster."""


def delay(failures: int) -> timedelta:
    """The pause after this number of failures; zero after none."""
    if failures <= 0:
        return timedelta()
    doubled = FIRST_SECONDS * 2.0 ** min(failures - 1, 10)  # beyond that it is the longest anyway
    return timedelta(seconds=min(LONGEST_SECONDS, doubled))
