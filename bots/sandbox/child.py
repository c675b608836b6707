"""The process between us and a runner: our child, or the child of a server that starts it."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple, Protocol

from bots.sandbox import process_stats


class ChildUsage(NamedTuple):
    """Usage of a process and its children: processor seconds, peak of resident memory in KiB."""

    cpu_s: float = 0.0
    peak_kib: int = 0


class Child(Protocol):
    """The process between us and a runner, whose exit status it passes on."""

    returncode: int | None

    @property
    def pid(self) -> int:
        """The child's PID."""

    def poll(self) -> int | None:
        """The exit status; None until it has ended."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status. Raises subprocess.TimeoutExpired."""

    def ended(self, timeout_ms: float) -> tuple[int, ChildUsage] | None:
        """(wait status, usage) once the child has ended; returned only once, None otherwise.

        Waits for at most `timeout_ms`. Raises ChildProcessError.
        """

    def signal_group(self, number: int) -> None:
        """Send a signal to the child and its children."""

    def suspended(self) -> bool:
        """Whether this machine has stopped or frozen the child or a process on which it depends."""


class ChildProcess(subprocess.Popen[bytes]):
    """A child of this process: bubblewrap, or a trusted runner."""

    def ended(self, timeout_ms: float) -> tuple[int, ChildUsage] | None:
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            self._await_end(timeout_ms)
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return None
        self.returncode = os.waitstatus_to_exitcode(status)
        return status, ChildUsage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def _await_end(self, timeout_ms: float) -> None:
        """Wait until the child has ended, but at most for the timeout."""
        with suppress(AttributeError, OSError):  # not Linux, or no free descriptor
            pidfd = os.pidfd_open(self.pid)
            try:
                readable(pidfd, timeout_ms)
            finally:
                os.close(pidfd)
            return
        deadline = time.monotonic() + timeout_ms / 1000
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(0.0002)

    def signal_group(self, number: int) -> None:
        """Send a signal to the child and its children."""
        os.killpg(self.pid, number)

    def suspended(self) -> bool:
        """Whether this machine has stopped or frozen the child or a process on which it depends."""
        pids = [self.pid]
        for pid in pids:
            pids += process_stats.children(pid)
        return any(map(process_stats.suspended, pids))


def readable(fd: int, timeout_ms: float) -> bool:
    """Whether a descriptor becomes readable or closed, or the process of a pidfd ends, in time."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(timeout_ms))
