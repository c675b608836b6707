"""The referee: seats sandboxed bots at a match, asks, clocks, judges and records.

One thread a match. A bot can lose by its own faults only; whatever goes wrong on the platform's side
(a sandbox that does not start, a broken pipe of the host) is raised and never becomes a result.

Faults: `start` (no `ready` in time), `crash` (the process ended), `time` (the clock ran out),
`garbage` (a line that is not an answer, or over the limit) and `illegal` (a move the rules forbid).
After the first fault of a seat the platform plays it, always the first legal move, so that the others
still get a full match; with `fault_policy="forfeit"` the match ends at once. Sides with a fault are
ranked last, together; if every side has one the match is drawn.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any, Literal, Protocol

from bots import protocol
from bots.clock import NS_PER_MS, Clock, ClockSettings, charged_ns
from bots.package import Package
from bots.sandbox import LineTooLong, Program, SandboxUnavailable, SeatClosed, SeatTimeout
from engine import Format, IllegalMove, Match, Record
from engine.results import with_faults

__all__ = [
    "Fault",
    "MatchOutcome",
    "Player",
    "Progress",
    "RefereeError",
    "SandboxUnavailable",
    "SeatReport",
    "play_match",
]

FaultKind = Literal["start", "crash", "time", "garbage", "illegal"]
FaultPolicy = Literal["fallback", "forfeit"]

START_MS = 10_000
"""Time until `ready`: imports, weights, tables. On top of what the sandbox itself needs."""
QUICK_NS = 5 * NS_PER_MS
"""A decision faster than this costs no look at the kernel's accounts; a later one does."""
STALL_FACTOR = 20
"""A decision that lasts this many times its budget on the wall means a machine too busy to judge."""
STALL_NS = 30_000 * NS_PER_MS
"""The least wall time before a machine is called too busy."""
PROGRESS_NS = 1_000 * NS_PER_MS
"""How often `on_progress` is called within a long deal."""


class RefereeError(RuntimeError):
    """The platform failed, not a bot: the match has no result and may be played again."""


class SeatLike(Protocol):
    """What the referee needs of a seat in a sandbox (`bots.sandbox.Seat`)."""

    def send(self, line: bytes) -> None: ...
    def receive(self, timeout: float) -> bytes: ...
    def run_delay_ns(self) -> int: ...
    def usage(self) -> Any: ...
    def stderr(self) -> bytes: ...
    def close(self) -> None: ...


