"""The part of a worker's time that goes to awaited analyses while matches wait."""

from __future__ import annotations

from typing import Final

PART: Final = 0.1
"""Of the time of every process."""
PIECE: Final = 1.0
"""Seconds that are worth an interruption of the matches."""
MOST: Final = 10.0
"""Seconds of analysing that matches wait for at most; what a longer match adds is forfeited."""


class Allowance:
    """Seconds that a process owes to awaited analyses. Pure: the caller says what time it is."""

    def __init__(self) -> None:
        self._owed = PIECE
        self._counted: float | None = None

    def due(self, now: float) -> float:
        """Seconds to spend at once; 0 as long as less than a piece is owed."""
        since = now if self._counted is None else self._counted
        self._counted = now
        self._owed = min(MOST, self._owed + PART * (now - since))
        return self._owed if self._owed >= PIECE else 0.0

    def spend(self, seconds: float) -> None:
        """Analysing took so long; what was too much is made up for later."""
        self._owed -= seconds

    def forgo(self) -> None:
        """No analysis was there to take it: the next one gets a piece at once, and no more."""
        self._owed = min(self._owed, PIECE)

    def settle(self) -> None:
        """No match was waiting, so that analyses had all of the time: nothing is owed."""
        self._owed = min(self._owed, 0.0)
