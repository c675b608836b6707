"""Starts the processes of a site, restarts them if they die, and leaves none behind.

Every service leads its own session, so that Ctrl-C reaches only the supervisor, which then stops
the services in order. If the supervisor is killed, the kernel kills the services; they lose only
time, because the database has all the state. The supervisor adopts the orphans of killed services,
and ends them, too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from cardroom.processes import (
    STOP_SIGNALS,
    ModuleProcess,
    adopt_orphans,
    descendants,
    die_with_parent,
    reap,
)

START_SECONDS = 30.0
"""Seconds in which a service must become ready."""
STOP_SECONDS = 8.0
"""Seconds in which a service must end, in addition to `Service.work_seconds`."""
REPORT_SECONDS = 1.0
"""Seconds after which the supervisor reports the unfinished work of a service that it stops."""
RESTART_DELAYS = (0.0, 0.5, 1.0, 2.0, 5.0)
"""Seconds before a service is restarted, by the number of its deaths in a row."""
STEADY_SECONDS = 30.0
"""Seconds after which a service counts as steady: its next death is the first in a row."""
MAX_LOG_BYTES = 5_000_000
"""Bytes at which a log file is renamed when the site starts."""


Process = subprocess.Popen[bytes] | ModuleProcess


class StartFailedError(RuntimeError):
    """A service did not become ready; the text contains the end of its log."""


@dataclass
class Service:
    """One process of the site, and its current state."""

    name: str
    command: Sequence[str]
    forks: bool = False
    """Whether its first process is a copy of the supervisor's, which shares imported modules. The
    command is then `python -m MODULE`. After a death it is started as a new program, which loads
    repaired files."""
    ready: Callable[[], bool] = lambda: True
    """Whether the service works; called after its start."""
    ends_last: bool = False
    """Whether it ends after the others, which need it until they have stopped."""
    work_seconds: float = 0.0
    """Seconds that its work may take to end when it is stopped."""
    work: Callable[[], str] = lambda: "its work"
    """Its unfinished work for people, such as `2 matches`; empty if there is none."""
    process: Process | None = None
    started: float = 0.0
    deaths: int = 0
    """Deaths in a row, each after less than `STEADY_SECONDS`."""
    restart_at: float | None = None
    """The time of its next start, if it has ended."""


@dataclass
class Supervisor:
    """Runs services. Use it from the main thread; call `tick` a few times a second."""

    services: Sequence[Service]
    folder: Path
    """The folder of the log files."""
    say: Callable[[str], None]
    """Prints a sentence for people."""
    environment: Mapping[str, str] = field(default_factory=dict)
    kill_now: bool = False
    """Whether to kill the services immediately."""

    def start(self) -> None:
        """Start all services and wait until they are ready, or end all and raise
        StartFailedError."""
        adopt_orphans()
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            for service in self.services:
                self._rotate_log(service)
                self._launch(service)
                if service.ends_last:
                    self._await(service)
            for service in self.services:
                self._await(service)
        except BaseException:
            self.stop()
            raise

    def tick(self) -> None:
        """Reap dead services, and restart them when due."""
        now = time.monotonic()
        for service in self.services:
            process = service.process
            if process is not None and (code := process.poll()) is not None:
                _kill_group(process)
                service.process = None
                self._plan_restart(service, code, now)
            if service.restart_at is not None and now >= service.restart_at:
                service.restart_at = None
                self._launch(service)
        reap({service.process.pid for service in self.services if service.process})

    def crash_report(self) -> str:
        """A message about a service that keeps dying; empty if there is none."""
        for service in self.services:
            if service.deaths >= len(RESTART_DELAYS):
                problem = f"{service.name} ended {service.deaths} times in a row"
                return f"{problem}. The end of {self.log_path(service)}:\n{self._tail(service)}"
        return ""

    def stop(self) -> None:
        """End all services, those with `ends_last` after the others, then all their descendants.

        Ctrl-C during this kills them immediately.
        """
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in STOP_SIGNALS}
        signal.signal(signal.SIGINT, self._kill_on_signal)
        try:
            self._stop([service for service in self.services if not service.ends_last])
            self._stop([service for service in self.services if service.ends_last])
            self._end_descendants()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def log_path(self, service: Service) -> Path:
        """The log file of a service."""
        return self.folder / f"{service.name}.log"

    def _launch(self, service: Service) -> None:
        """Start a service: with `forks` and before its first death, as a copy of this process."""
        with self.log_path(service).open("ab") as log:
            if service.forks and not service.deaths:
                service.process = ModuleProcess(service.command, log, self.environment)
            else:
                service.process = self._execute(service, log)
        service.started = time.monotonic()

    def _execute(self, service: Service, log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            service.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self.environment},
            start_new_session=True,
            preexec_fn=die_with_parent,
        )

    def _await(self, service: Service) -> None:
        """Wait until a service is ready; StartFailedError if it ends or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        while not service.ready():
            if service.process is None or service.process.poll() is not None:
                raise StartFailedError(f"{service.name} does not start:\n{self._tail(service)}")
            if time.monotonic() > deadline:
                problem = f"{service.name} is not ready after {START_SECONDS:.0f} s"
                raise StartFailedError(f"{problem}:\n{self._tail(service)}")
            time.sleep(0.05)

    def _plan_restart(self, service: Service, code: int, now: float) -> None:
        """Report that a service died, and plan its restart."""
        steady = now - service.started > STEADY_SECONDS
        service.deaths = 1 if steady else service.deaths + 1
        service.restart_at = now + RESTART_DELAYS[min(service.deaths, len(RESTART_DELAYS)) - 1]
        self.say(
            f"{service.name} ended ({_ending_text(code)}); it will be restarted. "
            f"Its log: {self.log_path(service)}"
        )

    def _stop(self, services: Sequence[Service]) -> None:
        """Terminate services, and kill those that do not end in time."""
        running = [(service, service.process) for service in services if service.process]
        for _, process in running:
            process.terminate()
        began = time.monotonic()
        for service, process in sorted(running, key=lambda pair: pair[0].work_seconds):
            if not self._wait_for_end(service, process, began):
                self.say(f"{service.name} did not end in time and was killed.")
            _kill_group(process)
            process.wait()
            service.process = service.restart_at = None

    def _wait_for_end(self, service: Service, process: Process, began: float) -> bool:
        """Wait for a service to end, and report its unfinished work; False if it takes too long."""
        report_at, reported = began + REPORT_SECONDS, False
        deadline = began + service.work_seconds + STOP_SECONDS
        while process.poll() is None:
            now = time.monotonic()
            if self.kill_now or now > deadline:
                return False
            if service.work_seconds and now > report_at and not reported:
                reported = True
                if work := service.work():
                    self.say(
                        f"Waiting up to {service.work_seconds:.0f} s for {work} to end; "
                        "unfinished work will be redone later. Press Ctrl-C to stop immediately."
                    )
            time.sleep(0.05)
        return True

    def _kill_on_signal(self, *_: object) -> None:
        self.kill_now = True

    def _end_descendants(self) -> None:
        """Kill orphans that lead their own sessions, for example sandboxes."""
        for _ in range(50):
            reap(set())
            orphans = descendants(os.getpid())
            if not orphans:
                return
            for pid in orphans:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.02)

    def _rotate_log(self, service: Service) -> None:
        log = self.log_path(service)
        if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))

    def _tail(self, service: Service, lines: int = 15) -> str:
        """The last lines of a service's log."""
        text = self.log_path(service).read_bytes()[-20_000:].decode(errors="replace")
        return "\n".join(text.splitlines()[-lines:])


def _kill_group(leader: Process) -> None:
    """Kill the rest of a service's process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, signal.SIGKILL)


def stop_on_signals() -> None:
    """Make SIGTERM and SIGHUP end this process like Ctrl-C, with KeyboardInterrupt."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler)


def _ending_text(code: int) -> str:
    if code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"status {code}"
