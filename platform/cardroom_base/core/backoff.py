"""The delay before failed work is retried; it doubles with each failure."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

FIRST_SECONDS: Final = 5.0
LONGEST_SECONDS: Final = 300.0
BRIEF: Final = timedelta(seconds=2)
"""Delay after a failure that does not count, so that another machine can take the work first."""


def delay(failures: int) -> timedelta:
    """The delay after this number of failures; zero without failures."""
    if failures <= 0:
        return timedelta()
    doubled = FIRST_SECONDS * 2.0 ** min(failures - 1, 10)  # the limit applies well before this
    return timedelta(seconds=min(LONGEST_SECONDS, doubled))
