"""What goes into a match and what comes out: players, faults, reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from bots.package.package import Package
from bots.sandbox import Program
from engine import Record

FaultKind = Literal["start", "crash", "time", "extra", "garbage", "illegal"]
FaultPolicy = Literal["fallback", "forfeit"]


class RefereeError(RuntimeError):
    """The platform failed, not a bot: the match has no result and may be played again.

    seat: the one whose bot the machine took away, if it did; None for all other failures.
    """

    def __init__(self, message: str, *, seat: int | None = None) -> None:
        super().__init__(message)
        self.seat = seat


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits on a seat: a name for the record, and what to run."""

    name: str
    bot: Package | Program

    @property
    def program(self) -> Program:
        """What the sandbox starts."""
        return self.bot.program() if isinstance(self.bot, Package) else self.bot

    def as_json(self) -> dict[str, str]:
        """As the record names the player; a package is named by its digest too."""
        if isinstance(self.bot, Package):
            return {"name": self.name, "package": self.bot.digest}
        return {"name": self.name}


@dataclass(frozen=True, slots=True)
class Fault:
    """The first fault of a seat."""

    seat: int
    kind: FaultKind
    move: int
    """Number of the decision, as the bot was asked (`n`); 0 for `start`."""
    received: str
    """The beginning of what the bot sent, at most 200 characters; empty if nothing."""
    detail: str
    """What was expected, and how to mend it; for `illegal` the clause of the rules."""

    def as_json(self, policy: FaultPolicy) -> dict[str, Any]:
        """As the record keeps it."""
        return {
            "seat": self.seat,
            "kind": self.kind,
            "move": self.move,
            "received": self.received,
            "detail": self.detail,
            "policy": policy,
        }


@dataclass(frozen=True, slots=True)
class SeatReport:
    """What a seat used; times in milliseconds, memory in KiB."""

    name: str
    cpu_ms: float
    wall_ms: float
    """Time on its clock for all decisions together."""
    slowest_ms: float
    """The longest decision."""
    peak_memory_kib: int
    stderr: bytes
    """The bot's own log, last 64 KiB; for its owner only."""
    moves: int
    """Decisions that the bot made itself."""
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match is."""

    moves: int
    deals: int
    scores: list[int]
    fresh: list[str]
    """The moves made since the last report."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """A finished match."""

    record: Record
    seats: list[SeatReport]
    seconds: float = 0.0
    """What the bots took: the longest start, and all decisions."""
    scores: list[list[int]] = field(default_factory=list)
    """Of the match after each deal, by side."""

    @property
    def faults(self) -> list[Fault]:
        """The faults, in the order of the seats."""
        return [seat.fault for seat in self.seats if seat.fault]
