"""Seat the bots of a running match, ask them, time them and judge their moves.

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
from bots.referee.live_seat import SLICE_NS, LiveSeat, Reply, SandboxLike
from bots.referee.outcome import Fault, FaultKind, SeatedBot
from bots.sandbox import SeatClosed
from cardroom_base.core.safe_text import one_line
from engine import IllegalMove, Match


def seat_rng(secret: str, seat: int) -> str:
    """The seed of a seat's own randomness: 32 hexadecimal digits from SHA-256.

    Distinct per seat. `secret` belongs to one match, so that a bot can neither verify a guessed
    seed nor recognise a match with the same cards. Where nothing is at stake (at home, or with a
    chosen seed) the secret is the match's seed.
    """
    key = b"cardroom-bot-1\0" + secret.encode() + b"\0" + seat.to_bytes(8, "big")
    return hashlib.sha256(key).hexdigest()[:32]


class TurnLoop:
    """The bots of one match and its state. Use it from one thread at a time."""

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
        self.taken_ns = 0
        """The bots' time: the longest start plus all decisions."""

    def seat(
        self, index: int, player: SeatedBot, sandbox: SandboxLike, stack: ExitStack
    ) -> LiveSeat:
        """Open a sandbox for a bot; closing the stack closes it."""
        process = sandbox.open(player.program, name=f"seat{index}")
        stack.callback(process.close)
        unlucky = index in self.unlucky
        live = self.seat_type(index, player, process, Clock(self.settings), unlucky=unlucky)
        live.poll = self._poll
        self.live_seats.append(live)
        return live

    def greet(self, seats: Sequence[LiveSeat]) -> None:
        """Send every `start` first, so that the bots load in parallel; then wait for each."""
        fmt = self.match.format
        for live in seats:
            line = protocol.start_line(
                format_text=str(fmt),
                seat=live.index,
                sides=fmt.sides,
                players=self.names,
                clock=self.bot_clock.as_json(),
                rng=seat_rng(self.secret, live.index),
            )
            live.greet(line)
        watch = Stopwatch()
        for live in seats:
            self._note(live.await_ready(watch))
        self.taken_ns += max((live.start_ns for live in seats), default=0)
        for live in seats:
            live.rest()

    def ask(self, live: LiveSeat) -> None:
        """Ask a bot for a decision; play its move or note its fault."""
        match = self.match
        seat = live.index
        view = match.view(seat)
        if view["deal"] != self.deal:
            self.deal = view["deal"]
            self.send_deals()
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
        if monotonic_ns() >= self.next_poll:
            self._poll(live)
        reply = live.ask(len(self.clock_ms), line, self.late_text)
        if isinstance(reply, Fault):
            self._note(reply)
        else:
            self._judge(live, reply)

    def fall_back(self) -> None:
        """Play the platform's move for a seat with a fault."""
        self.match.play(self.match.legal_moves()[0])
        self.clock_ms.append(0)

    def fault(self, live: LiveSeat, kind: FaultKind, received: str, detail: str) -> None:
        self._note(live.fail(kind, len(self.clock_ms), received, detail))

    def send_deals(self) -> None:
        """Send the sheets of deals that ended since the last call."""
        deals = self.match.deals_since(self.deals_sent)
        for deal in deals:
            self.send_all(protocol.deal_line(deal["deal"], deal["dealer"], deal["sheet"]))
        self.deals_sent += len(deals)
        self.on_deals_sent()

    def on_deals_sent(self) -> None:
        """Hook for subclasses, called between two deals."""

    def send_all(self, line: bytes) -> None:
        """Send all running bots a line that needs no answer; the next question notices dead
        bots."""
        for live in self.live_seats:
            if live.fault is None:
                with suppress(SeatClosed):
                    live.process.send(line)

    def _poll(self, active: LiveSeat) -> None:
        """Enforce the memory limit, and stop all computing bots but the `active` one."""
        self.next_poll = monotonic_ns() + SLICE_NS
        if self.on_poll is not None:
            self.on_poll()
        for live in self.live_seats:
            if live.fault is None:
                live.check_memory()
                if live is not active:
                    live.watch()

    def _judge(self, live: LiveSeat, reply: Reply) -> None:
        """Play the move of an answer; note a fault if it is illegal."""
        try:
            self.match.play(reply.move)
        except IllegalMove as error:
            words = one_line(str(error))
            if reply.again is not None:
                words = f"{words.rstrip('.')}. {fault_text.repeated(reply.again)}"
            self.fault(live, "illegal", protocol.received(reply.line), words)
            return
        if reply.note is not None:
            self.notes[str(len(self.clock_ms))] = reply.note
        spent_ns = reply.spent_ns
        live.clock.charge(spent_ns)
        self.taken_ns += spent_ns
        live.moves += 1
        live.slowest_ns = max(live.slowest_ns, spent_ns)
        self.clock_ms.append(spent_ns // NS_PER_MS)

    def _note(self, fault: Fault | None) -> None:
        if fault is not None:
            self.faults.append(fault)
