"""A process that starts others for us. It says over a socket where they are and how they end."""

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

from bots.sandbox.child import Used, readable
from bots.sandbox.model import SandboxUnavailable

_MESSAGE: Final = 256
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group
_ASIDE: Final = socket.CMSG_SPACE(_CREDENTIALS.size)
_GLANCE_MS: Final = 2  # another thread may have read what this one waits for


class Server:
    """Our end of the socket, for any thread. What the server has started is known by tokens.

    It says `at TOKEN`, and the kernel adds the number of the process that says so, or `at TOKEN
    PID` of another one; then `end TOKEN STATUS USER SYSTEM PEAK`, as `wait4` told.
    """

    def __init__(self) -> None:
        """Make the socket; `theirs` is to be closed once the server has it. Raises OSError."""
        self.control, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.control.settimeout(0)
        self.gone = False
        self._lock = threading.Lock()
        self._places: dict[str, list[int]] = {}
        self._ends: dict[str, tuple[int, Used]] = {}

    def give_up(self, token: str) -> None:
        """Kill what it was asked to start and never said where it is."""
        raise NotImplementedError

    def held(self, token: str) -> bool:
        """Whether this machine has stopped or frozen what the start of a token needs."""
        raise NotImplementedError

    def ask(self, words: bytes, descriptors: Sequence[int]) -> None:
        """Send a request. Raises SandboxUnavailable."""
        rights = array.array("i", descriptors)
        try:
            self.control.sendmsg([words], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except OSError as error:
            if isinstance(error, ConnectionError):  # not if it is only busy
                self.gone = True
            raise SandboxUnavailable(f"No runner could be asked for: {error}.") from error

    def places(self, token: str) -> list[int]:
        """The numbers of the processes that said where they are, first the one we wait for."""
        self.listen()
        return self._places.get(token, [])

    def end(self, token: str, timeout_ms: float) -> tuple[int, Used] | None:
        """How what it started has ended, and what that used; told once."""
        deadline = time.monotonic() + timeout_ms / 1000
        while True:
            self.listen()
            if token in self._ends:
                self._places.pop(token, None)
                return self._ends.pop(token)
            if self.gone:
                return signal.SIGKILL, Used()
            left_ms = (deadline - time.monotonic()) * 1000
            if left_ms <= 0:
                return None
            with suppress(OSError, ValueError):  # closed meanwhile
                readable(self.control.fileno(), min(left_ms, _GLANCE_MS))

    def listen(self) -> None:
        """Read what there is."""
        with self._lock:
            while not self.gone:
                try:
                    said, aside, _, _ = self.control.recvmsg(_MESSAGE, _ASIDE)
                except BlockingIOError:
                    return
                except OSError:
                    said, aside = b"", []
                if not said:
                    self.gone = True
                    return
                self._note(said.decode().split(), aside)

    def _note(self, words: list[str], aside: list[tuple[int, int, bytes]]) -> None:
        kind, token, *rest = words
        if kind == "end":
            status, user, system, peak = rest
            self._ends[token] = int(status), Used(float(user) + float(system), int(peak))
            return
        (speaker, _, _), *_ = [_CREDENTIALS.unpack(data) for _, _, data in aside]
        self._places.setdefault(token, []).append(int(rest[0]) if rest else speaker)


class Served:
    """What a server has started: a `child.Child`."""

    def __init__(self, server: Server, token: str) -> None:
        self._server = server
        self._token = token
        self.returncode: int | None = None

    @property
    def pid(self) -> int:
        """Its process number; 0 as long as nobody knows it."""
        return next(iter(self._server.places(self._token)), 0)

    def poll(self) -> int | None:
        """The exit status if it has ended."""
        self.ended(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises subprocess.TimeoutExpired."""
        while self.returncode is None:
            if self.ended((timeout or 1.0) * 1000) is None and timeout is not None:
                raise subprocess.TimeoutExpired("runner", timeout)
        return self.returncode

    def ended(self, timeout_ms: float) -> tuple[int, Used] | None:
        """Wait status and use, as soon as it has ended; told once."""
        if self.returncode is not None:
            return None
        end = self._server.end(self._token, timeout_ms)
        if end is not None:
            self.returncode = os.waitstatus_to_exitcode(end[0])
        return end

    def signal_group(self, number: int) -> None:
        """Send it and its own a signal, as soon as it is known where they are."""
        if pid := self.pid:
            os.killpg(pid, number)
        elif number == signal.SIGKILL and self.returncode is None and not self.held():
            self._server.give_up(self._token)

    def held(self) -> bool:
        """Whether this machine has stopped or frozen it, or another one that a start needs."""
        return self._server.held(self._token)
