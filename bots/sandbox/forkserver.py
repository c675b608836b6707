"""Runners forked by one that is ready, instead of started one by one (`bots.runner.forkserver`)."""

from __future__ import annotations

import array
import os
import secrets
import signal
import socket
import struct
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from typing import Final

from bots.sandbox import accounts, bubblewrap, image, interpreter, process, programs, root, tmpfs
from bots.sandbox.model import Limits, SandboxUnavailable
from bots.sandbox.process import Process, Used

_MESSAGE: Final = 256
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group
_ASIDE: Final = socket.CMSG_SPACE(_CREDENTIALS.size)
_LEAVING_S: Final = 0.5
_GLANCE_MS: Final = 2  # another thread may have read what this one waits for


class Forkserver:
    """One process that forks runners for one `Sandbox`, for any of its threads.

    It dies with the thread that made it.
    """

    def __init__(self) -> None:
        """Start it. Raises SandboxUnavailable; what it cannot do shows with the first runner."""
        program = programs.find("bwrap")
        if program is None:
            raise SandboxUnavailable("bubblewrap is not installed.")
        python = interpreter.running()
        shown = tmpfs.show(
            program, python, root.ensure_root(python, "python"), image.ensure_image(python)
        )
        self._lock = threading.Lock()
        self._places: dict[str, list[int]] = {}
        self._ends: dict[str, tuple[int, Used]] = {}
        self.gone = False
        with ExitStack() as stack:
            try:
                ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                stack.enter_context(theirs)
                proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, proc)
            except OSError as error:
                raise SandboxUnavailable(f"No way to talk to a sandbox: {error}") from error
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            ours.settimeout(0)
            self._control = ours
            fds = (theirs.fileno(), proc)
            command = [*shown.entering(), *bubblewrap.server_command(program, *fds)]
            try:
                self._server = process.spawn(command, pass_fds=(*shown.descriptors, *fds))
            except BaseException:
                ours.close()
                raise

    def start(self, limits: Limits) -> Process:
        """A runner that stands. Raises SandboxUnavailable with what went wrong."""
        token = secrets.token_hex(8)  # a number that counts would tell bots how many there were
        pipes = process.Pipes()
        try:
            words = f"{token} {process.seat_user()} {limits.disk_mib << 20}"
            rights = array.array("i", pipes.inside)
            self._control.sendmsg(
                [words.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            )
        except OSError as error:
            pipes.close()
            if isinstance(error, ConnectionError):  # not if it is only busy
                self.gone = True
            raise SandboxUnavailable(
                f"No runner could be asked for: {error}. {self._said()}".rstrip()
            ) from error
        except BaseException:
            pipes.close()
            raise
        started = Process(Monitor(self, token), *pipes.handed_over())
        return process.standing(started, limits, lambda: self._runner(token))

    def close(self) -> None:
        """End it, and with it all runners that are left."""
        self.gone = True
        self._control.close()
        with suppress(subprocess.TimeoutExpired):  # it ends by itself, and what it used is known
            self._server.popen.wait(_LEAVING_S)
        self._server.abandon()

    def place(self, token: str) -> int | None:
        """The process number of a monitor, once it said so."""
        self._listen()
        return next(iter(self._places.get(token, ())), None)

    def _runner(self, token: str) -> int:
        """The process number of a runner that has said hello: it said where it is before that."""
        self._listen()
        try:
            return self._places[token][1]
        except (KeyError, IndexError):  # the server died in between
            raise SandboxUnavailable("The sandbox died as it came up.") from None

    def end(self, token: str, timeout_ms: float) -> tuple[int, Used] | None:
        """The wait status of a monitor and what it used, once it has ended; told once."""
        deadline = time.monotonic() + timeout_ms / 1000
        while True:
            self._listen()
            if token in self._ends:
                self._places.pop(token, None)
                return self._ends.pop(token)
            if self.gone:
                return signal.SIGKILL, Used()
            left_ms = (deadline - time.monotonic()) * 1000
            if left_ms <= 0:
                return None
            with suppress(OSError, ValueError):  # closed meanwhile
                process.readable(self._control.fileno(), min(left_ms, _GLANCE_MS))

    def held(self, token: str) -> bool:
        """Whether this machine has stopped or frozen it, or a monitor, or this token's runner."""
        self._listen()
        first = self._server.popen.pid  # bubblewrap, which has started the server
        servers = accounts.children(first)
        monitors = [monitor for server in servers for monitor in accounts.children(server)]
        known = self._places.get(token, [])
        return any(map(accounts.held, (first, *servers, *monitors, *known)))

    def kill(self) -> None:
        """Kill all that it ever forked."""
        self._server.kill()

    def _listen(self) -> None:
        """Read what there is."""
        with self._lock:
            while not self.gone:
                try:
                    said, aside, _, _ = self._control.recvmsg(_MESSAGE, _ASIDE)
                except BlockingIOError:
                    return
                except OSError:
                    said, aside = b"", []
                if not said:
                    self.gone = True
                    return
                self._note(said.decode().split(), aside)

    def _note(self, words: list[str], aside: list[tuple[int, int, bytes]]) -> None:
        token = words[1]
        if words[0] == "end":
            status, user, system, peak = words[2:]
            self._ends[token] = int(status), Used(float(user) + float(system), int(peak))
            return
        (pid, _, _), *_ = [_CREDENTIALS.unpack(data) for _, _, data in aside]
        self._places.setdefault(token, []).append(pid)

    def _said(self) -> str:
        """What bubblewrap or the server complained of."""
        with suppress(OSError):
            return os.read(self._server.stderr, 4096).decode(errors="replace").strip()
        return ""


class Monitor:
    """Who waits for a forked runner: a `process.Child`."""

    def __init__(self, server: Forkserver, token: str) -> None:
        self._server = server
        self._token = token
        self.returncode: int | None = None

    @property
    def pid(self) -> int:
        """Its process number; 0 as long as nobody knows it."""
        return self._server.place(self._token) or 0

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
        found = self._server.end(self._token, timeout_ms)
        if found is not None:
            self.returncode = os.waitstatus_to_exitcode(found[0])
        return found

    def signal_group(self, number: int) -> None:
        """Send it and its runner a signal; one that never said where it is goes with all others."""
        if pid := self.pid:
            os.killpg(pid, number)
        elif number == signal.SIGKILL and self.returncode is None and not self.held():
            self._server.kill()

    def held(self) -> bool:
        """Whether this machine has stopped or frozen it, or another one that a start needs."""
        return self._server.held(self._token)
