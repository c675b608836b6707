"""One seat of a match during play: its bot, its clock, its first fault."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import Final, NamedTuple, Protocol

from bots.referee import fault_text, protocol
from bots.referee.clock import NS_PER_MS, Clock, Stopwatch, charged_ns
from bots.referee.diagnoses import diagnose
from bots.referee.outcome import Fault, FaultKind, RefereeError, SeatedBot, SeatReport
from bots.sandbox import Exit, LineTooLong, Program, SeatClosed, SeatTimeout, Usage
from bots.sandbox.pinning import give_way
from cardroom_base.core.safe_text import one_line

START_MS = 10_000
"""Time that a bot has until `ready`, to import and load; the sandbox's own start does not count."""
QUICK_NS = 5 * NS_PER_MS
"""The kernel's accounting is read only for decisions that take longer."""
SLICE_NS = 20 * NS_PER_MS
"""Interval at which the referee samples all bots, regardless of how many answer."""
IDLE_NS = NS_PER_MS // 10
"""Processor time that is not charged after an answer, so that the interpreter can return to
reading."""
RESTLESS_NS = 2 * NS_PER_MS
"""A bot that computes longer than this between questions is paused until the next one."""
NEVER = 1 << 62
"""The initial `last_cpu_ns`. It is more than any bot uses, so the first question charges no time
from before it."""
STALL_FACTOR = 20
"""A decision this many times over its budget shows that the machine is too busy to judge."""
STALL_NS = 30_000 * NS_PER_MS
"""The minimum wall time before a machine counts as too busy."""
SETTLE_S, SETTLE_TRIES = 50e-6, 20
"""Length and number of the waits for a bot that still computes after its answer."""
MAX_BLANK = 1_000
"""Maximum number of empty lines that are skipped for one question."""


class BotProcessLike(Protocol):
    """The part of `bots.sandbox.BotProcess` that the referee uses."""

    def send(self, line: bytes) -> None: ...
    def mark(self, move: int) -> None: ...
    def receive(self, timeout_s: float) -> bytes: ...
    def take_output(self) -> bytes: ...
    def runs(self) -> bool: ...
    def suspended(self) -> bool: ...
    def run_delay_ns(self) -> int: ...
    def cpu_ns(self) -> int: ...
    def held_kib(self) -> int: ...
    def enforce_memory_limit(self) -> bool: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def usage(self) -> Usage: ...
    def stderr(self) -> bytes: ...
    def close(self) -> Exit: ...


class SandboxLike(Protocol):
    """The part of `bots.sandbox.Sandbox` that the referee uses."""

    def open(self, program: Program, *, name: str) -> BotProcessLike: ...


class LateAnswerError(Exception):
    """The clock ran out before the answer."""


class BlankLinesError(Exception):
    """The bot sent too many empty lines."""


UNANSWERED: Final = (SeatClosed, LineTooLong, LateAnswerError, BlankLinesError)


class TimedAnswer(NamedTuple):
    """An answer in time."""

    move: str
    note: str | None
    spent_ns: int
    line: bytes
    previous_number: int | None
    """The number of the previous question, if the same line answered it, too."""


