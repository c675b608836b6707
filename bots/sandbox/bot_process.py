"""One running bot process."""

from __future__ import annotations

import os
import resource
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from bots.runner.runner import LOCKED
from bots.sandbox import process_stats
from bots.sandbox.channel import Channel, OutputExceeded
from bots.sandbox.child import ChildUsage, readable
from bots.sandbox.ending import Cut, Facts, describe_end
from bots.sandbox.model import Exit, Limits, LineTooLong, SeatClosed, SeatTimeout, Usage
from bots.sandbox.process import Process

_SIGNAL_STATUS: Final = 128  # bubblewrap adds it to the number of the signal that ended the bot
_EXIT_MS: Final = 250
_WATCH_MS: Final = 20
"""Interval at which the memory of a bot that is to end is checked."""
_STOPPED: Final = Exit(None, signal.SIGKILL, "killed", "The bot was stopped.")


class BotProcess:
    """One running bot process, used by one referee thread."""

    def __init__(
        self,
        process: Process,
        limits: Limits,
        load: bytes,
        name: str,
        on_close: Callable[[BotProcess], None] | None = None,
    ) -> None:
        """`load`: the message that gives the waiting runner its bot (`process.load_message`)."""
        self.name = name
        self._process = process
        self._limits = limits
        self._on_close = on_close
        self._channel = Channel(process.stdin, process.stdout, process.stderr, limits)
        self._usage = Usage(0.0, 0)
        self._peak_kib = 0
        self._exit: Exit | None = None
        self._closing = threading.Lock()
        self._kills_before = process_stats.out_of_memory_kills()
        self._is_idle = True
        self._runner_locked = False
        self._paused = False
        self._cut: Cut | None = None
        self._load = load

    def send(self, line: bytes) -> None:
        """Send one line (without newline), without blocking. Raises SeatClosed.

        If the pipe is full, the rest is sent later, while the answer is awaited.
        """
        if self._exit is not None:
            raise SeatClosed("the seat is closed")
        self._begin()
        self._channel.write(line + b"\n")

    def _begin(self) -> None:
        """Give the runner its bot, unless it has it. Earlier, nobody would watch its memory."""
        if self._load:
            with suppress(SeatClosed):  # the first `receive` reports it
                self._channel.write(self._load)
            self._load = b""

    def mark(self, move: int) -> None:
        """Mark the following output in the bot's log with the number of this decision."""
        self._channel.mark = move

    def receive(self, timeout_s: float) -> bytes:
        """The next line, without newline. Raises SeatTimeout, SeatClosed, LineTooLong.

        Lines that the bot sent unasked come first. May be called again after SeatTimeout.
        """
        if self._exit is not None:
            raise SeatClosed("the seat is closed")
        self._begin()
        self._is_idle = False
        try:
            line = self._channel.read_line(timeout_s)
            if not self._runner_locked:
                self._runner_locked = line + b"\n" == LOCKED
                line = self._channel.read_line(timeout_s)
        except OutputExceeded:
            self._cut = "output"
            raise
        except SeatClosed:  # the bot is about to exit, so `close` gives it time
            self._is_idle = True
            raise
        self._is_idle = True
        return line

    def take_output(self) -> bytes:
        """Take output that has not been received: whole lines or not, about 64 KiB at most.

        Raises SeatClosed if the bot's total output is too long.
        """
        if self._exit is not None:
            return b""
        try:
            return self._channel.take_output()
        except OutputExceeded:
            self._cut = "output"
            raise

    def runs(self) -> bool:
        """Whether the bot's first thread computes or waits for a processor."""
        return self._exit is None and process_stats.state(self._process.pid) == "R"

    def suspended(self) -> bool:
        """Whether the machine has stopped or frozen the bot, other than by `pause`.

        A bot cannot do that itself: it is the first process of its namespace, which no process
        inside can stop. False for a trusted bot, because the cause is unknown.
        """
        if self._exit is not None or self._paused or self._process.pidfd is None:
            return False
        return process_stats.suspended(self._process.pid)

    def cpu_ns(self) -> int:
        """Processor time of all the bot's threads in nanoseconds; 0 once it has ended."""
        return 0 if self._exit is not None else process_stats.cpu_ns(self._process.pid)

    def run_delay_ns(self) -> int:
        """Nanoseconds for which the bot has waited for a processor; 0 if they cannot be read."""
        return 0 if self._exit is not None else process_stats.run_delay_ns(self._process.pid)

    def held_kib(self) -> int:
        """The bot's present memory in KiB, without pages of shared files; 0 once it has ended."""
        return 0 if self._exit is not None else process_stats.memory(self._process.pid).held_kib

    def usage(self) -> Usage:
        """The bot's usage so far or, after its end, in total."""
        if self._exit is None:
            self._update_usage(process_stats.memory(self._process.pid).peak_kib)
        return self._usage

    def enforce_memory_limit(self) -> bool:
        """Kill the bot if its memory exceeds the limit; False if it ever exceeded it."""
        if self._exit is None and self._cut is None:
            memory = process_stats.memory(self._process.pid)
            self._peak_kib = max(self._peak_kib, memory.peak_kib)
            # If our process has ended, its PID may belong to another process by now.
            if memory.held_kib > self._limits.wall_mib << 10 and self._process.is_running():
                self._cut = "memory"
                self._process.kill()
        return self._cut != "memory"

    def pause(self) -> None:
        """Stop the process until `resume`. Lines sent meanwhile wait in its pipe."""
        if self._exit is None and not self._paused:
            self._paused = True
            self._process.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue the process."""
        if self._paused:
            self._paused = False
            self._process.signal(signal.SIGCONT)

    def stderr(self) -> bytes:
        """The end of the bot's log: the last `Limits.stderr_bytes` of it."""
        if self._exit is None:
            # Four reads empty a pipe; a bot that floods its log must not delay the caller.
            for _ in range(4):
                if not readable(self._process.stderr, 0) or not self._channel.read_log():
                    break
        return self._channel.log()

    def close(self, grace_s: float = 0.25) -> Exit:
        """Stop the bot and free everything, even after errors; may be called twice.

        `grace_s`: seconds that the bot has to exit after its input has ended; 0 if it
        owes an answer.
        """
        with self._closing:
            if self._exit is None:
                try:
                    self._exit = self._end(grace_s if self._is_idle else 0.0)
                finally:
                    self._exit = self._exit or _STOPPED
                    self._process.abandon()
                    if self._on_close is not None:
                        self._on_close(self)
        return self._exit

    def _update_usage(self, peak_kib: int, cpu_ms: float = 0.0) -> None:
        cpu_ms = max(self._usage.cpu_ms, cpu_ms, self.cpu_ns() / 1e6)
        peak_kib = max(self._usage.peak_memory_kib, self._peak_kib, peak_kib)
        self._usage = Usage(cpu_ms, peak_kib)

    def _end(self, grace_s: float) -> Exit:
        """Let the bot end, or kill it; return how it ended."""
        process = self._process
        self.enforce_memory_limit()
        self.usage()
        self.resume()
        process.close_input()
        if not self._read_to_end(grace_s):
            self._stop()
        child_status, within_limit = self._reap()
        self._read_to_end(0.1)
        group = process.group
        if group is not None:
            killed_below_limit = group.killed_below_limit()
        else:
            killed_below_limit = (
                within_limit and process_stats.out_of_memory_kills() > self._kills_before
            )
        sandbox_signal = -child_status if child_status < 0 else 0
        return describe_end(
            Facts(
                status=self._bot_status(child_status),
                usage=self._usage,
                cut=self._cut,
                sandbox_signal=sandbox_signal if process.pidfd is not None else 0,
                runner_locked=self._runner_locked,
                exceeded_limit=group is not None and group.exceeded_limit(),
                killed_below_limit=killed_below_limit,
                log=self._channel.log(),
            ),
            self._limits,
        )

    def _stop(self) -> None:
        self._cut = self._cut or "killed"
        self._process.kill()

    def _read_to_end(self, timeout_s: float) -> bool:
        """Read both outputs to their ends; False if the bot still holds them at the deadline."""
        deadline = time.monotonic() + timeout_s
        readers = {
            self._process.stdout: self._discard,
            self._process.stderr: self._channel.read_log,
        }
        poll = select.poll()
        for fd in readers:
            poll.register(fd, select.POLLIN)
        while readers:
            left_ms = max(0.0, deadline - time.monotonic()) * 1000.0
            for fd, _ in poll.poll(min(left_ms, _WATCH_MS)):
                if not readers[fd]():
                    poll.unregister(fd)
                    del readers[fd]
            if readers and time.monotonic() >= deadline:
                return False
            if readers and self._process.is_running():
                self.enforce_memory_limit()
        return True

    def _discard(self) -> bool:
        """Drop answers, but notice the runner's report of its lock; False at their end."""
        if self._runner_locked:
            return self._channel.discard_answers()
        try:
            self._runner_locked = self._channel.read_line(0.0) + b"\n" == LOCKED
        except (SeatTimeout, LineTooLong):
            return True
        except SeatClosed:
            return False
        return True

    def _reap(self) -> tuple[int, bool]:
        """Wait for the end of the child; return (exit code, whether it kept its memory limit).

        The child's peak of resident memory includes this process's, because starting it copied this
        process. Only a higher peak is certainly the bot's. It also reveals the peak of a bot that
        crashed between two measurements.
        """
        process = self._process
        try:
            status, child_usage = self._wait_for_end()
        except ChildProcessError:  # another process reaped it, so the exit status is unknown
            process.popen.returncode = -signal.SIGKILL
            return -signal.SIGKILL, True
        own_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak_kib = child_usage.peak_kib if child_usage.peak_kib > own_kib else 0
        self._update_usage(peak_kib, child_usage.cpu_s * 1e3)
        within_limit = child_usage.peak_kib <= max(own_kib, self._limits.wall_mib << 10)
        return os.waitstatus_to_exitcode(status), within_limit

    def _wait_for_end(self) -> tuple[int, ChildUsage]:
        """(wait status, usage) of the child; a bot that does not end is killed."""
        ended = self._process.popen.ended(_EXIT_MS)
        while ended is None:
            # A bot may run on after closing its outputs. If it has ended, only its monitor hangs.
            if self._process.is_running():
                self._stop()
            ended = self._process.popen.ended(_EXIT_MS)
        return ended

    def _bot_status(self, status: int) -> int:
        """The bot's exit status, or minus the signal that ended it, from the child's `status`.

        Bubblewrap exits with the bot's status, or with 128 plus the signal's number. The kernel
        reports the bot's own wait status. Older kernels do not, but the filter prevents a bot from
        ending itself with a status above 127, so both cases can be distinguished.
        """
        if self._process.pidfd is None:
            return status
        wait_status = process_stats.wait_status(self._process.pidfd)
        if wait_status is not None:
            return os.waitstatus_to_exitcode(wait_status)
        return _SIGNAL_STATUS - status if status > _SIGNAL_STATUS else status
