"""Settings of the garbage collector for programs with long computations."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLD: Final = 10_000
"""Net allocations between collections of the youngest generation; Python's default is 700."""


def collect_less_often() -> None:
    """Collect less often, because the data that a program loads at its start is not garbage."""
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])


def freeze_current_objects() -> None:
    """Exempt all current objects from collection, and collect new ones less often.

    Call this after a program has loaded its permanent data, and before it forks. Python still frees
    objects without cycles immediately.
    """
    gc.freeze()
    collect_less_often()
