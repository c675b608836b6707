"""The referee: seats sandboxed bots, asks for their moves, runs their clocks and records the match.

Each match has one thread. Only its own faults count against a bot; a failure of the platform (a
sandbox that does not start, a broken pipe) is raised and never becomes a result.

Faults: `start` (no `ready` in time), `crash` (the process ended), `time` (the clock ran out),
`extra` (a line that answers no question), `garbage` (a line that is no answer, or is too long)
and `illegal` (a move the rules forbid).
After a seat's first fault the platform plays for it, always the first legal move, so that the
others still get a full match; with `fault_policy="forfeit"` the match ends there. Sides with a
fault share the last rank; if every side has one, the match is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import inf
from time import monotonic_ns
from typing import Any

from bots.referee import protocol
from bots.referee.clock import NS_PER_MS, ClockSettings
from bots.referee.live_seat import LiveSeat, SandboxLike
from bots.referee.outcome import (
    Fault,
    FaultPolicy,
    MatchOutcome,
    Progress,
    RefereeError,
    SeatedBot,
    SeatReport,
)
from bots.referee.turns import TurnLoop
from bots.sandbox import SandboxUnavailable
from engine import Format, Match, Record, rules
from engine.results import with_faults

__all__ = [
    "ClockSettings",
    "Fault",
    "MatchOutcome",
    "Progress",
    "RefereeError",
    "SandboxUnavailable",
    "SeatReport",
    "SeatedBot",
    "play_match",
]

PROGRESS_NS = 1_000 * NS_PER_MS
"""Interval at which `on_progress` is called within a long deal."""


def play_match(
    fmt: Format,
    seed: str,
    players: Sequence[SeatedBot],
    *,
    sandbox: SandboxLike,
    rng: str | None = None,
    clock: ClockSettings | None = None,
    bot_clock: ClockSettings | None = None,
    seconds: float | None = None,
    fault_policy: FaultPolicy = "fallback",
    unlucky: frozenset[int] = frozenset(),
    seat_type: type[LiveSeat] = LiveSeat,
    on_progress: Callable[[Progress], None] | None = None,
    on_poll: Callable[[], None] | None = None,
) -> MatchOutcome:
    """Play one match to its end; return its record and the usage of every seat.

    `players`: by seat. `rng`: a secret of this match from which the seats' randomness is drawn; by
    default the seed, so that the same seed gives the same match. `bot_clock`: the clock that the
    start line names, by default `clock`; a shorter one makes bots leave a margin. `seconds`: a
    limit on the bots' time (starting and deciding); beyond it the match stops without a result.
    `on_progress` is called in this thread after each deal and about once a second, `on_poll` every
    few milliseconds, even while a bot thinks; an exception from either stops the match. `unlucky`:
    seats whose bot the machine killed in an earlier attempt; if that happens again, the bot has a
    fault. `seat_type`: the class that talks to a seat's bot; it must match the kind of sandbox.

    Raises `SandboxUnavailable` or `RefereeError` when the platform fails, never for a bot's fault.
    The error has a `seat` if the machine killed that seat's bot.
    """
    if len(players) != fmt.seats:
        raise ValueError(f"{fmt} has {fmt.seats} seats, but {len(players)} players are given.")
    referee = _Referee(fmt, seed, rng, players, clock or ClockSettings(), fault_policy)
    referee.bot_clock = bot_clock or referee.settings
    referee.on_progress = on_progress
    referee.unlucky = unlucky
    referee.seat_type = seat_type
    referee.on_poll = on_poll
    try:
        return referee.run(sandbox, seconds)
    except OSError as error:
        raise RefereeError(f"The match could not continue: {error}.") from error


class _Referee(TurnLoop):
    def __init__(
        self,
        fmt: Format,
        seed: str,
        rng: str | None,
        players: Sequence[SeatedBot],
        settings: ClockSettings,
        policy: FaultPolicy,
    ) -> None:
        names = [player.name for player in players]
        super().__init__(Match(fmt, seed=seed), names, settings, seed if rng is None else rng)
        self.fmt = fmt
        self.seed = seed
        self.rng = rng
        self.players = players
        self.policy = policy
        self.on_progress: Callable[[Progress], None] | None = None
        self.next_progress = monotonic_ns() + PROGRESS_NS
        self.reported = 0
        """Number of moves in earlier progress reports."""
        self.scores: list[list[int]] = []
        self.stop_ns: float = inf
        """Limit of `bot_time_ns`, beyond which the match stops without a result."""
        self.stopped = False

    def run(self, sandbox: SandboxLike, seconds: float | None) -> MatchOutcome:
        with ExitStack() as stack:
            for index, player in enumerate(self.players):
                self.open_seat(index, player, sandbox, stack)
            self.start_bots(self.live_seats)
            if seconds is not None:
                self.stop_ns = seconds * 1e9
            self._play()
            self._check_final_memory()
            result = self._result()
            self.send_deals()
            for live_seat in self.live_seats:
                live_seat.process.usage()  # sampled while the bot lives: the end line may end it
            if result is not None:
                self.send_all(protocol.end_line(result))
            for live_seat in self.live_seats:
                live_seat.stop()
            reports = [live_seat.report() for live_seat in self.live_seats]
        return MatchOutcome(self._record(result), reports, self.bot_time_ns / 1e9, self.scores)

    def _play(self) -> None:
        """Play to the end. Keep the loop cheap: it runs once per move."""
        match = self.match
        live_seats = self.live_seats
        forfeit = self.policy == "forfeit"
        while (seat := match.turn) is not None:
            if forfeit and self.faults:
                return
            live_seat = live_seats[seat]
            if live_seat.fault is None:
                self.ask(live_seat)
            else:
                self.fall_back()
            if self.bot_time_ns >= self.stop_ns:
                self.stopped = match.turn is not None
                return
            if self.on_progress is not None and monotonic_ns() >= self.next_progress:
                self._report_progress()

    def _check_final_memory(self) -> None:
        """Sample memory a last time, because memory taken after the last answer counts, too."""
        for live_seat in self.live_seats:
            if live_seat.fault is None and not live_seat.process.enforce_memory_limit():
                self.fail_seat(live_seat, "crash", "", live_seat.stop().text)

    def on_deals_sent(self) -> None:
        self.scores.append(self.match.scores)
        if self.on_progress is not None:
            self._report_progress()

    def _report_progress(self) -> None:
        self.next_progress = monotonic_ns() + PROGRESS_NS
        if self.on_progress is not None:
            new_moves = self.match.moves_since(self.reported)
            self.reported += len(new_moves)
            counts = len(self.clock_ms), self.deals_sent, self.match.scores
            self.on_progress(Progress(*counts, new_moves))

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
