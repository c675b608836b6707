"""The input and output of a match: players, faults, reports."""

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

    `seat`: the seat whose bot the machine killed; None for any other failure.
    """

    def __init__(self, message: str, *, seat: int | None = None) -> None:
        super().__init__(message)
        self.seat = seat


@dataclass(frozen=True, slots=True)
class SeatedBot:
    """The player of a seat: a name for the record, and the bot to run."""

    name: str
    bot: Package | Program

    @property
    def program(self) -> Program:
        return self.bot.program() if isinstance(self.bot, Package) else self.bot

    def as_json(self) -> dict[str, str]:
        """The player's entry in the record; includes the digest if the bot is a package."""
        if isinstance(self.bot, Package):
            return {"name": self.name, "package": self.bot.digest}
        return {"name": self.name}


@dataclass(frozen=True, slots=True)
class Fault:
    """The first fault of a seat."""

    seat: int
    kind: FaultKind
    move: int
    """Number of the decision (`n` in the question); 0 for `start`."""
    received: str
    """The beginning of the bot's output, at most 200 characters; empty if there was none."""
    detail: str
    """The expected behaviour and the remedy; for `illegal`, the clause that the move breaks."""

    def as_json(self, policy: FaultPolicy) -> dict[str, Any]:
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
    """A seat's usage: times in milliseconds, memory in KiB."""

    name: str
    cpu_ms: float
    wall_ms: float
    """Total time on the seat's clock, over all decisions."""
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
    moves: int
    deals: int
    scores: list[int]
    new_moves: list[str]
    """The moves made since the previous `Progress`."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    record: Record
    seats: list[SeatReport]
    seconds: float = 0.0
    """Bot time in seconds: the slowest seat's start plus every seat's decisions."""
    scores: list[list[int]] = field(default_factory=list)
    """The match's scores after each deal, by side."""

    @property
    def faults(self) -> list[Fault]:
        return [seat.fault for seat in self.seats if seat.fault]
