"""Settings of the garbage collector for programs that compute for long."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLD: Final = 10_000
"""Net allocations between collections of the youngest generation; Python's default is 700."""


def collect_seldom() -> None:
    """Collect less often, because nothing that a starting program loads is garbage."""
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])


def settle() -> None:
    """Exempt all current objects from collection, and collect new ones less often.

    Call this after a program has loaded its permanent data, and before it forks. Objects that are
    in no cycle are still freed immediately.
    """
    gc.freeze()
    collect_seldom()
