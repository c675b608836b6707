"""Runners forked by one that is ready, instead of started one by one (`bots.runner.forkserver`)."""

from __future__ import annotations

import os
import secrets
import subprocess
from contextlib import ExitStack, suppress
from typing import Final

from bots.sandbox import accounts, bubblewrap, process
from bots.sandbox.model import Limits, SandboxUnavailable
from bots.sandbox.process import Process
from bots.sandbox.server import Served, Server

_LEAVING_S: Final = 0.5


class Forkserver(Server):
    """One process that forks runners for one `Sandbox`, for any of its threads."""

    def __init__(self) -> None:
        """Start it. Raises SandboxUnavailable; what it cannot do shows with the first runner."""
        where = process.shown("python")
        with ExitStack() as stack:
            try:
                proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, proc)
                super().__init__()
            except OSError as error:
                raise SandboxUnavailable(f"No way to talk to a sandbox: {error}") from error
            stack.callback(self.theirs.close)
            command = bubblewrap.server_command(process.bubblewrap_program(), *process.MORE)
            try:
                self._server = process.spawn_inside(where, command, [self.theirs.fileno(), proc])
            except BaseException:
                self.control.close()
                raise

    def start(self, limits: Limits) -> Process:
        """A runner that stands. Raises SandboxUnavailable with what went wrong."""
        token = secrets.token_hex(8)  # a number that counts would tell bots how many there were
        pipes = process.Pipes()
        try:
            words = f"{token} {process.seat_user()} {limits.disk_mib << 20}"
            self.ask(words.encode(), pipes.inside)
        except SandboxUnavailable as error:
            pipes.close()
            raise SandboxUnavailable(f"{error} {self._said()}".rstrip()) from error
        except BaseException:
            pipes.close()
            raise
        started = Process(Served(self, token), *pipes.handed_over())
        return process.standing(started, limits, lambda: self._runner(token))

    def close(self) -> None:
        """End it, and with it all runners that are left."""
        self.gone = True
        self.control.close()
        with suppress(subprocess.TimeoutExpired):  # it ends by itself, and what it used is known
            self._server.popen.wait(_LEAVING_S)
        self._server.abandon()

    def _runner(self, token: str) -> int:
        """The process number of a runner that has said hello: it said where it is before that."""
        try:
            return self.places(token)[1]
        except IndexError:  # the server died in between
            raise SandboxUnavailable("The sandbox died as it came up.") from None

    def held(self, token: str) -> bool:
        """Whether this machine has stopped or frozen it, or a monitor, or this token's runner."""
        first = self._server.popen.pid  # bubblewrap, which has started the server
        if not first:
            return self._server.popen.held()
        servers = accounts.children(first)
        monitors = [monitor for server in servers for monitor in accounts.children(server)]
        return any(map(accounts.held, (first, *servers, *monitors, *self.places(token))))

    def give_up(self, token: str) -> None:  # noqa: ARG002 - nobody knows which monitor it is
        """Kill what it was asked to start and never said where it is: with all others."""
        self.kill()

    def kill(self) -> None:
        """Kill all that it ever forked."""
        self._server.kill()

    def _said(self) -> str:
        """What bubblewrap or the server complained of."""
        with suppress(OSError):
            return os.read(self._server.stderr, 4096).decode(errors="replace").strip()
        return ""
