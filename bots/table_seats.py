"""The bots at a table of people: asked when it is their turn, stopped while people think.

The moves are all that such a table is made of. So bots can be seated anew at any move: the start
line, and with the first question all that happened, as `Asking` sends it to whoever was told
nothing yet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

from bots.asking import Asking
from bots.clock import Clock, ClockSettings
from bots.live_seat import LiveSeat, SandboxLike
from bots.outcome import Fault, Player, RefereeError
from engine import Match

CLOCK: Final = ClockSettings(move_ms=2_000, bank_ms=20_000)
"""A person waits for it: two seconds are as long as one likes to, and twenty more in a deal let a
bot think once where it matters. The bank is filled again with each deal, and when bots are seated
anew, since a table may last for days."""


class Played(NamedTuple):
    """One decision of a bot, played."""

    seat: int
    move: str
    ms: int
    note: str
    fault: Fault | None
    """What went wrong; then the move is the platform's."""


class TableSeats(Asking):
    """The bots of one table, from `open` to `close`; used by one thread at a time."""

    def __init__(
        self,
        match: Match,
        names: Sequence[str],
        bots: Mapping[int, Player],
        secret: str,
        *,
        faulty: Collection[int] = (),
        settings: ClockSettings = CLOCK,
    ) -> None:
        """`match`: the position, from now on ours. `bots`: by seat. `faulty`: seats that the
        platform plays."""
        super().__init__(match, names, settings, secret)
        self._bots = bots
        self._faulty = frozenset(faulty)
        self._stack = ExitStack()
        self._by_seat: dict[int, LiveSeat] = {}
        self._known_faults = set(faulty)
        self.clock_ms = [0] * len(match.moves)

    def open(self, sandbox: SandboxLike) -> None:
        """Start the bots and wait for each; SandboxUnavailable or RefereeError leave none running.

        A bot that does not start has a fault, as `faults` then says.
        """
        try:
            for index, player in self._bots.items():
                if index not in self._faulty:
                    self._by_seat[index] = self.seat(index, player, sandbox, self._stack)
            self.greet()
        except OSError as error:
            self.close()
            raise RefereeError(f"The bots could not be seated: {error}.") from error
        except BaseException:
            self.close()
            raise

    @property
    def played(self) -> int:
        """How many moves of the match they know."""
        return len(self.clock_ms)

    def follow(self, moves: Sequence[str]) -> None:
        """Take in what was played elsewhere; IllegalMove if it cannot follow."""
        for move in moves:
            self.match.play(move)
            self.clock_ms.append(0)

    def decide(self) -> Played:
        """Have the bot whose turn it is decide, and play that; RefereeError for what is ours."""
        seat = self.match.turn
        if seat is None or seat not in self._bots:
            raise ValueError("It is no bot's turn.")
        number = self.played
        live = self._by_seat.get(seat)
        try:
            if live is not None and live.fault is None:
                self.ask(live)
        except OSError as error:
            raise RefereeError(f"The bot could not be asked: {error}.") from error
        if self.played == number:
            self.fall_back()
        return Played(
            seat,
            self.match.moves[-1],
            self.clock_ms[-1],
            self.notes.get(str(number), ""),
            self._new_fault(seat),
        )

    def _new_fault(self, seat: int) -> Fault | None:
        """The fault of a seat, the first time that it matters: one may have failed to start."""
        found = next((fault for fault in self.faults if fault.seat == seat), None)
        if found is None or seat in self._known_faults:
            return None
        self._known_faults.add(seat)
        return found

    def deals_were_told(self) -> None:
        for live in self.live_seats:
            live.clock = Clock(self.settings)

    def rest(self) -> None:
        """Let none compute until it is asked again: people think for minutes."""
        for live in self.live_seats:
            if live.fault is None:
                live.freeze()

    def close(self) -> None:
        """Stop them all; may be called twice."""
        self._stack.close()
