"""Machines in miniature: a worker, a housekeeper or a web server with all that a host has.

Each has a folder, a sandbox, a clock, sources and, where the kernel lets us, a network of its own,
and each of these can be made to misbehave. Started as the page on operations says for several
machines.
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
from tests.breakable_bubblewrap import BreakableBubblewrap, readable_folder
from tests.servers import free_port, wait_for
from tests.sites import ROOT

SETTINGS: Final = "tests.faults.settings"
START_SECONDS: Final = 120
STOP_SECONDS: Final = 180
"""Patience with a host that starts, and with one that ends in good order."""

PARTS: Final = ("host", "pool", "bots", "sandboxes", "parent")
"""Kinds of a worker's processes: all of them, those that play, bots, what is around bots, and the
one that started those that play."""

_SOURCES: Final = ("engine", "bots", "tournaments", "platform", "seeds")


def is_bot(pid: int) -> bool:
    """Whether a process is a sandbox's runner: who has a number in there, too, and no child."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    (numbers,) = [line for line in status.splitlines() if line.startswith("NSpid:")]
    return len(numbers.split()) > 2 and not children(pid)


@dataclass
class Host:
    """One machine that runs one part of a site."""

    name: str
    environment: Mapping[str, str]
    command: Sequence[str]
    """What it runs: arguments of `python -m`."""
    ready: str
    """What its log says once it works; empty: nobody need wait for that."""
    within: Sequence[str] = ()
    """Command that starts another one elsewhere, such as in a network namespace."""
    sources: Path = ROOT
    folder: Path = field(default_factory=readable_folder)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        for name in ("var", "tmp"):
            (self.folder / name).mkdir()
        self.bwrap = BreakableBubblewrap(self.folder)

    @property
    def log(self) -> Path:
        """What it has printed."""
        return self.folder / "output"

    @property
    def pid(self) -> int:
        """Of its first process."""
        assert self.process is not None
        return self.process.pid

    @property
    def lives(self) -> bool:
        """Whether its first process still runs."""
        return self.process is not None and self.process.poll() is None

    def env(self) -> dict[str, str]:
        """The environment of its processes."""
        roots = [str(self.sources), str(self.sources / "platform"), str(ROOT)]
        own = {
            "CARDROOM_VAR": str(self.folder / "var"),
            "CELERY_SKIP_CHECKS": "1",  # `make lint` makes them, and they import all pages
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
            self.process = subprocess.Popen(
                [*self.within, sys.executable, "-m", *self.command],
                env=self.env(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        self._said = self.log.stat().st_size

    _said: int = 0

    def manage(self, *arguments: str) -> None:
        """A command of Django's, to its end."""
        command = [sys.executable, "-m", "django", *arguments]
        subprocess.run(command, env=self.env(), cwd=self.folder, check=True, capture_output=True)

    def await_ready(self) -> None:
        """Wait until it works; the test fails at once when it has ended."""

        def works() -> bool:
            assert self.lives, f"{self.name} has ended: {self.output()}"
            return self.ready in self.log.read_bytes()[self._said :].decode(errors="replace")

        wait_for(works, f"{self.name} does not start: {self.output()}", START_SECONDS)

    def output(self, characters: int = 3000) -> str:
        """The end of its log."""
        text = self.log.read_bytes().decode(errors="replace") if self.log.exists() else ""
        return f"\n--- {self.name}\n{text[-characters:]}"

    def processes(self) -> list[int]:
        """All that runs on it."""
        return [self.pid, *descendants(self.pid)] if self.lives else []

    def part(self, name: str) -> list[int]:
        """The processes of one kind among a worker's: see PARTS."""
        pool = children(self.pid) if self.lives else []
        inside = [pid for child in pool for pid in descendants(child)]
        bots = [pid for pid in inside if is_bot(pid)]
        return {
            "parent": [self.pid],
            "pool": pool,
            "sandboxes": [pid for pid in inside if pid not in bots],
            "bots": bots,
            "host": self.processes(),
        }[name]

    # --- what can happen to it ------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop all its processes where they are; nobody is told."""
        seen: set[int] = set()
        while new := [pid for pid in self.processes() if pid not in seen]:
            seen.update(new)
            for pid in new:
                _signal(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        for pid in reversed(self.processes()):
            _signal(pid, signal.SIGCONT)

    def kill(self) -> None:
        """End all its processes at once, as a power failure does."""
        left = self.processes()
        for pid in left:
            _signal(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait(STOP_SECONDS)

    def tell_to_stop(self) -> None:
        """Ask it to end in good order."""
        if self.lives:
            _signal(self.pid, signal.SIGTERM)

    def stopped(self) -> int:
        """Wait until it has ended; its exit status."""
        assert self.process is not None
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{self.name} does not end: {self.output()}")

    def stop(self) -> int:
        """End it in good order; its exit status."""
        self.tell_to_stop()
        return self.stopped()

    def litter(self) -> list[str]:
        """What it has left in its folder for temporary files."""
        return sorted(path.name for path in (self.folder / "tmp").iterdir())

    def end(self) -> None:
        """Make sure that nothing is left of it, whatever the test did."""
        if self.lives:
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
    """A host that tells the housekeeper what is due."""
    return Host("beat", environment, ("celery", "--app", "cardroom", "beat"), "")


def web(environment: Mapping[str, str]) -> Host:
    """A host that serves pages and REST at `address_of` it; its static files are not collected."""
    return Host("web", environment, ("django", "serve", "--port", str(free_port())), "Serving at")


def address_of(server: Host) -> str:
    """Where a web server answers."""
    return f"http://127.0.0.1:{server.command[-1]}/"


def _celery(kind: str, name: str, *arguments: str) -> tuple[str, ...]:
    return (
        *("celery", "--app", "cardroom", "worker", "--loglevel", "INFO", "-n", f"{kind}@{name}"),
        *("--without-gossip", "--without-mingle", *arguments),
    )


def other_sources(path: str, old: str, new: str) -> Path:
    """A copy of the sources in which one line of one module is another."""
    copy = readable_folder()
    for name in _SOURCES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / path
    text = module.read_text()
    assert text.count(old) == 1, f"{path} no longer says {old} once"
    module.write_text(text.replace(old, new))
    return copy


def wrong_clock(folder: Path, seconds: int) -> dict[str, str]:
    """The environment of a host whose clock is so much before everybody's; negative: behind."""
    library = folder / "clock.so"
    if not library.exists():
        source = ROOT / "tests" / "faults" / "clock.c"
        command = ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source)]
        subprocess.run(command, check=True)
    return {"LD_PRELOAD": str(library), "CARDROOM_CLOCK": str(seconds)}


def stop_for(pids: Sequence[int], seconds: float) -> None:
    """Stop processes for so long; they go on one after another."""
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        _signal(pid, signal.SIGCONT)
        time.sleep(0.05)


def freeze_for(pids: Sequence[int], seconds: float, group: Path) -> None:
    """Freeze processes in a control group of version 2 for so long."""
    for pid in pids:
        with suppress(OSError):  # gone meanwhile
            (group / "cgroup.procs").write_text(str(pid))
    (group / "cgroup.freeze").write_text("1")
    time.sleep(seconds)
    (group / "cgroup.freeze").write_text("0")


def control_group() -> Path | None:
    """A new control group of version 2, which can be frozen; None where none can be made."""
    for root in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")):
        with suppress(OSError):
            if (root / "cgroup.procs").exists():
                return Path(tempfile.mkdtemp(prefix="cardroom-pause-", dir=root))
    return None


def leave_group(group: Path) -> None:
    """Move all out of a control group, and remove it."""
    (group / "cgroup.freeze").write_text("0")

    def removed() -> bool:
        with suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (group.parent / "cgroup.procs").write_text(pid)
            group.rmdir()
        return not group.exists()

    wait_for(removed, f"{group} cannot be removed.", STOP_SECONDS)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
