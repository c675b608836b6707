"""The process through which a runner is controlled: our own child, or a server's."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple, Protocol

from bots.sandbox import accounts


class Used(NamedTuple):
    """Resource use of a process and its children: CPU seconds, peak resident memory in KiB."""

    cpu_s: float = 0.0
    peak_kib: int = 0


class Child(Protocol):
    """The process through which a runner is controlled; it exits with the runner's status."""

    returncode: int | None

    @property
    def pid(self) -> int:
        """Its process number."""

    def poll(self) -> int | None:
        """The exit status; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status. Raises subprocess.TimeoutExpired."""

    def ended(self, timeout_ms: float) -> tuple[int, Used] | None:
        """Wait status and resource use once it has ended, None otherwise.

        It is returned once. Raises ChildProcessError.
        """

    def signal_group(self, number: int) -> None:
        """Send a signal to its process group."""

    def suspended(self) -> bool:
        """Whether this machine has stopped or frozen it, or a process on which it depends."""


class Started(subprocess.Popen[bytes]):
    """Our own child: bubblewrap, or a trusted runner."""

    def ended(self, timeout_ms: float) -> tuple[int, Used] | None:
        """Wait status and resource use once it has ended, None otherwise.

        It is returned once. Raises ChildProcessError.
        """
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            self._await_end(timeout_ms)
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return None
        self.returncode = os.waitstatus_to_exitcode(status)
        return status, Used(used.ru_utime + used.ru_stime, used.ru_maxrss)

    def _await_end(self, timeout_ms: float) -> None:
        """Wait until it has ended or the timeout is over."""
        with suppress(AttributeError, OSError):  # not Linux, or no descriptor is left
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
        """Send a signal to its process group."""
        os.killpg(self.pid, number)

    def suspended(self) -> bool:
        """Whether this machine has stopped or frozen it, or a process on which it depends."""
        pids = [self.pid]
        for pid in pids:
            pids += accounts.children(pid)
        return any(map(accounts.suspended, pids))


def readable(fd: int, timeout_ms: float) -> bool:
    """Wait until a descriptor can be read, was closed or (a pidfd) ended; False at the timeout."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(timeout_ms))
