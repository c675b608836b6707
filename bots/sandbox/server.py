"""Start processes through a server process, which reports their PIDs and their exits."""

from __future__ import annotations

import array
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from bots.sandbox.child import ChildUsage, readable
from bots.sandbox.model import SandboxUnavailable

_MESSAGE: Final = 256
_CREDENTIALS: Final = struct.Struct("3i")  # PID, UID, GID
_ANCILLARY_BYTES: Final = socket.CMSG_SPACE(_CREDENTIALS.size)
_POLL_MS: Final = 2  # short, because another thread may read the message that this one awaits


class Server:
    """Our end of the control socket; any thread may use it. A token names each started process.

    Messages of the server: `at TOKEN`, to which the kernel adds the PID of the sender,
    or `at TOKEN PID`; later `end TOKEN STATUS USER SYSTEM PEAK`, with the figures of `wait4`.
    """

    def __init__(self) -> None:
        """Create the sockets; close `server_end` once the server has it. Raises OSError."""
        self.control, self.server_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.control.settimeout(0)
        self.has_ended = False
        self._lock = threading.Lock()
        self._pids: dict[str, list[int]] = {}
        self._ends: dict[str, tuple[int, ChildUsage]] = {}

    def kill_unreported(self, token: str) -> None:
        """Kill a process that was requested but whose PID is still unknown."""
        raise NotImplementedError

    def suspended(self, token: str) -> bool:
        """Whether this machine has stopped or frozen a process on which this token depends."""
        raise NotImplementedError

    def request(self, message: bytes, descriptors: Sequence[int]) -> None:
        """Send a request. Raises SandboxUnavailable."""
        fds = array.array("i", descriptors)
        try:
            self.control.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        except OSError as error:
            # Other errors, such as a full buffer, are temporary.
            if isinstance(error, ConnectionError):
                self.has_ended = True
            raise SandboxUnavailable(f"No runner could be requested: {error}.") from error

    def pids(self, token: str) -> list[int]:
        """The PIDs that the server has reported for a token; does not wait for a report."""
        self.listen()
        return self._pids.get(token, [])

    def end(self, token: str, timeout_ms: float) -> tuple[int, ChildUsage] | None:
        """Wait status and resource use of the process; None if it still runs after the timeout.

        The result is returned once; later calls return None.
        """
        deadline = time.monotonic() + timeout_ms / 1000
        while True:
            self.listen()
            if token in self._ends:
                self._pids.pop(token, None)
                return self._ends.pop(token)
            if self.has_ended:
                return signal.SIGKILL, ChildUsage()
            left_ms = (deadline - time.monotonic()) * 1000
            if left_ms <= 0:
                return None
            with suppress(OSError, ValueError):  # the socket was closed meanwhile
                readable(self.control.fileno(), min(left_ms, _POLL_MS))

    def listen(self) -> None:
        """Read all messages that have arrived."""
        with self._lock:
            while not self.has_ended:
                try:
                    message, credentials, _, _ = self.control.recvmsg(_MESSAGE, _ANCILLARY_BYTES)
                except BlockingIOError:
                    return
                except OSError:
                    message, credentials = b"", []
                if not message:
                    self.has_ended = True
                    return
                self._store_message(message.decode().split(), credentials)

    def _store_message(
        self, fields_of_message: list[str], credentials: list[tuple[int, int, bytes]]
    ) -> None:
        kind, token, *fields = fields_of_message
        if kind == "end":
            status, user, system, peak = fields
            self._ends[token] = int(status), ChildUsage(float(user) + float(system), int(peak))
            return
        (sender, _, _), *_ = [_CREDENTIALS.unpack(data) for _, _, data in credentials]
        self._pids.setdefault(token, []).append(int(fields[0]) if fields else sender)


class ServedProcess:
    """A process that a server started; implements `child.Child`."""

    def __init__(self, server: Server, token: str) -> None:
        self._server = server
        self._token = token
        self.returncode: int | None = None

    @property
    def pid(self) -> int:
        """The PID; 0 while it is unknown."""
        return next(iter(self._server.pids(self._token)), 0)

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        self.ended(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status. Raises subprocess.TimeoutExpired."""
        while self.returncode is None:
            if self.ended((timeout or 1.0) * 1000) is None and timeout is not None:
                raise subprocess.TimeoutExpired("runner", timeout)
        return self.returncode

    def ended(self, timeout_ms: float) -> tuple[int, ChildUsage] | None:
        """(wait status, usage) once the process has ended; returned only once, None otherwise."""
        if self.returncode is not None:
            return None
        end = self._server.end(self._token, timeout_ms)
        if end is not None:
            self.returncode = os.waitstatus_to_exitcode(end[0])
        return end

    def signal_group(self, number: int) -> None:
        """Send a signal to the process group; while its PID is unknown, only SIGKILL works."""
        if pid := self.pid:
            os.killpg(pid, number)
        elif number == signal.SIGKILL and self.returncode is None and not self.suspended():
            self._server.kill_unreported(self._token)

    def suspended(self) -> bool:
        """Whether this machine has stopped or frozen the process, or one on which it depends."""
        return self._server.suspended(self._token)
