"""Simulates machines that run a worker, a housekeeper or a web server.

Each host has its own folder, sandbox, clock, sources and, if the kernel allows it, network, and
tests can make each of these misbehave. Hosts are started as docs/04-operations.md describes for
several machines.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from cardroom.processes import adopt_orphans, children, descendants, die_with_parent
from tests import preloaded
from tests.breakable_bubblewrap import BreakableBubblewrap, readable_folder
from tests.preloaded import PreloadedProcess
from tests.servers import free_port, wait_for
from tests.sites import ROOT
from tests.source_copies import copy_sources

SETTINGS: Final = "tests.faults.settings"
START_SECONDS: Final = 120
STOP_SECONDS: Final = 180
"""A host must start and stop within these times."""

PROCESS_KINDS: Final = ("host", "pool", "bots", "sandboxes", "parent")
"""Kinds of a worker's processes: `host` is all of them, `pool` the processes that play matches,
`bots` the bots, `sandboxes` the processes around bots, and `parent` the parent of the pool."""

_SOURCES: Final = ("engine", "bots", "tournaments", "platform", "seeds")


def is_bot(pid: int) -> bool:
    """Whether a process is a bot: it also has an id in a sandbox's namespace, and no child."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    (ids,) = [line for line in status.splitlines() if line.startswith("NSpid:")]
    return len(ids.split()) > 2 and not children(pid)


@dataclass
class Host:
    """One machine that runs one part of a site."""

    name: str
    environment: Mapping[str, str]
    command: Sequence[str]
    """Arguments of `python -m`."""
    ready: str
    """The text in its log that shows that it works; may be empty."""
    network: Path | None = None
    """Its network namespace; None: this machine's."""
    sources: Path = ROOT
    folder: Path = field(default_factory=readable_folder)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        for name in ("var", "tmp"):
            (self.folder / name).mkdir()
        self.bwrap = BreakableBubblewrap(self.folder)

    @property
    def log(self) -> Path:
        """The file with its output."""
        return self.folder / "output"

    @property
    def pid(self) -> int:
        """The id of its first process."""
        assert self.process is not None
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether its first process still runs."""
        return self.process is not None and self.process.poll() is None

    def env(self) -> dict[str, str]:
        """The environment of its processes."""
        roots = [str(self.sources), str(self.sources / "platform"), str(ROOT)]
        own = {
            "CARDROOM_VAR": str(self.folder / "var"),
            "CELERY_SKIP_CHECKS": "1",  # `make lint` makes these checks, which import all pages
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "PGAPPNAME": self.name,
            "PATH": self.bwrap.path,
            "PYTHONPATH": ":".join(roots),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(self.folder / "tmp"),
        }
        return {**os.environ, **own, **self.environment}

    def start(self) -> None:
        """Start it; `await_ready` waits until it works."""
        adopt_orphans()
        with self.log.open("ab") as log:
            self.process = PreloadedProcess(
                [sys.executable, "-m", *self.command],
                network=self.network,
                env=self.env(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        self._log_start = self.log.stat().st_size

    _log_start: int = 0

    def manage(self, *arguments: str) -> None:
        """Run a Django command."""
        command = [sys.executable, "-m", "django", *arguments]
        preloaded.run(command, env=self.env(), cwd=self.folder).check_returncode()

    def await_ready(self) -> None:
        """Wait until it works; the test fails immediately if it has ended."""

        def is_ready() -> bool:
            assert self.is_running, f"{self.name} has ended: {self.output()}"
            return self.ready in self.log.read_bytes()[self._log_start :].decode(errors="replace")

        wait_for(is_ready, f"{self.name} does not start: {self.output()}", START_SECONDS)

    def output(self, characters: int = 3000) -> str:
        """The end of its log."""
        text = self.log.read_bytes().decode(errors="replace") if self.log.exists() else ""
        return f"\n--- {self.name}\n{text[-characters:]}"

    def processes(self) -> list[int]:
        """All its processes."""
        return [self.pid, *descendants(self.pid)] if self.is_running else []

    def processes_of(self, kind: str) -> list[int]:
        """A worker's processes of one of PROCESS_KINDS."""
        pool = children(self.pid) if self.is_running else []
        below_pool = [pid for child in pool for pid in descendants(child)]
        bots = [pid for pid in below_pool if is_bot(pid)]
        return {
            "parent": [self.pid],
            "pool": pool,
            "sandboxes": [pid for pid in below_pool if pid not in bots],
            "bots": bots,
            "host": self.processes(),
        }[kind]

    # --- faults ---------------------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop all its processes without a warning."""
        frozen: set[int] = set()
        while running := [pid for pid in self.processes() if pid not in frozen]:
            frozen.update(running)
            for pid in running:
                _signal(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Continue its processes."""
        for pid in reversed(self.processes()):
            _signal(pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill all its processes, as a power failure does."""
        for pid in self.processes():
            _signal(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait(STOP_SECONDS)

    def request_stop(self) -> None:
        """Send SIGTERM, without waiting."""
        if self.is_running:
            _signal(self.pid, signal.SIGTERM)

    def await_exit(self) -> int:
        """Wait until it has ended; return its exit status."""
        assert self.process is not None
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{self.name} does not end: {self.output()}")

    def stop(self) -> int:
        """Stop it in order; return its exit status."""
        self.request_stop()
        return self.await_exit()

    def temporary_files(self) -> list[str]:
        """The names in its folder for temporary files."""
        return sorted(path.name for path in (self.folder / "tmp").iterdir())

    def end(self) -> None:
        """Kill its remaining processes and remove its folder."""
        if self.is_running:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def worker(name: str, environment: Mapping[str, str], processes: int = 1) -> Host:
    """A host that plays matches and checks bots."""
    arguments = ("-Q", "matches,checks", "--concurrency", str(processes))
    return Host(name, environment, _celery("worker", name, *arguments), f"worker@{name} ready.")


def housekeeper(environment: Mapping[str, str]) -> Host:
    """A host that sweeps, relays messages and fits ratings."""
    arguments = ("-Q", "housekeeping", "--pool", "threads", "--concurrency", "3")
    return Host("housekeeper", environment, _celery("housekeeping", "housekeeper", *arguments), "")


def beat(environment: Mapping[str, str]) -> Host:
    """A host that schedules the housekeeper's tasks."""
    return Host("beat", environment, ("celery", "--app", "cardroom", "beat"), "")


def web(environment: Mapping[str, str]) -> Host:
    """A host that serves pages and REST at `url_of` it, without collected static files."""
    return Host("web", environment, ("django", "serve", "--port", str(free_port())), "Serving at")


def url_of(server: Host) -> str:
    """The URL of a web server."""
    return f"http://127.0.0.1:{server.command[-1]}/"


def _celery(kind: str, name: str, *arguments: str) -> tuple[str, ...]:
    return (
        *("celery", "--app", "cardroom", "worker", "--loglevel", "INFO", "-n", f"{kind}@{name}"),
        *("--without-gossip", "--without-mingle", *arguments),
    )


def copy_sources_with_change(path: str, old: str, new: str) -> Path:
    """A copy of the sources in which one line of one module differs."""
    copy = readable_folder()
    for name in _SOURCES:
        copy_sources(ROOT / name, copy / name)
    module = copy / path
    text = module.read_text()
    assert text.count(old) == 1, f"{path} must contain {old} once"
    module.write_text(text.replace(old, new))
    return copy


def clock_offset(folder: Path, seconds: int) -> dict[str, str]:
    """The environment of a host whose clock is ahead by `seconds`, or behind if negative."""
    library = folder / "clock.so"
    if not library.exists():
        source = ROOT / "tests" / "faults" / "clock.c"
        command = ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source)]
        subprocess.run(command, check=True)
    return {"LD_PRELOAD": str(library), "CARDROOM_CLOCK": str(seconds)}


