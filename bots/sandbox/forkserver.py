"""Fork runners from a process that has loaded everything: faster than starting each.

The other side is `bots.runner.forkserver`.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from contextlib import ExitStack, suppress
from typing import Final

from bots.sandbox import bubblewrap, process, process_stats
from bots.sandbox.libraries import Needs
from bots.sandbox.model import Limits, SandboxUnavailable
from bots.sandbox.process import Process
from bots.sandbox.server import ServedProcess, Server

_LEAVING_S: Final = 0.5


class Forkserver(Server):
    """The process that forks the runners of one `Sandbox`; any of its threads may use it."""

    def __init__(self, needs: Needs = ()) -> None:
        """Start the server, which loads these libraries. Raises SandboxUnavailable; later failures
        appear with the first runner."""
        namespace = process.files_namespace("python", needs)
        with ExitStack() as stack:
            try:
                proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, proc)
                super().__init__()
            except OSError as error:
                raise SandboxUnavailable(f"No channel to a sandbox: {error}") from error
            stack.callback(self.server_end.close)
            command = bubblewrap.server_command(
                process.bubblewrap_program(), *process.EXTRA_FDS, needs
            )
            try:
                self._server = process.spawn_inside(
                    namespace, command, [self.server_end.fileno(), proc]
                )
            except BaseException:
                self.control.close()
                raise

    def start(self, limits: Limits) -> Process:
        """Start a runner and wait until it is ready. Raises SandboxUnavailable with the cause."""
        token = secrets.token_hex(8)  # a counter would reveal the number of bots
        pipes = process.Pipes()
        try:
            message = f"{token} {process.seat_user()} {limits.disk_mib << 20}"
            self.request(message.encode(), pipes.inside)
        except SandboxUnavailable as error:
            pipes.close()
            raise SandboxUnavailable(f"{error} {self._error_output()}".rstrip()) from error
        except BaseException:
            pipes.close()
            raise
        started = Process(ServedProcess(self, token), *pipes.close_inner_ends())
        return process.when_ready(started, limits, lambda: self._runner_pid(token))

    def close(self) -> None:
        """End the server, and with it all remaining runners."""
        self.has_ended = True
        self.control.close()
        with suppress(subprocess.TimeoutExpired):  # if it exits in time, its usage is known
            self._server.popen.wait(_LEAVING_S)
        self._server.abandon()

    def _runner_pid(self, token: str) -> int:
        """The PID of a runner that has said hello; the server has reported it before that."""
        try:
            return self.pids(token)[1]
        except IndexError:  # the server died in between
            raise SandboxUnavailable("The sandbox died during its start.") from None

    def suspended(self, token: str) -> bool:
        """Whether this machine has stopped or frozen the server, a monitor or the runner."""
        bubblewrap_pid = self._server.popen.pid  # bubblewrap, which has started the server
        if not bubblewrap_pid:
            return self._server.popen.suspended()
        servers = process_stats.children(bubblewrap_pid)
        monitors = [monitor for server in servers for monitor in process_stats.children(server)]
        return any(
            map(process_stats.suspended, (bubblewrap_pid, *servers, *monitors, *self.pids(token)))
        )

    def kill_unreported(self, token: str) -> None:  # noqa: ARG002 - its monitor is unknown
        """Kill a runner whose PID was never reported, together with all others."""
        self.kill()

    def kill(self) -> None:
        """Kill the server, and with it all runners."""
        self._server.kill()

    def _error_output(self) -> str:
        """The error output of bubblewrap and the server."""
        with suppress(OSError):
            return os.read(self._server.stderr, 4096).decode(errors="replace").strip()
        return ""
