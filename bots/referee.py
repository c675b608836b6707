"""The referee: seats sandboxed bots at a match, asks, clocks, judges and records.

One thread a match. A bot can lose by its own faults only; whatever goes wrong on the platform's
side (a sandbox that does not start, a broken pipe) is raised and never becomes a result.

Faults: `start` (no `ready` in time), `crash` (the process ended), `time` (the clock ran out),
`garbage` (a line that is not an answer, or over the limit) and `illegal` (a move the rules forbid).
After the first fault of a seat the platform plays it, always the first legal move, so that the
others still get a full match; with `fault_policy="forfeit"` the match ends at once. Sides with a
fault are ranked last, together; if every side has one the match is drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from math import inf
from time import monotonic_ns
from typing import Any

from bots import protocol
from bots.clock import NS_PER_MS, Clock, ClockSettings
from bots.live_seat import SLICE_NS, Late, LiveSeat, SandboxLike, kind_of
from bots.outcome import (
    Fault,
    FaultKind,
    FaultPolicy,
    MatchOutcome,
    Player,
    Progress,
    RefereeError,
    SeatReport,
)
from bots.sandbox import LineTooLong, SandboxUnavailable, SeatClosed
from engine import Format, IllegalMove, Match, Record, rules
from engine.results import with_faults

__all__ = [
    "ClockSettings",
    "Fault",
    "MatchOutcome",
    "Player",
    "Progress",
    "RefereeError",
    "SandboxUnavailable",
    "SeatReport",
    "play_match",
]

PROGRESS_NS = 1_000 * NS_PER_MS
"""How often `on_progress` is called within a long deal."""


def play_match(
    fmt: Format,
    seed: str,
    players: Sequence[Player],
    *,
    sandbox: SandboxLike,
    rng: str | None = None,
    clock: ClockSettings | None = None,
    told: ClockSettings | None = None,
    seconds: float | None = None,
    fault_policy: FaultPolicy = "fallback",
    unlucky: frozenset[int] = frozenset(),
    on_progress: Callable[[Progress], None] | None = None,
    on_look: Callable[[], None] | None = None,
) -> MatchOutcome:
    """Play one match to its end and return its record and what every seat used.

    `players` goes by seat. The seats' randomness follows from `rng`, a secret of this match alone;
    without one from the seed, so that the same seed plays the same again. The start line names the
    clock `told` where one is given: then bots that heed it are quicker than `clock` asks. After
    `seconds` of the bots' time (starting and deciding) the match stops where it is, and its record
    has no result. `on_progress` is called after each deal and about once a second, from this
    thread, and `on_look` every few milliseconds, also while a bot thinks; what they raise stops the
    match. Raises `SandboxUnavailable` or `RefereeError` when the platform fails; never for what a
    bot does. If the machine took a bot away the error tells its `seat`. Seats in `unlucky` were
    taken away in an earlier attempt: a second time is a fault.
    """
    if len(players) != fmt.seats:
        raise ValueError(f"{fmt} has {fmt.seats} seats, but {len(players)} players are given.")
    referee = _Referee(fmt, seed, players, clock or ClockSettings(), fault_policy, on_progress)
    referee.told = told or referee.settings
    referee.rng = rng
    referee.unlucky = unlucky
    referee.on_look = on_look
    try:
        return referee.run(sandbox, seconds)
    except OSError as error:
        raise RefereeError(f"The match could not go on: {error}.") from error


def seat_rng(secret: str, seat: int) -> str:
    """The seed of a seat's own randomness: 32 hexadecimal digits from SHA-256.

    Distinct per seat. `secret` is the match's own, so that a bot can neither test a guess of the
    seed with it nor know a match of the same cards again; only where nothing is at stake (at home,
    or with a chosen seed) it is the seed itself.
    """
    key = b"cardroom-bot-1\0" + secret.encode() + b"\0" + seat.to_bytes(8, "big")
    return hashlib.sha256(key).hexdigest()[:32]


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
        self.rng: str | None = None
        self.players = players
        self.settings = settings
        self.told = settings
        self.unlucky: frozenset[int] = frozenset()
        self.policy = policy
        self.on_progress = on_progress
        self.on_look: Callable[[], None] | None = None
        self.match = Match(fmt, seed=seed)
        self.live_seats: list[LiveSeat] = []
        self.faults: list[Fault] = []
        self.clock_ms: list[int] = []
        self.notes: dict[str, str] = {}
        self.deal = 0
        self.deals_told = 0
        self.next_progress = monotonic_ns() + PROGRESS_NS
        self.next_look = 0
        self.taken_ns = 0
        self.stop_ns: float = inf
        self.stopped = False

    def run(self, sandbox: SandboxLike, seconds: float | None) -> MatchOutcome:
        with ExitStack() as stack:
            self._seat(sandbox, stack)
            self._greet()
            if seconds is not None:
                self.stop_ns = seconds * 1e9
            self._play()
            self._look_back()
            result = self._result()
            self._tell_deals()
            for live in self.live_seats:
                live.process.usage()  # a bot may end at the end, and then nobody knows its memory
            if result is not None:
                self._tell(protocol.end_line(result))
            for live in self.live_seats:
                live.leave()
            reports = [live.report() for live in self.live_seats]
        return MatchOutcome(self._record(result), reports, self.taken_ns / 1e9)

    def _seat(self, sandbox: SandboxLike, stack: ExitStack) -> None:
        for index, player in enumerate(self.players):
            process = sandbox.open(player.program, name=f"seat{index}")
            stack.callback(process.close)
            unlucky = index in self.unlucky
            self.live_seats.append(
                LiveSeat(index, player, process, Clock(self.settings), unlucky=unlucky)
            )
            self.live_seats[index].look = self._look

    def _greet(self) -> None:
        """Send every `start` first, so that the bots load side by side; then wait for each."""
        names = [player.name for player in self.players]
        secret = self.seed if self.rng is None else self.rng
        for live in self.live_seats:
            line = protocol.start_line(
                format_text=str(self.fmt),
                seat=live.index,
                sides=self.fmt.sides,
                players=names,
                clock=self.told.as_json(),
                rng=seat_rng(secret, live.index),
            )
            live.greet(line)
        started = monotonic_ns()
        for live in self.live_seats:
            self._note(live.await_ready(started))
        self.taken_ns = max(live.start_ns for live in self.live_seats)
        for live in self.live_seats:
            live.rest()

    def _play(self) -> None:
        """The loop of the match; what is in it runs for every move."""
        match = self.match
        live_seats = self.live_seats
        forfeit = self.policy == "forfeit"
        while (seat := match.turn) is not None:
            if forfeit and self.faults:
                return
            live = live_seats[seat]
            if live.fault is None:
                self._ask(live)
            else:
                self._fall_back()
            if self.taken_ns >= self.stop_ns:
                self.stopped = match.turn is not None
                return
            if self.on_progress is not None and monotonic_ns() >= self.next_progress:
                self._report_progress()

    def _ask(self, live: LiveSeat) -> None:
        """One decision of a bot: the move is made, or the fault is noted."""
        match = self.match
        seat = live.index
        view = match.view(seat)
        if view["deal"] != self.deal:
            self.deal = view["deal"]
            self._tell_deals()
        events = match.events(seat, live.since)
        live.since += len(events)
        line = protocol.move_line(
            len(self.clock_ms),
            view,
            match.legal_moves(),
            events,
            truncated=match.truncated,
            bank_ms=live.clock.bank_ms,
        )
        live.process.mark(len(self.clock_ms))
        live.turn()
        started = monotonic_ns()
        if started >= self.next_look:
            self._look(live)
        try:
            live.process.send(line)
            answer, spent = live.wait(started, live.clock.budget_ns)
            live.rest()
        except (SeatClosed, LineTooLong, Late) as error:
            self._fault(live, kind_of(error), *live.silence(error, self._out_of_time()))
            return
        self._judge(live, answer, spent)

    def _look(self, asked: LiveSeat) -> None:
        """See that nobody holds too much memory, and that only the asked one computes."""
        self.next_look = monotonic_ns() + SLICE_NS
        if self.on_look is not None:
            self.on_look()
        for live in self.live_seats:
            if live.fault is None:
                live.see_memory()
                if live is not asked:
                    live.watch()

    def _look_back(self) -> None:
        """A last look: what a bot took after its last answer it took all the same."""
        for live in self.live_seats:
            if live.fault is None and not live.process.look():
                self._fault(live, "crash", "", live.leave().text)

    def _judge(self, live: LiveSeat, line: bytes, spent_ns: int) -> None:
        """Play an answer that came in time, or note the fault."""
        answer = protocol.parse_answer(line)
        if answer is None:
            wanted = 'An answer is one line such as {"move":"6C"}.'
            self._fault(live, "garbage", protocol.received(line), wanted)
            return
        move, note = answer
        try:
            self.match.play(move)
        except IllegalMove as error:
            self._fault(live, "illegal", protocol.received(line), protocol.printable(str(error)))
            return
        if note is not None:
            self.notes[str(len(self.clock_ms))] = note
        live.clock.charge(spent_ns)
        self.taken_ns += spent_ns
        live.moves += 1
        live.slowest_ns = max(live.slowest_ns, spent_ns)
        self.clock_ms.append(spent_ns // NS_PER_MS)

    def _fall_back(self) -> None:
        """The platform's own move for a seat with a fault."""
        self.match.play(self.match.legal_moves()[0])
        self.clock_ms.append(0)

    def _fault(self, live: LiveSeat, kind: FaultKind, received: str, detail: str) -> None:
        self._note(live.fail(kind, len(self.clock_ms), received, detail))

    def _note(self, fault: Fault | None) -> None:
        if fault is not None:
            self.faults.append(fault)

    def _out_of_time(self) -> str:
        clock = self.settings
        return (
            f"No answer in time: {clock.move_ms} ms for the move were over "
            f"and nothing was left of the bank of {clock.bank_ms} ms."
        )

    def _tell_deals(self) -> None:
        """Tell everyone the sheets of deals that ended since the last time."""
        deals = self.match.deals_since(self.deals_told)
        for deal in deals:
            self._tell(protocol.deal_line(deal["deal"], deal["dealer"], deal["sheet"]))
        self.deals_told += len(deals)
        if self.on_progress is not None:
            self._report_progress()

    def _tell(self, line: bytes) -> None:
        """A line without an answer, to all who still play; who has gone is found out when asked."""
        for live in self.live_seats:
            if live.fault is None:
                with suppress(SeatClosed):
                    live.process.send(line)

    def _report_progress(self) -> None:
        self.next_progress = monotonic_ns() + PROGRESS_NS
        if self.on_progress is not None:
            self.on_progress(Progress(len(self.clock_ms), self.deals_told, self.match.scores))

    def _result(self) -> dict[str, Any] | None:
        match = self.match
        if self.stopped:
            return None
        if self.faults:
            sides = {self.fmt.side(fault.seat) for fault in self.faults}
            return with_faults(match.result, match.scores, sides)
        result = match.result
        if result is None:
            raise RefereeError("The match ended without a result.")
        return result

    def _record(self, result: dict[str, Any] | None) -> Record:
        return Record(
            format=str(self.fmt),
            seed=self.seed,
            rng=self.rng,
            players=[player.as_json() for player in self.players],
            moves=self.match.moves,
            clock_ms=self.clock_ms,
            notes=dict(self.notes),
            faults=[fault.as_json(self.policy) for fault in self.faults],
            result=result,
            rules=rules.edition(self.fmt.game),
        )
