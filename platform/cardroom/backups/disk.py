"""Flushing files to the disk, and reporting the progress of long work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

Say = Callable[[str], None]
"""A function that prints a line for people."""
PROGRESS_SECONDS: Final = 5.0
"""Seconds between two reports of progress."""


def sync_to_disk(path: Path) -> None:
    """Make the kernel write a file, or the entries of a folder, to the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def size(count: int) -> str:
    """A size in megabytes, for people."""
    return f"{count / 1e6:,.1f} MB"


class ProgressReporter:
    """Reports progress every `PROGRESS_SECONDS`."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._next = time.monotonic() + PROGRESS_SECONDS

    def report(self, text: str) -> None:
        """Print the text, unless a line was printed a moment ago."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PROGRESS_SECONDS
            self._say(text)
