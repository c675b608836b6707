"""The clock of a seat: time for each move, then a bank for the whole match.

A decision is free up to `move_ms`; what it takes beyond that is drawn from the seat's bank. When
the bank is empty the seat has lost on time. What counts is wall time less the time that the kernel
kept the bot waiting for a processor, so that a busy machine never makes a bot lose.
"""

from __future__ import annotations

from dataclasses import dataclass

from bots.fields import WholeNumber

NS_PER_MS = 1_000_000
"""Clocks count in nanoseconds inside and in milliseconds outside."""
MOVE_MS = WholeNumber("The free time of a move", 1, 3_600_000, "milliseconds")
BANK_MS = WholeNumber("The time bank of a match", 0, 36_000_000, "milliseconds")
"""The range of each number of a clock."""


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The time control of a match; FieldError where a number is out of range."""

    move_ms: int = 1_000
    """Free time of each decision, in milliseconds."""
    bank_ms: int = 20_000
    """Extra time for the whole match, in milliseconds."""

    def __post_init__(self) -> None:
        MOVE_MS.checked(self.move_ms, "move_ms")
        BANK_MS.checked(self.bank_ms, "bank_ms")

    def as_json(self) -> dict[str, int]:
        """As in the `start` line."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms}


class Clock:
    """What one seat has left. All times in nanoseconds unless the name says otherwise."""

    __slots__ = ("bank_ns", "move_ns", "used_ns")

    def __init__(self, settings: ClockSettings) -> None:
        self.move_ns = settings.move_ms * NS_PER_MS
        self.bank_ns = settings.bank_ms * NS_PER_MS
        self.used_ns = 0

    @property
    def budget_ns(self) -> int:
        """The longest that the next decision may take."""
        return self.move_ns + self.bank_ns

    @property
    def bank_ms(self) -> int:
        """What is left in the bank, in whole milliseconds rounded down."""
        return self.bank_ns // NS_PER_MS

    def charge(self, spent_ns: int) -> bool:
        """Book a decision; False when it took more than there was (the bank is then empty)."""
        self.used_ns += spent_ns
        over = spent_ns - self.move_ns
        if over <= 0:
            return True
        self.bank_ns -= over
        if self.bank_ns >= 0:
            return True
        self.bank_ns = 0
        return False


def charged_ns(wall_ns: int, delay_ns: int, cpu_ns: int) -> int:
    """What a decision costs: wall time less run delay, but at least the processor time it used.

    A bot with many threads makes its own threads wait for each other; counting at least the
    processor time keeps it from hiding work behind that delay. Never more than the wall time.
    """
    return min(wall_ns, max(wall_ns - delay_ns, cpu_ns, 0))
