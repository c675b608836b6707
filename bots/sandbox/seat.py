"""One running bot process."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from bots.runner import runner
from bots.sandbox.channel import Channel, OutputExceeded
from bots.sandbox.model import Exit, Limits, SeatClosed, Usage
from bots.sandbox.process import Process

_CLOCK_OF_PROCESS: Final = 2  # CPUCLOCK_SCHED: nanoseconds of all threads, ended ones too
_CODES: Final = {runner.EXIT_MEMORY: "memory", runner.EXIT_DISK: "disk"}
_CPU_SIGNALS: Final = (signal.SIGKILL, signal.SIGXCPU)
_BY_SIGNAL: Final = 128
_ROUGHLY: Final = 0.75  # the kernel counts RLIMIT_CPU by clock ticks, not exactly
_NEARLY: Final = 0.9  # of a limit: what died there died of it


class Seat:
    """One running bot process, used by one referee thread."""

    def __init__(
        self,
        process: Process,
        limits: Limits,
        load: bytes,
        name: str,
        on_close: Callable[[Seat], None] | None = None,
    ) -> None:
        """Take over a runner that said hello, and give it its bot (`process.load_message`)."""
        self.name = name
        self._process = process
        self._limits = limits
        self._on_close = on_close
        self._channel = Channel(process.stdin, process.stdout, process.stderr, limits)
        self._usage = Usage(0.0, 0)
        self._exit: Exit | None = None
        self._patient = True
        self._flooded = False
        self._stopped = False
        with suppress(SeatClosed):  # the first receive will tell
            self._channel.write(load)

    def send(self, line: bytes) -> None:
        """Send one line (given without newline). Never blocks. Raises SeatClosed.

        What the bot is too slow to read is kept and sent while we wait for its answer.
        """
        if self._exit is not None:
            raise SeatClosed("the seat is closed")
        self._channel.write(line + b"\n")

    def receive(self, timeout_s: float) -> bytes:
        """Next line without newline. Raises SeatTimeout, SeatClosed, LineTooLong.

        Lines that the bot sent unasked come first. May be called again after SeatTimeout.
        """
        if self._exit is not None:
            raise SeatClosed("the seat is closed")
        self._patient = False
        try:
            line = self._channel.read_line(timeout_s)
        except OutputExceeded:
            self._flooded = True
            raise
        except SeatClosed:  # it is leaving: its end is its own
            self._patient = True
            raise
        self._patient = True
        return line

    def run_delay_ns(self) -> int:
        """Time the kernel kept the bot waiting for a processor, so far; 0 where unreadable.

        Counted for the first thread, less the processor time of the bot's other threads: a bot
        that crowds itself out with threads gains nothing.
        """
        try:
            text = Path(f"/proc/{self._process.pid}/schedstat").read_bytes()
        except OSError:
            return 0
        ran_ns, waited_ns, *_ = map(int, text.split())
        others_ns = max(0, _cpu_ns(self._process.pid) - ran_ns)
        return max(0, waited_ns - others_ns)

    def usage(self) -> Usage:
        """What the bot used so far; after its end, what it used in all."""
        if self._exit is None:
            cpu_ms = max(self._usage.cpu_ms, _cpu_ns(self._process.pid) / 1e6)
            peak = max(self._usage.peak_memory_kib, _peak_kib(self._process.pid))
            self._usage = Usage(cpu_ms, peak)
        return self._usage

    def stderr(self) -> bytes:
        """The end of the bot's log: the last `Limits.stderr_bytes` of it."""
        if self._exit is None:
            for _ in range(4):  # a pipe's worth and more; a flood must not hold us
                if not self._log_waits() or not self._channel.read_log():
                    break
        return self._channel.log()

    def close(self, grace_s: float = 0.25) -> Exit:
        """Stop the bot and free everything; may be called twice.

        grace_s: how long it may take to leave by itself now that its input ended. A bot that owes
        an answer gets none.
        """
        if self._exit is not None:
            return self._exit
        process = self._process
        self.usage()
        os.close(process.stdin)
        process.stdin = -1
        self._stopped = not self._drain(grace_s if self._patient else 0.0)
        if self._stopped:
            process.kill()
        status = self._reap()
        self._drain(0.1)
        self._exit = self._ending(status)
        process.free()
        if self._on_close is not None:
            self._on_close(self)
        return self._exit

    def _log_waits(self) -> bool:
        poll = select.poll()
        poll.register(self._process.stderr, select.POLLIN)
        return bool(poll.poll(0))

    def _drain(self, timeout_s: float) -> bool:
        """Read both outputs to their ends; False if the bot still holds them at the deadline."""
        deadline = time.monotonic() + timeout_s
        ends = {
            self._process.stdout: self._channel.discard_answers,
            self._process.stderr: self._channel.read_log,
        }
        poll = select.poll()
        for fd in ends:
            poll.register(fd, select.POLLIN)
        while ends:
            for fd, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000.0):
                if not ends[fd]():
                    poll.unregister(fd)
                    del ends[fd]
            if ends and time.monotonic() >= deadline:
                return False
        return True

    def _reap(self) -> int:
        """Wait for the end of what we started; its status, and the processor time of all."""
        process = self._process
        deadline = time.monotonic() + 0.25
        pid, status, used = os.wait4(process.popen.pid, os.WNOHANG)
        while not pid:
            if time.monotonic() > deadline:  # it closed its outputs and lives on
                self._stopped = True
                process.kill()
                pid, status, used = os.wait4(process.popen.pid, 0)
                break
            time.sleep(0.0002)
            pid, status, used = os.wait4(process.popen.pid, os.WNOHANG)
        process.popen.returncode = os.waitstatus_to_exitcode(status)
        cpu_ms = (used.ru_utime + used.ru_stime) * 1e3
        self._usage = Usage(max(self._usage.cpu_ms, cpu_ms), self._usage.peak_memory_kib)
        return process.popen.returncode

    def _ending(self, status: int) -> Exit:
        """Tell what ended the bot from its exit status, negative for a signal."""
        code, ended_by = (None, -status) if status < 0 else (status, None)
        if self._process.pidfd is not None and status > _BY_SIGNAL:  # bubblewrap's way to say it
            code, ended_by = None, status - _BY_SIGNAL
        reason = self._reason(code, ended_by)
        return Exit(code, ended_by, reason, self._sentence(reason, code, ended_by))

    def _reason(self, code: int | None, ended_by: int | None) -> str:
        limits, usage = self._limits, self._usage
        full = usage.peak_memory_kib >= limits.memory_mib * 1024 * _NEARLY
        group = self._process.group
        if self._flooded:
            return "output"
        if group is not None and group.ran_out_of_memory():
            return "memory"
        if self._stopped:
            return "killed"
        if code in _CODES:
            return _CODES[code]
        if ended_by in _CPU_SIGNALS and usage.cpu_ms >= limits.cpu_s * 1e3 * _ROUGHLY:
            return "cpu"
        if ended_by is None:
            return "exited"
        if full:
            return "memory"
        # A bot in a sandbox cannot send itself this signal: it is alone there, as process 1.
        from_outside = ended_by == signal.SIGKILL and self._process.pidfd is not None
        return "outside" if from_outside else "crashed"

    def _sentence(self, reason: str, code: int | None, ended_by: int | None) -> str:
        limits = self._limits
        match reason:
            case "output":
                return f"The bot sent more than {limits.output_bytes} bytes of answers in all."
            case "memory":
                return f"The bot needed more than {limits.memory_mib} MiB of memory."
            case "cpu":
                return f"The bot used up its {limits.cpu_s} s of processor time."
            case "disk":
                return f"The bot's files do not fit into {limits.disk_mib} MiB."
            case "killed":
                return "The bot was stopped."
            case "outside":
                return "The bot was killed from outside: perhaps the machine ran out of memory."
            case "crashed":
                name = signal.strsignal(ended_by or 0) or "unknown"
                return f"The bot crashed: signal {ended_by} ({name})."
        return f"The bot ended by itself with exit status {code}."


def _cpu_ns(pid: int) -> int:
    """Processor time of all threads of a process, also of those that ended; 0 if it is gone."""
    try:
        return time.clock_gettime_ns(~pid << 3 | _CLOCK_OF_PROCESS)
    except OSError:
        return 0


def _peak_kib(pid: int) -> int:
    """The largest resident memory of a process so far; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return 0
    _, found, rest = text.partition(b"VmHWM:")
    return int(rest.split(maxsplit=1)[0]) if found else 0
