"""The clock of a seat: time for each move, then a bank for the whole match.

A decision is free up to `move_ms`; time beyond that is drawn from the seat's bank. A seat exceeds
its time if a decision needs more than `move_ms` and the bank together. The time charged is the time
that the referee waited; for slow answers, the referee subtracts the time that the bot waited for a
processor, but charges at least the bot's processor time (`charged_ns`). So neither a busy machine
nor a paused one makes a bot lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic_ns
from typing import TYPE_CHECKING, Final, Protocol

from cardroom_base.core.fields import WholeNumber

if TYPE_CHECKING:
    from bots.schemas.messages import Times

NS_PER_MS = 1_000_000
"""Clocks use nanoseconds internally and milliseconds in settings and messages."""
MOVE_MS_RANGE = WholeNumber("The free time of a move", 1, 3_600_000, "milliseconds")
BANK_MS_RANGE = WholeNumber("The time bank of a match", 0, 36_000_000, "milliseconds")
"""The allowed ranges of a clock's settings."""


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The time control of a match; FieldError if a number is out of range."""

    move_ms: int = 1_000
    """Free time of each decision, in milliseconds."""
    bank_ms: int = 20_000
    """Extra time for the whole match, in milliseconds."""

    def __post_init__(self) -> None:
        MOVE_MS_RANGE.check(self.move_ms, "move_ms")
        BANK_MS_RANGE.check(self.bank_ms, "bank_ms")

    def as_json(self) -> Times:
        """The value of the key `clock` in the protocol's message `start`."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms}


class Clock:
    """The time that one seat has left; nanoseconds unless the name says otherwise."""

    __slots__ = ("bank_ns", "move_ns", "used_ns")

    def __init__(self, settings: ClockSettings) -> None:
        self.move_ns = settings.move_ms * NS_PER_MS
        self.bank_ns = settings.bank_ms * NS_PER_MS
        self.used_ns = 0

    @property
    def budget_ns(self) -> int:
        """The limit of the next decision."""
        return self.move_ns + self.bank_ns

    @property
    def bank_ms(self) -> int:
        """The bank in whole milliseconds, rounded down."""
        return self.bank_ns // NS_PER_MS

    def charge(self, spent_ns: int) -> bool:
        """Charge a decision; False if it exceeded the remaining time (the bank is then empty)."""
        self.used_ns += spent_ns
        excess_ns = spent_ns - self.move_ns
        if excess_ns <= 0:
            return True
        self.bank_ns -= excess_ns
        if self.bank_ns >= 0:
            return True
        self.bank_ns = 0
        return False


PAUSE_NS: Final = 1_000 * NS_PER_MS
"""A wait that overruns by this much shows that the machine was paused."""


class LineSource(Protocol):
    """A process that writes lines."""

    def receive(self, timeout_s: float) -> bytes: ...


class Stopwatch:
    """The time that a referee has waited for its bots.

    Only waiting counts. A wait that overran its limit counts as the limit. If it overran by a
    second or more, the machine must have been paused, and the wait does not count at all. So no bot
    is charged for time in which the referee was stopped, frozen, swapped out, moved to another host
    or busy storing a result.

    A bot that keeps the referee from waking up gains nothing: its processor time is charged anyway
    (`charged_ns`).
    """

    __slots__ = ("began_ns", "elapsed_ns", "late", "waited_ns")

    def __init__(self, began_ns: int | None = None) -> None:
        """`began_ns`: the time from which the bot's processor time is charged; default: now."""
        self.began_ns = monotonic_ns() if began_ns is None else began_ns
        self.waited_ns = 0
        """The time that counts."""
        self.elapsed_ns = 0
        """Like `waited_ns`, but overruns are included, and a wait interrupted by a pause counts as
        one second. If this total becomes too long, the referee ends the attempt without a result
        (`RefereeError`)."""
        self.late = False
        """Whether the last wait overran its limit."""

    @property
    def wall_ns(self) -> int:
        """All time since the start, pauses included."""
        return monotonic_ns() - self.began_ns

    def receive(self, bot: LineSource, limit_ns: int) -> bytes:
        """A line from the bot, awaited for at most `limit_ns`; raises what `bot.receive` raises."""
        began_ns = monotonic_ns()
        try:
            return bot.receive(limit_ns / 1e9)
        finally:
            self._count(monotonic_ns() - began_ns, limit_ns)

    def _count(self, took_ns: int, limit_ns: int) -> None:
        overrun_ns = took_ns - limit_ns
        self.late = overrun_ns > 0
        if overrun_ns <= 0:
            self.waited_ns += took_ns
            self.elapsed_ns += took_ns
        elif overrun_ns < PAUSE_NS:
            self.waited_ns += limit_ns
            self.elapsed_ns += took_ns
        else:
            self.elapsed_ns += PAUSE_NS


def charged_ns(wall_ns: int, waited_ns: int, delay_ns: int, cpu_ns: int) -> int:
    """The time charged for a decision, in nanoseconds.

    This is the time waited, minus the time that the bot was runnable but had no processor (the
    kernel's run delay). It is at least the processor time that the bot used, but at most the wall
    time.

    If a bot runs many threads, its threads and the referee compete for processors and wait.
    Charging at least the processor time keeps the bot from hiding work in such waits.
    """
    return min(wall_ns, max(waited_ns - delay_ns, cpu_ns, 0))