class SandboxLike(Protocol):
    """What the referee needs of a sandbox (`bots.sandbox.Sandbox`)."""

    def open(self, program: Program, *, name: str) -> SeatLike: ...


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits on a seat: a name for the record, and what to run."""

    name: str
    bot: Package | Program

    @property
    def program(self) -> Program:
        """What the sandbox starts."""
        return self.bot.program() if isinstance(self.bot, Package) else self.bot


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
    """One sentence: what was expected; for `illegal` the clause of the rules."""

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
    """Time on its clock, all decisions together."""
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


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """A finished match."""

    record: Record
    seats: list[SeatReport]

    @property
    def faults(self) -> list[Fault]:
        """The faults, in the order of the seats."""
        return [seat.fault for seat in self.seats if seat.fault]


def play_match(
    fmt: Format,
    seed: str,
    players: Sequence[Player],
    *,
    sandbox: SandboxLike,
    clock: ClockSettings | None = None,
    fault_policy: FaultPolicy = "fallback",
    on_progress: Callable[[Progress], None] | None = None,
) -> MatchOutcome:
    """Play one match to its end and return its record and what every seat used.

    `players` goes by seat. `on_progress` is called after each deal and about once a second, from this
    thread; what it raises stops the match. Raises `SandboxUnavailable` or `RefereeError` when the
    platform fails; never for what a bot does.
    """
    if len(players) != fmt.seats:
        raise ValueError(f"{fmt} has {fmt.seats} seats, but {len(players)} players are given.")
    referee = _Referee(fmt, seed, players, clock or ClockSettings(), fault_policy, on_progress)
    try:
        return referee.run(sandbox)
    except OSError as error:
        raise RefereeError(f"The match could not go on: {error}.") from error


def seat_rng(seed: str, seat: int) -> str:
    """The seed of a seat's own randomness: 32 hexadecimal digits from SHA-256.

    Distinct per seat; who knows it cannot tell the match's seed, and so not the cards, from it
    (as long as the match's seed cannot be guessed).
    """
    key = b"cardroom-bot-1\0" + seed.encode() + b"\0" + seat.to_bytes(8, "big")
    return hashlib.sha256(key).hexdigest()[:32]


class _Late(Exception):
    """The clock ran out; carries what was charged, in nanoseconds."""

    def __init__(self, spent_ns: int) -> None:
        self.spent_ns = spent_ns


class _Chair:
    """One seat during a match."""

    __slots__ = ("clock", "fault", "index", "live", "moves", "player", "since", "slowest_ns")

    def __init__(self, index: int, player: Player, live: SeatLike, clock: Clock) -> None:
        self.index = index
        self.player = player
        self.live = live
        self.clock = clock
        self.since = 0
        self.moves = 0
        self.slowest_ns = 0
        self.fault: Fault | None = None


class _Referee:
    """The state of one match in play."""

    def __init__(
        self,
        fmt: Format,
        seed: str,
        players: Sequence[Player],
        settings: ClockSettings,
        policy: FaultPolicy,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.fmt = fmt
        self.seed = seed
        self.players = players
        self.settings = settings
        self.policy = policy
        self.on_progress = on_progress
        self.match = Match(fmt, seed=seed)
        self.chairs: list[_Chair] = []
        self.moves: list[str] = []
        self.clock_ms: list[int] = []
        self.notes: dict[str, str] = {}
        self.deals_told = 0
        self.next_progress = monotonic_ns() + PROGRESS_NS

    def run(self, sandbox: SandboxLike) -> MatchOutcome:
        with ExitStack() as stack:
            self._seat(sandbox, stack)
            self._greet()
            self._play()
            result = self._result()
            self._tell(protocol.end_line(result))
            return MatchOutcome(self._record(result), [_report(chair) for chair in self.chairs])

    def _seat(self, sandbox: SandboxLike, stack: ExitStack) -> None:
        for index, player in enumerate(self.players):
            live = sandbox.open(player.program, name=f"seat{index}")
            stack.callback(live.close)
            self.chairs.append(_Chair(index, player, live, Clock(self.settings)))

    def _greet(self) -> None:
        """Send every `start` first, so that the bots load side by side; then wait for each."""
        names = [player.name for player in self.players]
        for chair in self.chairs:
            line = protocol.start_line(
                format_text=str(self.fmt),
                seat=chair.index,
                sides=self.fmt.sides,
                players=names,
                clock=self.settings.as_json(),
                rng=seat_rng(self.seed, chair.index),
            )
            with contextlib.suppress(SeatClosed, SeatTimeout):
                chair.live.send(line)
        for chair in self.chairs:
            self._await_ready(chair)

    def _await_ready(self, chair: _Chair) -> None:
        started = monotonic_ns()
        try:
            line = _receive(chair.live, started, START_MS * NS_PER_MS)
        except _Late:
            self._fault(chair, "start", "", f"No ready within {START_MS // 1000} seconds.")
        except SeatClosed as error:
            self._fault(chair, "start", "", f"The bot ended before it was ready: {error}.")
        except LineTooLong as error:
            self._fault(chair, "start", protocol.received(_head(error)), _too_long(error))
        else:
            if not protocol.is_ready(line):
                detail = 'The first line must be {"type":"ready"}.'
                self._fault(chair, "start", protocol.received(line), detail)

    def _play(self) -> None:
        """The loop of the match; what is in it runs for every move."""
        match = self.match
        chairs = self.chairs
        while (seat := match.turn) is not None:
            chair = chairs[seat]
            if self.policy == "forfeit" and any(other.fault for other in chairs):
                return
            if chair.fault is not None or not self._ask(chair):
                if self.policy == "forfeit":
                    return
                self._fall_back()
            if len(match.deals) != self.deals_told:
                self._deal_over()
            elif self.on_progress is not None and monotonic_ns() >= self.next_progress:
                self._report_progress()

    def _ask(self, chair: _Chair) -> bool:
        """One decision of a bot; False when it ended in a fault and no move was made."""
        match = self.match
        number = len(self.moves)
        events = match.events(chair.index, chair.since)
        line = protocol.move_line(
            number,
            match.view(chair.index),
            match.legal_moves(),
            events,
            truncated=match.truncated,
            bank_ms=chair.clock.bank_ms,
        )
        chair.since += len(events)
        started = monotonic_ns()
        try:
            chair.live.send(line)
            answer_line = _receive(chair.live, started, chair.clock.budget_ns)
        except (SeatClosed, SeatTimeout, LineTooLong, _Late) as error:
            self._silent(chair, error)
            return False
        return self._judge(chair, answer_line, monotonic_ns() - started)

    def _judge(self, chair: _Chair, line: bytes, spent_ns: int) -> bool:
        """Play an answer that came in time, or note the fault."""
        answer = protocol.parse_answer(line)
        if answer is None:
            self._fault(chair, "garbage", protocol.received(line), 'An answer is {"move":"…"}.')
            return False
        move, note = answer
        try:
            self.match.play(move)
        except IllegalMove as error:
            self._fault(chair, "illegal", protocol.received(line), str(error))
            return False
        if note is not None:
            self.notes[str(len(self.moves))] = note
        chair.moves += 1
        self._book(move, spent_ns)
        return True

    def _book(self, move: str, spent_ns: int) -> None:
        self.moves.append(move)
        self.clock_ms.append(spent_ns // NS_PER_MS)

    def _silent(self, chair: _Chair, error: Exception) -> None:
        """The fault behind a question that got no line."""
        if isinstance(error, SeatClosed):
            self._fault(chair, "crash", "", f"The bot ended instead of answering: {error}.")
        elif isinstance(error, LineTooLong):
            self._fault(chair, "garbage", protocol.received(_head(error)), _too_long(error))
        else:
            clock = self.settings
            detail = f"No answer in time: {clock.move_ms} ms a move and nothing left of the {clock.bank_ms} ms bank."
            self._fault(chair, "time", "", detail)

    def _fault(self, chair: _Chair, kind: FaultKind, received: str, detail: str) -> None:
        chair.fault = Fault(chair.index, kind, len(self.moves), received, detail)

    def _fall_back(self) -> None:
        move = self.match.legal_moves()[0]
        self.match.play(move)
        self._book(move, 0)
