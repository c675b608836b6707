"""Share a worker's time between matches and requested analyses."""

from __future__ import annotations

from typing import Final

PART: Final = 0.1
"""The share of each process's time that requested analyses get."""
PIECE: Final = 1.0
"""Seconds owed before an analysis interrupts the matches."""
MOST: Final = 10.0
"""Maximum seconds owed; the rest is forfeited."""


class Allowance:
    """Seconds that a process owes to requested analyses. Pure: the caller passes the time."""

    def __init__(self) -> None:
        self._owed = PIECE
        self._counted: float | None = None

    def due(self, now: float) -> float:
        """Seconds to spend now; 0 while less than a piece is owed."""
        since = now if self._counted is None else self._counted
        self._counted = now
        self._owed = min(MOST, self._owed + PART * (now - since))
        return self._owed if self._owed >= PIECE else 0.0

    def spend(self, seconds: float) -> None:
        """Subtract the time spent; overspending is balanced later."""
        self._owed -= seconds

    def forgo(self) -> None:
        """No analysis waits: limit the debt to one piece."""
        self._owed = min(self._owed, PIECE)

    def settle(self) -> None:
        """No match waits, so analyses get all the time: nothing is owed."""
        self._owed = min(self._owed, 0.0)
