"""One seat of a match as the referee sees it: the bot behind it, its clock, its first fault."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import Final, NamedTuple, Protocol

from bots.referee import fault_text, protocol
from bots.referee.clock import NS_PER_MS, Clock, Stopwatch, charged_ns
from bots.referee.diagnoses import diagnose
from bots.referee.outcome import Fault, FaultKind, Player, RefereeError, SeatReport
from bots.sandbox import Exit, LineTooLong, Program, SeatClosed, SeatTimeout, Usage
from bots.sandbox.pinning import give_way

START_MS = 10_000
"""Time until `ready`: imports, weights, tables. On top of what the sandbox itself needs."""
QUICK_NS = 5 * NS_PER_MS
"""The kernel's accounts are read only for decisions that take longer than this."""
SLICE_NS = 20 * NS_PER_MS
"""How often the referee looks at all bots, whether one thinks or all answer at once."""
IDLE_NS = NS_PER_MS // 10
"""Processor time after an answer that is not charged: the interpreter goes back to reading."""
RESTLESS_NS = 2 * NS_PER_MS
"""A bot that computes longer than this unasked is stopped until it is asked."""
NEVER = 1 << 62
"""More processor time than any bot has: nothing is owed before the first answer."""
STALL_FACTOR = 20
"""A decision that lasts this many times its budget shows a machine too busy to judge."""
STALL_NS = 30_000 * NS_PER_MS
"""The least wall time before a machine is called too busy."""
SETTLE_S, SETTLE_TRIES = 50e-6, 20
"""How often, and how long each time, a bot that computes on after its answer is waited for."""
MAX_BLANK = 1_000
"""Empty lines that are passed over while the bot is asked once."""


class BotProcessLike(Protocol):
    """What the referee needs from a bot's process (`bots.sandbox.BotProcess`)."""

    def send(self, line: bytes) -> None: ...
    def mark(self, move: int) -> None: ...
    def receive(self, timeout_s: float) -> bytes: ...
    def waiting(self) -> bytes: ...
    def runs(self) -> bool: ...
    def held(self) -> bool: ...
    def run_delay_ns(self) -> int: ...
    def cpu_ns(self) -> int: ...
    def held_kib(self) -> int: ...
    def look(self) -> bool: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def usage(self) -> Usage: ...
    def stderr(self) -> bytes: ...
    def close(self) -> Exit: ...


class SandboxLike(Protocol):
    """What the referee needs from a sandbox (`bots.sandbox.Sandbox`)."""

    def open(self, program: Program, *, name: str) -> BotProcessLike: ...


class Late(Exception):  # noqa: N818 - reads as what happened
    """The clock ran out while the bot was asked."""


class OnlyBlank(Exception):  # noqa: N818 - reads as what happened
    """It sent empty lines without end."""


UNANSWERED: Final = (SeatClosed, LineTooLong, Late, OnlyBlank)


class Reply(NamedTuple):
    """An answer in time."""

    move: str
    note: str | None
    spent_ns: int
    line: bytes
    again: int | None
    """The question before, if the bot's answer to that was the very same line."""


