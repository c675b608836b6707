"""Seat bots at a table of people: ask them when it is their turn, pause them while people think.
Replays and continuations seat bots only.

A table's state follows from its moves alone. So a bot can be seated again at any move: it gets the
start line, the sheets of the finished deals, and all earlier events with its first question. A bot
whose seat was closed for lack of memory is also seated again when it must move.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Final, NamedTuple, TypeVar

from bots.referee import protocol
from bots.referee.clock import NS_PER_MS, Clock, ClockSettings
from bots.referee.live_seat import LiveSeat, SandboxLike
from bots.referee.outcome import Fault, RefereeError, SeatedBot
from bots.referee.turns import TurnLoop
from bots.sandbox import SandboxUnavailable, SeatClosed
from engine import Match

K = TypeVar("K", bound=Hashable)

CLOCK: Final = ClockSettings(move_ms=2_000, bank_ms=20_000)
"""People wait for the bot: two seconds per move are tolerable, and twenty more per deal let it
think longer about an important move. Each deal, and each new seating of the bots, refills the bank,
because a table may last for days."""


class RoundClock(Clock):
    """The clock of a seat at a table. In a round, which is the time between two moves of people,
    all bots share one bank; so people do not wait longer for more bots."""

    __slots__ = ("round",)

    def __init__(self, settings: ClockSettings, round_: Clock) -> None:
        """`round_`: the clock whose bank the table's bots share."""
        super().__init__(settings)
        self.round = round_

    @property
    def budget_ns(self) -> int:
        return self.move_ns + min(self.bank_ns, self.round.bank_ns)

    @property
    def bank_ms(self) -> int:
        return min(self.bank_ns, self.round.bank_ns) // NS_PER_MS

    def charge(self, spent_ns: int) -> bool:
        self.round.charge(spent_ns)
        return super().charge(spent_ns)


def keys_to_free(sizes: Mapping[K, int], excess: int) -> list[K]:
    """The first keys whose sizes add up to at least `excess`; all keys if that is not enough."""
    keys: list[K] = []
    for key, size in sizes.items():
        if excess <= 0:
            break
        keys.append(key)
        excess -= size
    return keys


class BotMove(NamedTuple):
    """A bot's decision that has been played."""

    seat: int
    move: str
    ms: int
    note: str
    fault: Fault | None
    """The bot's fault, with the first move that the platform chose for it; otherwise None."""


