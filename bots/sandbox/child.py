"""What stands between us and a runner: a child of ours, or of a process that starts it for us."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple, Protocol

from bots.sandbox import accounts


class Used(NamedTuple):
    """What a process and its own used: seconds of the processor, the largest resident memory."""

    cpu_s: float = 0.0
    peak_kib: int = 0


class Child(Protocol):
    """What stands between us and a runner, and ends as it ended."""

    returncode: int | None

    @property
    def pid(self) -> int:
        """Its process number."""

    def poll(self) -> int | None:
        """The exit status if it has ended."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises subprocess.TimeoutExpired."""

    def ended(self, timeout_ms: float) -> tuple[int, Used] | None:
        """Wait status and use, as soon as it has ended; told once. Raises ChildProcessError."""

    def signal_group(self, number: int) -> None:
        """Send it and its own a signal."""

    def held(self) -> bool:
        """Whether this machine has stopped or frozen it, or another one that a start needs."""


class Started(subprocess.Popen[bytes]):
    """A child that we started: bubblewrap, or a trusted runner."""

    def ended(self, timeout_ms: float) -> tuple[int, Used] | None:
        """Wait status and use, as soon as it has ended; told once. Raises ChildProcessError."""
        found = os.wait4(self.pid, os.WNOHANG)
        if not found[0]:
            self._await_end(timeout_ms)
            found = os.wait4(self.pid, os.WNOHANG)
        if not found[0]:
            return None
        _, status, used = found
        self.returncode = os.waitstatus_to_exitcode(status)
        return status, Used(used.ru_utime + used.ru_stime, used.ru_maxrss)

    def _await_end(self, timeout_ms: float) -> None:
        """Wait until it has ended or the time is over."""
        with suppress(AttributeError, OSError):  # another system, or no descriptor is left
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
        """Send it and its own a signal."""
        os.killpg(self.pid, number)

    def held(self) -> bool:
        """Whether this machine has stopped or frozen it, or another one that a start needs."""
        pids = [self.pid]
        for pid in pids:
            pids += accounts.children(pid)
        return any(map(accounts.held, pids))


def readable(fd: int, timeout_ms: float) -> bool:
    """Whether something can be read, or was closed, or (a pidfd) ended, within a time."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(timeout_ms))
