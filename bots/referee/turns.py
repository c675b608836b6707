"""Seat the bots of a running match, ask for their moves, run their clocks, detect their faults.

`referee` (whole matches) and `table_seats` (people's tables) extend `TurnLoop`. The docstring of
`referee` lists the faults.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from time import monotonic_ns

from bots.referee import fault_text, protocol
from bots.referee.clock import NS_PER_MS, Clock, ClockSettings, Stopwatch
from bots.referee.live_seat import SLICE_NS, LiveSeat, SandboxLike, TimedAnswer
from bots.referee.outcome import Fault, FaultKind, SeatedBot
from bots.sandbox import SeatClosed
from engine import IllegalMove, Match


def seat_rng(secret: str, seat: int) -> str:
    """The seed of a seat's own randomness: 32 hexadecimal digits from SHA-256.

    Each seat gets another seed. `secret` belongs to one match, so that a bot can neither verify a
    guessed seed nor recognise a match with the same cards. At home, and with a chosen seed, the
    secret is the match's seed, because nothing is at stake.
    """
    key = b"cardroom-bot-1\0" + secret.encode() + b"\0" + seat.to_bytes(8, "big")
    return hashlib.sha256(key).hexdigest()[:32]


class TurnLoop:
    """The turns of one match and its bots. Use it from one thread at a time."""

    seat_type: type[LiveSeat] = LiveSeat
    """How a seat waits for its bot."""

    def __init__(
        self,
        match: Match,
        names: Sequence[str],
        settings: ClockSettings,
        secret: str,
    ) -> None:
        """`names`: by seat, for the start line. `secret`: see `seat_rng`."""
        self.match = match
        self.names = list(names)
        self.settings = settings
        self.bot_clock = settings
        """The clock that the start line names (`referee.play_match`)."""
        self.late_text = fault_text.out_of_time(settings)
        self.secret = secret
        self.unlucky: frozenset[int] = frozenset()
        """Seats whose bot the machine killed in an earlier attempt at the match."""
        self.on_poll: Callable[[], None] | None = None
        self.live_seats: list[LiveSeat] = []
        self.faults: list[Fault] = []
        self.clock_ms: list[int] = []
        self.notes: dict[str, str] = {}
        self.deal = 0
        self.deals_sent = 0
        self.next_poll = 0
        self.bot_time_ns = 0
        """The bots' time: all starts and decisions."""

    def open_seat(
        self, index: int, player: SeatedBot, sandbox: SandboxLike, stack: ExitStack
    ) -> LiveSeat:
        """Open a sandbox for a bot; closing the stack closes it."""
        process = sandbox.open(player.program, name=f"seat{index}")
        stack.callback(process.close)
        unlucky = index in self.unlucky
        live_seat = self.seat_type(index, player, process, Clock(self.settings), unlucky=unlucky)
        live_seat.poll = self._poll
        self.live_seats.append(live_seat)
        return live_seat

    def start_bots(self, seats: Sequence[LiveSeat]) -> None:
        """Send every `start` first, so that the bots load in parallel; then wait for each.

        No bot is charged for the wait for another one. It may have slept meanwhile, because what
        does not fit into its pipe, such as a package of more than 64 KiB, is sent while the referee
        waits for it.
        """
        fmt = self.match.format
        for live_seat in seats:
            line = protocol.start_line(
                format_text=str(fmt),
                seat=live_seat.index,
                sides=fmt.sides,
                players=self.names,
                clock=self.bot_clock.as_json(),
                rng=seat_rng(self.secret, live_seat.index),
            )
            live_seat.send_start(line)
        began_ns = monotonic_ns()
        for live_seat in seats:
            self._add_fault(live_seat.await_ready(Stopwatch(began_ns)))
        self.bot_time_ns += sum(live_seat.start_ns for live_seat in seats)
        for live_seat in seats:
            live_seat.end_turn()

    def ask(self, live_seat: LiveSeat) -> None:
        """Ask a bot for a decision; play its move or record its fault."""
        match = self.match
        seat = live_seat.index
        view = match.view(seat)
        if view["deal"] != self.deal:
            self.deal = view["deal"]
            self.send_deals()
        events = match.events(seat, live_seat.events_sent)
        live_seat.events_sent += len(events)
        line = protocol.move_line(
            len(self.clock_ms),
            view,
            match.legal_moves(),
            events,
            truncated=match.truncated,
            bank_ms=live_seat.clock.bank_ms,
        )
        if monotonic_ns() >= self.next_poll:
            self._poll(live_seat)
        answer = live_seat.ask(len(self.clock_ms), line, self.late_text)
        if isinstance(answer, Fault):
            self._add_fault(answer)
        else:
            self._play_answer(live_seat, answer)

    def fall_back(self) -> None:
        """Play the platform's move for a seat with a fault."""
        self.match.play(self.match.legal_moves()[0])
        self.clock_ms.append(0)

    def fail_seat(self, live_seat: LiveSeat, kind: FaultKind, received: str, detail: str) -> None:
        self._add_fault(live_seat.fail(kind, len(self.clock_ms), received, detail))

    def send_deals(self) -> None:
        """Send the sheets of deals that ended since the last call."""
        deals = self.match.deals_since(self.deals_sent)
        for deal in deals:
            self.send_all(protocol.deal_line(deal["deal"], deal["dealer"], deal["sheet"]))
        self.deals_sent += len(deals)
        self.on_deals_sent()

    def on_deals_sent(self) -> None:
        """Hook for subclasses, called after each `send_deals`."""

    def send_all(self, line: bytes) -> None:
        """Send all running bots a line that needs no answer; the next question notices dead
        bots."""
        for live_seat in self.live_seats:
            if live_seat.fault is None:
                with suppress(SeatClosed):
                    live_seat.process.send(line)

    def _poll(self, active: LiveSeat) -> None:
        """Enforce memory limits, and pause all bots that compute, except the `active` one."""
        self.next_poll = monotonic_ns() + SLICE_NS
        if self.on_poll is not None:
            self.on_poll()
        for live_seat in self.live_seats:
            if live_seat.fault is None:
                live_seat.check_memory()
                if live_seat is not active:
                    live_seat.pause_if_computing()

    def _play_answer(self, live_seat: LiveSeat, answer: TimedAnswer) -> None:
        """Play the move of an answer; record a fault if it is illegal."""
        try:
            self.match.play(answer.move)
        except IllegalMove as error:
            detail = str(error)
            if answer.previous_number is not None:
                detail = f"{detail.rstrip('.')}. {fault_text.repeated_line(answer.previous_number)}"
            self.fail_seat(live_seat, "illegal", protocol.received_text(answer.line), detail)
            return
        if answer.note is not None:
            self.notes[str(len(self.clock_ms))] = answer.note
        spent_ns = answer.spent_ns
        live_seat.clock.charge(spent_ns)
        self.bot_time_ns += spent_ns
        live_seat.moves += 1
        live_seat.slowest_ns = max(live_seat.slowest_ns, spent_ns)
        self.clock_ms.append(spent_ns // NS_PER_MS)

    def _add_fault(self, fault: Fault | None) -> None:
        if fault is not None:
            self.faults.append(fault)