class TableSeats(TurnLoop):
    """The bots of one table, from `open` to `close`; used by one thread at a time."""

    def __init__(
        self,
        match: Match,
        names: Sequence[str],
        bots: Mapping[int, SeatedBot],
        secret: str,
        *,
        faulty: Collection[int] = (),
        settings: ClockSettings = CLOCK,
    ) -> None:
        """`match`: the position; it changes as the table plays. `bots`: by seat. `faulty`: seats
        that the platform plays."""
        super().__init__(match, names, settings, secret)
        self._bots = bots
        self._faulty = frozenset(faulty)
        self._sandbox: SandboxLike | None = None
        self._by_seat: dict[int, LiveSeat] = {}
        self._stacks: dict[int, ExitStack] = {}
        self._round = Clock(settings) if len(bots) < len(self.names) else None
        """The clock of the round; None if no person waits, as in a replay."""
        self._known_faults = set(faulty)
        self.clock_ms = [0] * len(match.moves)

    def open(self, sandbox: SandboxLike, *, parallel: int | None = None) -> None:
        """Start the bots and wait for each; after SandboxUnavailable or RefereeError none runs.

        `parallel`: the number of bots that start now, the first ones to move; all by default. The
        others start with their first question. A bot that does not start gets a fault (`faults`).
        """
        self._sandbox = sandbox
        turn = self.match.turn or 0
        seats = [seat for seat in self._bots if seat not in self._faulty]
        seats.sort(key=lambda seat: (seat - turn) % len(self.names))
        self._start(seats[:parallel])

    def _start(self, seats: Iterable[int]) -> None:
        if self._sandbox is None:
            raise SandboxUnavailable("The bots have no sandbox: call open first.")
        try:
            started = [self._start_bot(seat, self._sandbox) for seat in seats]
            self.start_bots(started)
        except OSError as error:
            self.close()
            raise RefereeError(f"The bots could not be seated: {error}.") from error
        except BaseException:
            self.close()
            raise
        deals = self.match.deals_since(0)[: self.deals_sent]
        for live_seat in started:
            with suppress(SeatClosed):
                for deal in deals if live_seat.fault is None else ():
                    live_seat.process.send(
                        protocol.deal_line(deal["deal"], deal["dealer"], deal["sheet"])
                    )

    def _start_bot(self, seat: int, sandbox: SandboxLike) -> LiveSeat:
        stack = self._stacks[seat] = ExitStack()
        live_seat = self._by_seat[seat] = self.open_seat(seat, self._bots[seat], sandbox, stack)
        live_seat.clock = self._new_clock()
        return live_seat

    def _new_clock(self) -> Clock:
        if self._round is None:
            return Clock(self.settings)
        return RoundClock(self.settings, self._round)

    @property
    def opened(self) -> bool:
        """Whether `open` has been called."""
        return self._sandbox is not None

    @property
    def played(self) -> int:
        """Number of moves of the match that the bots know."""
        return len(self.clock_ms)

    def follow(self, moves: Sequence[str]) -> None:
        """Add the moves of people, which start a new round; IllegalMove if one is not legal."""
        if moves and self._round is not None:
            self._round.bank_ns = self.settings.bank_ms * NS_PER_MS
        for move in moves:
            self.match.play(move)
            self.clock_ms.append(0)

    def decide(self) -> BotMove:
        """Ask the bot to move and play its answer; RefereeError if the platform fails."""
        seat = self.match.turn
        if seat is None or seat not in self._bots:
            raise ValueError("It is no bot's turn.")
        number = self.played
        live_seat = self._running_seat(seat)
        if live_seat is not None and live_seat.fault is None:
            self._ask_clocked(live_seat)
        if self.played == number:
            self.fall_back()
        return BotMove(
            seat,
            self.match.moves[-1],
            self.clock_ms[-1],
            self.notes.get(str(number), ""),
            self._new_fault(seat),
        )

    def _running_seat(self, seat: int) -> LiveSeat | None:
        """The bot of a seat, started if necessary; None if the platform plays the seat."""
        if seat in self._faulty:
            return None
        if seat not in self._by_seat:
            self._start([seat])
        self._by_seat[seat] = self._by_seat.pop(seat)  # the most recently asked comes last
        return self._by_seat[seat]

    def _ask_clocked(self, live_seat: LiveSeat) -> None:
        try:
            self.ask(live_seat)
        except OSError as error:
            raise RefereeError(f"The bot could not be asked: {error}.") from error
        is_late = live_seat.fault is not None and live_seat.fault.kind == "time"
        if is_late and self._round is not None:
            self._round.charge(live_seat.clock.budget_ns)  # a missing answer is charged to no clock

    def _new_fault(self, seat: int) -> Fault | None:
        """The fault of a seat, reported once; it may be an earlier failure to start."""
        fault = next((fault for fault in self.faults if fault.seat == seat), None)
        if fault is None or seat in self._known_faults:
            return None
        self._known_faults.add(seat)
        return fault

    def on_deals_sent(self) -> None:
        for live_seat in self.live_seats:
            live_seat.clock = self._new_clock()

    def pause_all(self) -> None:
        """Pause all bots until they are asked again: people think for minutes."""
        for live_seat in self.live_seats:
            if live_seat.fault is None:
                live_seat.pause()

    def held_kib(self) -> int:
        """The memory of all bots now."""
        return sum(self._sizes().values())

    def free_memory(self, over_kib: int) -> None:
        """Close seats until `over_kib` are free or no seat is left; least recently asked first."""
        for seat in keys_to_free(self._sizes(), over_kib):
            self.live_seats.remove(self._by_seat.pop(seat))
            self._stacks.pop(seat).close()

    def _sizes(self) -> dict[int, int]:
        """The memory of running bots in KiB, by seat, least recently asked first."""
        return {
            seat: live_seat.process.held_kib()
            for seat, live_seat in self._by_seat.items()
            if live_seat.fault is None
        }

    def close(self) -> None:
        """Stop all bots; may be called twice."""
        with ExitStack() as cleanup:  # closes every stack, even after an error of another
            for stack in self._stacks.values():
                cleanup.push(stack)
            self._stacks.clear()