class LiveSeat:
    """One seat during a match."""

    __slots__ = (
        "asked_cpu_ns",
        "blank_lines",
        "clock",
        "echoes",
        "events_sent",
        "fault",
        "index",
        "last_answered",
        "last_cpu_ns",
        "last_line",
        "moves",
        "owed_ns",
        "player",
        "poll",
        "process",
        "restless",
        "slowest_ns",
        "start_ns",
        "unlucky",
    )

    def __init__(
        self,
        index: int,
        player: SeatedBot,
        process: BotProcessLike,
        clock: Clock,
        *,
        unlucky: bool = False,
    ) -> None:
        self.index = index
        self.player = player
        self.process = process
        self.clock = clock
        self.events_sent = 0
        """Number of the match's events that the bot has been sent."""
        self.moves = 0
        self.slowest_ns = 0
        self.start_ns = 0
        self.last_cpu_ns = NEVER
        """The bot's processor time at the end of its last turn."""
        self.asked_cpu_ns = 0
        """The bot's processor time at the current question."""
        self.owed_ns = 0
        """Processor time between the last answer and this question, charged to this question."""
        self.restless = False
        """Whether the bot computed between questions, and is therefore paused between them."""
        self.last_answered: int | None = None
        """The number of the last answered question."""
        self.last_line = b""
        self.echoes = False
        """Whether the last answer repeated its question's number."""
        self.blank_lines = 0
        self.unlucky = unlucky
        """Whether the machine killed this bot in an earlier attempt at the match."""
        self.poll: Callable[[LiveSeat], object] = LiveSeat.check_memory
        """Called with this seat every `SLICE_NS` while its bot thinks."""
        self.fault: Fault | None = None

    def ask(self, number: int, line: bytes, late_text: str) -> TimedAnswer | Fault:
        """Ask the bot question `number`. `late_text`: the fault's sentence if the clock runs out.

        Returns the answer or the fault, which is also stored. The caller checks the move.
        """
        self.process.mark(number)
        self.blank_lines = 0
        try:
            if extra := self._prepare_question():
                return self._fail_for_extra(number, extra)
            watch = Stopwatch()
            self.process.send(line)
            answer_line, spent_ns = self.wait(watch, self.clock.budget_ns)
            self.end_turn()
        except UNANSWERED as error:
            return self.fail(kind_of(error), number, *self._explain_silence(error, late_text))
        return self._read(number, answer_line, spent_ns)

    def _read(self, number: int, line: bytes, spent_ns: int) -> TimedAnswer | Fault:
        answer = protocol.parse_answer(line)
        if answer is None:
            return self.fail("garbage", number, protocol.received_text(line), fault_text.NO_ANSWER)
        if answer.number is not None and answer.number != number:
            detail = fault_text.wrong_number(number, answer.number)
            return self.fail("extra", number, protocol.received_text(line), detail)
        self.echoes = answer.number is not None
        previous_number = self.last_answered if line == self.last_line and not self.echoes else None
        self.last_answered, self.last_line = number, line
        return TimedAnswer(answer.move, answer.note, spent_ns, line, previous_number)

    def _prepare_question(self) -> bytes:
        """Prepare a question; returns the bot's output since its last answer.

        Charges the bot for its processor time since then.
        """
        process = self.process
        if self.restless:
            process.resume()
        if not self.echoes:
            self._settle()
        extra = process.take_output()
        if extra and not (text := extra.strip()):
            self.blank_lines += extra.count(b"\n")
            extra = text
        self.asked_cpu_ns = process.cpu_ns()
        owed_ns = self.asked_cpu_ns - self.last_cpu_ns
        self.owed_ns = owed_ns if owed_ns > IDLE_NS else 0
        if owed_ns > RESTLESS_NS:
            self.restless = True
        return extra

    def _settle(self) -> None:
        """Wait briefly for a bot that may still be writing a second line.

        An answer that repeats its question's number (`n`) needs no such wait.
        """
        for _ in range(SETTLE_TRIES):
            give_way()
            if not self.process.runs():
                return
            sleep(SETTLE_S)

    def _fail_for_extra(self, number: int, extra: bytes) -> Fault:
        lines = [line for line in extra.split(b"\n") if not protocol.is_blank(line)]
        first_line = protocol.received_text(lines[0])
        detail = fault_text.unexpected_lines(len(lines), first_line, self.last_answered)
        return self.fail("extra", number, first_line, detail)

    def end_turn(self) -> None:
        """Store the processor time after an answer, and pause a bot that computes between
        questions."""
        self.last_cpu_ns = self.process.cpu_ns()
        if self.restless:
            self.process.pause()

    def pause(self) -> None:
        """Pause the bot until it is asked."""
        self.restless = True
        self.process.pause()

    def check_memory(self) -> None:
        """Kill the bot if it is over its memory limit; its next question fails and reports it."""
        self.process.enforce_memory_limit()

    def pause_if_computing(self) -> None:
        """Pause the bot if it computes while another one is asked."""
        if not self.restless and self.process.cpu_ns() - self.last_cpu_ns > RESTLESS_NS:
            self.pause()

    def wait(self, watch: Stopwatch, budget_ns: int) -> tuple[bytes, int]:
        """The next line and its cost in nanoseconds; LateAnswerError past the budget.

        A bot is not charged for its wait for a processor, which is read from the kernel for slow
        answers only.
        """
        owed_ns = self.owed_ns
        budget_ns -= owed_ns
        if budget_ns < 0:
            raise LateAnswerError
        line = self._receive(watch, min(budget_ns, QUICK_NS))
        if line is not None and not watch.late:
            return line, watch.waited_ns + owed_ns
        line, spent_ns = self._wait_long(watch, budget_ns, line)
        return line, spent_ns + owed_ns

    def _wait_long(self, watch: Stopwatch, budget_ns: int, line: bytes | None) -> tuple[bytes, int]:
        process = self.process
        delay_ns = process.run_delay_ns()
        stall_limit_ns = max(budget_ns * STALL_FACTOR, STALL_NS)
        while True:
            # Counted since the question: several threads can use more processor time than has
            # passed.
            cpu_ns = process.cpu_ns() - self.asked_cpu_ns
            run_delay_ns = process.run_delay_ns() - delay_ns
            spent_ns = charged_ns(watch.wall_ns, watch.waited_ns, run_delay_ns, cpu_ns)
            if spent_ns > budget_ns:
                raise LateAnswerError
            if line is not None:
                return line, spent_ns
            if watch.elapsed_ns > stall_limit_ns:
                raise RefereeError(
                    f"This machine is too busy: {self.player.name} never got its turn."
                )
            self.poll(self)
            line = self._receive(watch, min(budget_ns - spent_ns + NS_PER_MS, SLICE_NS))

    def _receive(self, watch: Stopwatch, limit_ns: int) -> bytes | None:
        """A line, if one comes within the limit; BlankLinesError after too many empty ones.

        The bot's clock stops while the machine has stopped the bot.
        """
        before_ns = watch.waited_ns
        try:
            line = watch.receive(self.process, limit_ns)
        except SeatTimeout:
            if self.process.suspended():
                watch.waited_ns = before_ns
            return None
        if not protocol.is_blank(line):
            return line
        self.blank_lines += 1
        if self.blank_lines > MAX_BLANK:
            raise BlankLinesError
        return None

    def send_start(self, line: bytes) -> None:
        """Send the start line; `await_ready` notices a bot that has already ended."""
        self.asked_cpu_ns = self.process.cpu_ns()
        with suppress(SeatClosed):
            self.process.send(line)

    def await_ready(self, watch: Stopwatch) -> Fault | None:
        """Wait for `ready`; returns the fault if it does not come.

        `watch`: this seat's own, begun when the start lines had been sent.
        """
        try:
            line, self.start_ns = self.wait(watch, START_MS * NS_PER_MS)
        except UNANSWERED as error:
            late_text = fault_text.late_start(START_MS // 1000)
            return self.fail("start", 0, *self._explain_silence(error, late_text))
        if protocol.is_ready(line):
            return None
        return self.fail("start", 0, protocol.received_text(line), fault_text.NOT_READY)

    def fail(self, kind: FaultKind, move: int, received: str, detail: str) -> Fault:
        """Store the seat's fault and stop its bot.

        The sentence may quote the bot's files, and becomes public.
        """
        self.fault = Fault(self.index, kind, move, received, one_line(detail))
        self.stop()
        return self.fault

    def stop(self) -> Exit:
        """Read the bot's memory figures, which disappear with the process; then stop it."""
        self.process.usage()
        return self.process.close()

    def _explain_silence(self, error: Exception, out_of_time: str) -> tuple[str, str]:
        """Explain why no answer came: (the output so far, a sentence about the cause).

        RefereeError if the machine killed the bot, which is not the bot's fault.
        """
        if isinstance(error, LineTooLong):
            return protocol.received_text(error.prefix), fault_text.too_long(str(error))
        if isinstance(error, BlankLinesError):
            return "", fault_text.blank_lines_only(MAX_BLANK)
        data = self._unread()
        received = protocol.received_text(data)
        if not isinstance(error, SeatClosed):
            runs_own_program = self.player.program.command is not None  # our runner flushes
            hint = fault_text.silence_hint(
                data, self.blank_lines, may_buffer=runs_own_program and self.last_answered is None
            )
            return received, f"{out_of_time} {hint}".rstrip()
        ending = self.stop()
        if ending.reason == "outside":
            if not self.unlucky:
                raise RefereeError(f"{self.player.name}: {ending.text}", seat=self.index)
            return received, f"{ending.text} {fault_text.KILLED_TWICE}"
        if ending.reason == "killed":
            return received, fault_text.CLOSED
        cause = diagnose(self.player.program, self.process.stderr())
        return received, f"{ending.text} {cause}".rstrip()

    def _unread(self) -> bytes:
        """Output that the bot sent too late or without a newline."""
        try:
            return self.process.take_output()
        except SeatClosed:
            return b""

    def report(self) -> SeatReport:
        """The seat's usage; call it after `stop`."""
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
    """The kind of fault of a bot that sent no line."""
    if isinstance(error, SeatClosed):
        return "crash"
    return "garbage" if isinstance(error, LineTooLong | BlankLinesError) else "time"