class LiveSeat:
    """One seat during a match: its bot, its clock, what it has been told."""

    __slots__ = (
        "asked",
        "asked_ns",
        "blank",
        "clock",
        "cpu_ns",
        "delay_ns",
        "echoes",
        "fault",
        "index",
        "last_line",
        "look",
        "moves",
        "owed_ns",
        "player",
        "process",
        "restless",
        "since",
        "slowest_ns",
        "start_ns",
        "unlucky",
    )

    def __init__(
        self,
        index: int,
        player: Player,
        process: BotProcessLike,
        clock: Clock,
        *,
        unlucky: bool = False,
    ) -> None:
        self.index = index
        self.player = player
        self.process = process
        self.clock = clock
        self.since = 0
        self.moves = 0
        self.slowest_ns = 0
        self.start_ns = 0
        self.cpu_ns = NEVER
        self.asked_ns = 0
        self.delay_ns: int | None = None
        self.owed_ns = 0
        self.restless = False
        self.asked: int | None = None
        self.last_line = b""
        self.echoes = False
        self.blank = 0
        self.unlucky = unlucky
        self.look: Callable[[LiveSeat], object] = LiveSeat.see_memory
        self.fault: Fault | None = None

    def ask(self, number: int, line: bytes, late: str) -> Reply | Fault:
        """Put question `number` to the bot. `late`: the sentence for an answer out of time.

        The answer, or the fault, which is booked then. Whether the move is legal is not seen to.
        """
        self.process.mark(number)
        self.blank = 0
        try:
            if extra := self._turn():
                return self._fail_for_extra(number, extra)
            watch = Stopwatch()
            self.process.send(line)
            answer_line, spent_ns = self.wait(watch, self.clock.budget_ns)
            self.rest()
        except UNANSWERED as error:
            return self.fail(kind_of(error), number, *self.silence(error, late))
        return self._read(number, answer_line, spent_ns)

    def _read(self, number: int, line: bytes, spent_ns: int) -> Reply | Fault:
        answer = protocol.parse_answer(line)
        if answer is None:
            return self.fail("garbage", number, protocol.received(line), fault_text.NO_ANSWER)
        if answer.number is not None and answer.number != number:
            words = fault_text.of_another(number, answer.number)
            return self.fail("extra", number, protocol.received(line), words)
        self.echoes = answer.number is not None
        again = self.asked if line == self.last_line and not self.echoes else None
        self.asked, self.last_line = number, line
        return Reply(answer.move, answer.note, spent_ns, line, again)

    def _turn(self) -> bytes:
        """Before a question: what the bot sent unasked.

        What it computed unasked since its last answer is charged.
        """
        process = self.process
        if self.restless:
            process.resume()
        if not self.echoes:
            self._settle()
        extra = process.waiting()
        if extra and not (text := extra.strip()):
            self.blank += extra.count(b"\n")
            extra = text
        self.asked_ns = process.cpu_ns()
        owed_ns = self.asked_ns - self.cpu_ns
        self.owed_ns = owed_ns if owed_ns > IDLE_NS else 0
        if owed_ns > RESTLESS_NS:
            self.restless = True
        return extra

    def _settle(self) -> None:
        """Wait a little for a bot that may be in the middle of writing a second line.

        Answers that name their question need no such care.
        """
        for _ in range(SETTLE_TRIES):
            give_way()
            if not self.process.runs():
                return
            sleep(SETTLE_S)

    def _fail_for_extra(self, number: int, extra: bytes) -> Fault:
        lines = [line for line in extra.split(b"\n") if not protocol.is_blank(line)]
        first = protocol.received(lines[0])
        words = fault_text.too_many(len(lines), first, self.asked)
        return self.fail("extra", number, first, words)

    def rest(self) -> None:
        """After an answer: from here on the bot has nothing to compute."""
        self.cpu_ns = self.process.cpu_ns()
        if self.restless:
            self.process.pause()

    def freeze(self) -> None:
        """Let it compute nothing until it is asked."""
        self.restless = True
        self.process.pause()

    def see_memory(self) -> None:
        """End a bot that has gone over its limit; it shows when the bot is next asked."""
        self.process.look()

    def watch(self) -> None:
        """While another is asked: stop a bot that computes."""
        if not self.restless and self.process.cpu_ns() - self.cpu_ns > RESTLESS_NS:
            self.restless = True
            self.process.pause()

    def wait(self, watch: Stopwatch, budget_ns: int) -> tuple[bytes, int]:
        """The next line and what it costs in nanoseconds; Late past the budget.

        Most answers come at once. Only for the others is the kernel asked how long it kept the bot
        waiting for a processor, so that this does not count.
        """
        owed_ns = self.owed_ns
        budget_ns -= owed_ns
        if budget_ns < 0:
            raise Late
        line = self._receive(watch, min(budget_ns, QUICK_NS))
        if line is not None and not watch.late:
            return line, watch.waited_ns + owed_ns
        line, spent_ns = self._wait_long(watch, budget_ns, line)
        return line, spent_ns + owed_ns

    def _wait_long(self, watch: Stopwatch, budget_ns: int, line: bytes | None) -> tuple[bytes, int]:
        process = self.process
        delay_ns = process.run_delay_ns() if self.delay_ns is None else self.delay_ns
        stalled_ns = max(budget_ns * STALL_FACTOR, STALL_NS)
        while True:
            # From the question on: several threads use more than one processor's time.
            cpu_ns = process.cpu_ns() - self.asked_ns
            run_delay_ns = process.run_delay_ns() - delay_ns
            spent_ns = charged_ns(watch.wall_ns, watch.waited_ns, run_delay_ns, cpu_ns)
            if spent_ns > budget_ns:
                raise Late
            if line is not None:
                return line, spent_ns
            if watch.passed_ns > stalled_ns:
                raise RefereeError(
                    f"This machine is too busy: {self.player.name} never got its turn."
                )
            self.look(self)
            line = self._receive(watch, min(budget_ns - spent_ns + NS_PER_MS, SLICE_NS))

    def _receive(self, watch: Stopwatch, limit_ns: int) -> bytes | None:
        """A line, if one comes within the limit; OnlyBlank after too many empty ones.

        While the machine holds the bot no time passes for it.
        """
        before_ns = watch.waited_ns
        try:
            line = watch.receive(self.process, limit_ns)
        except SeatTimeout:
            if self.process.held():
                watch.waited_ns = before_ns
            return None
        if not protocol.is_blank(line):
            return line
        self.blank += 1
        if self.blank > MAX_BLANK:
            raise OnlyBlank
        return None

    def greet(self, line: bytes) -> None:
        """Send the start line; `await_ready` finds out whether the bot is already gone."""
        self.asked_ns = self.process.cpu_ns()
        self.delay_ns = self.process.run_delay_ns()
        with suppress(SeatClosed):
            self.process.send(line)

    def await_ready(self, watch: Stopwatch) -> Fault | None:
        """Wait for `ready`; the fault if it does not come.

        `watch` runs since the start line, for all bots that start side by side.
        """
        try:
            line, self.start_ns = self.wait(watch, START_MS * NS_PER_MS)
        except UNANSWERED as error:
            late = fault_text.late_start(START_MS // 1000)
            return self.fail("start", 0, *self.silence(error, late))
        self.delay_ns = None
        if protocol.is_ready(line):
            return None
        return self.fail("start", 0, protocol.received(line), fault_text.NOT_READY)

    def fail(self, kind: FaultKind, move: int, received: str, detail: str) -> Fault:
        """Book the seat's fault and stop its bot."""
        self.fault = Fault(self.index, kind, move, received, detail)
        self.leave()
        return self.fault

    def leave(self) -> Exit:
        """Stop the bot after noting its use of memory, which is lost with the process."""
        self.process.usage()
        return self.process.close()

    def silence(self, error: Exception, out_of_time: str) -> tuple[str, str]:
        """What came instead of a line, and a sentence about it.

        RefereeError if the machine took the bot away: that is nobody's fault.
        """
        if isinstance(error, LineTooLong):
            return protocol.received(error.prefix), fault_text.too_long(str(error))
        if isinstance(error, OnlyBlank):
            return "", fault_text.only_blank(MAX_BLANK)
        data = self._unread()
        received = protocol.received(data)
        if not isinstance(error, SeatClosed):
            own_program = self.player.program.command is not None  # ours flushes
            words = fault_text.sent_instead(
                data, self.blank, may_buffer=own_program and self.asked is None
            )
            return received, f"{out_of_time} {words}".rstrip()
        ending = self.leave()
        if ending.reason == "outside":
            if not self.unlucky:
                raise RefereeError(f"{self.player.name}: {ending.text}", seat=self.index)
            return received, f"{ending.text} {fault_text.TWICE}"
        if ending.reason == "killed":
            return received, fault_text.CLOSED
        cause = diagnose(self.player.program, self.process.stderr())
        return received, f"{ending.text} {cause}".rstrip()

    def _unread(self) -> bytes:
        """What it sent that is no line, or came too late to be one."""
        try:
            return self.process.waiting()
        except SeatClosed:
            return b""

    def report(self) -> SeatReport:
        """What the seat used, after it has left."""
        usage = self.process.usage()
        return SeatReport(
            name=self.player.name,
            cpu_ms=usage.cpu_ms,
            wall_ms=self.clock.used_ns / NS_PER_MS,
            slowest_ms=self.slowest_ns / NS_PER_MS,
            peak_memory_kib=usage.peak_memory_kib,
            stderr=self.process.stderr(),
            moves=self.moves,
            fault=self.fault,
        )


def kind_of(error: Exception) -> FaultKind:
    """The fault behind a question that got no line."""
    if isinstance(error, SeatClosed):
        return "crash"
    return "garbage" if isinstance(error, LineTooLong | OnlyBlank) else "time"
