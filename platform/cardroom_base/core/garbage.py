"""The garbage collector of programs that compute for long."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLD: Final = 10_000
"""New objects, less those freed, until the youngest are looked through; Python's own is 700."""


def collect_seldom() -> None:
    """Look through new objects less often: of what a starting program loads, nothing is garbage."""
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])


def settle() -> None:
    """Leave what is loaded by now to no collection, and look through new objects less often.

    Call it once a program has loaded its long-lived objects, before it forks. Objects outside
    reference cycles are freed immediately as before.
    """
    gc.freeze()
    collect_seldom()
