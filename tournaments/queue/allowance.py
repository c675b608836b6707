"""Share a worker's time between matches and requested analyses."""

from __future__ import annotations

from typing import Final

SHARE: Final = 0.1
"""The share of each process's time that requested analyses get."""
PIECE: Final = 1.0
"""Seconds owed before an analysis interrupts the matches."""
MAX_OWED: Final = 10.0
"""Maximum seconds owed; the rest is forfeited."""


class Allowance:
    """Seconds that a process owes to requested analyses. Pure: the caller passes the time."""

    def __init__(self) -> None:
        self._owed = PIECE
        self._last_time: float | None = None

    def seconds_due(self, now: float) -> float:
        """Seconds to spend now; 0 while less than a piece is owed."""
        last_time = now if self._last_time is None else self._last_time
        self._last_time = now
        self._owed = min(MAX_OWED, self._owed + SHARE * (now - last_time))
        return self._owed if self._owed >= PIECE else 0.0

    def spend(self, seconds: float) -> None:
        """Subtract the time spent; overspending is balanced later."""
        self._owed -= seconds

    def cap_debt(self) -> None:
        """Limit the debt to one piece, because no analysis waits."""
        self._owed = min(self._owed, PIECE)

    def clear_debt(self) -> None:
        """Set the debt to 0, because no match waits and analyses get all the time."""
        self._owed = min(self._owed, 0.0)