def stop_for(pids: Sequence[int], seconds: float) -> None:
    """Stop processes for a while; they continue one after another."""
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        _signal(pid, signal.SIGCONT)
        time.sleep(0.05)


def freeze_for(pids: Sequence[int], seconds: float, group: Path) -> None:
    """Freeze processes in a control group for a while."""
    for pid in pids:
        with suppress(OSError):  # the process has ended
            (group / "cgroup.procs").write_text(str(pid))
    _set_frozen(group, frozen=True)
    time.sleep(seconds)
    _set_frozen(group, frozen=False)


def _set_frozen(group: Path, *, frozen: bool) -> None:
    first_version = group / "freezer.state"
    if first_version.exists():
        first_version.write_text("FROZEN" if frozen else "THAWED")
    else:
        (group / "cgroup.freeze").write_text("1" if frozen else "0")


_GROUP_ROOTS: Final = {
    1: ("/sys/fs/cgroup/freezer",),
    2: ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"),
}


def control_group(version: int = 2) -> Path | None:
    """A new control group of this version, which can be frozen; None if none can be created."""
    for root in map(Path, _GROUP_ROOTS[version]):
        with suppress(OSError):
            if (root / "cgroup.procs").exists():
                return Path(tempfile.mkdtemp(prefix="cardroom-pause-", dir=root))
    return None


def remove_group(group: Path) -> None:
    """Move all processes out of a control group, and remove it."""
    _set_frozen(group, frozen=False)

    def is_removed() -> bool:
        with suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (group.parent / "cgroup.procs").write_text(pid)
            group.rmdir()
        return not group.exists()

    wait_for(is_removed, f"{group} cannot be removed.", STOP_SECONDS)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
