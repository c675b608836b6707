"""Runs whole sites for tests: `manage.py up` as a process, with its own folder."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from cardroom.processes import adopt_orphans, children, descendants, die_with_parent, reap
from tests import preloaded
from tests.servers import Postgres, free_port, poll_pauses, wait_for

ROOT = Path(__file__).resolve().parents[1]
_UNCHANGED_COMMANDS = ("up", "demo", "shell")
"""Commands that run without `--skip-checks`: `shell` makes no checks, the others should."""
_CREATE_TEMPLATE = """
from django.core.management import call_command
from cardroom import services
call_command("migrate", verbosity=0)
services.collect_static()
"""
run_folder: Path | None = None
"""A folder that all processes of one test run share; None: this is the only process."""


@dataclass
class Site:
    """A site under `manage.py up` or `demo`."""

    var: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: str = "cardroom.settings"
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    root: Path = ROOT
    """The checkout whose `manage.py` it runs."""
    cwd: Path | None = None
    """The working directory of commands; None: `var`."""

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def log(self) -> Path:
        """The file with the command's output."""
        return self.var / "output"

    def env(self) -> dict[str, str]:
        """The environment of every command of this site."""
        inherited = {
            key: value
            for key, value in os.environ.items()
            if key not in {"DATABASE_URL", "REDIS_URL", "CARDROOM_VAR", "DJANGO_SETTINGS_MODULE"}
        }
        own = {"CARDROOM_VAR": str(self.var), "DJANGO_SETTINGS_MODULE": self.settings}
        # `make lint` makes these checks, which import all pages.
        own["CELERY_SKIP_CHECKS"] = "1"
        return {**inherited, "PYTHONPATH": str(ROOT), **own, **self.environment}

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` to its end.

        Except for `up` and `demo` it skips Django's checks, which import all pages and take longer
        than most commands.
        """
        options = [] if arguments[0] in _UNCHANGED_COMMANDS else ["--skip-checks"]
        process = preloaded.run(
            [sys.executable, str(self.root / "manage.py"), *arguments, *options],
            env=self.env(),
            cwd=self.cwd or self.var,
        )
        if check and process.returncode:
            pytest.fail(f"{' '.join(arguments)}: {process.stdout}{process.stderr}")
        return process

    def up(self, *arguments: str, workers: int = 2) -> None:
        """Start the site and wait until it serves pages."""
        if self.root == ROOT and "DATABASE_URL" not in self.environment:
            migrate(self.var)
        self.copy_static_files()
        adopt_orphans()
        with self.log.open("ab") as log:
            self.process = preloaded.PreloadedProcess(
                [
                    sys.executable,
                    str(self.root / "manage.py"),
                    "up",
                    "--port",
                    str(self.port),
                    "--workers",
                    str(workers),
                    *arguments,
                ],
                env=self.env(),
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.cwd or self.var,
                start_new_session=True,
                preexec_fn=die_with_parent,  # even when the tests themselves are killed
            )
        wait_for(self.is_serving, f"The site does not serve: {self.output()}", 180)

    def copy_static_files(self) -> None:
        """Copy the static files of the template site, because collecting them takes seconds.

        `up` still checks them.
        """
        if self.root == ROOT and not (self.var / "static.stamp").exists():
            shutil.copytree(template_site() / "static", self.var / "static", dirs_exist_ok=True)
            for name in ("static.json", "static.stamp"):
                shutil.copy(template_site() / name, self.var)

    def is_serving(self) -> bool:
        """Whether the web server responds; the test fails immediately if `up` has ended."""
        if self.process is not None and self.process.poll() is not None:
            pytest.fail(f"up has ended: {self.output()}")
        try:
            with urlopen(f"{self.url}api/v1/", timeout=5):
                return True
        except URLError as error:
            return hasattr(error, "code")
        except OSError:
            return False

    def output(self) -> str:
        """The output of `up`, and the ends of its services' logs."""
        text = self.log.read_text() if self.log.exists() else ""
        for path in sorted((self.var / "log").glob("*.log")):
            text += f"\n--- {path.name}\n{path.read_text(errors='replace')[-3000:]}"
        return text

    def services(self) -> dict[str, int]:
        """Process ids of the services that `up` started, by name."""
        assert self.process is not None
        marks = {"worker@": "worker", "tables@": "tables", "housekeeping@": "housekeeping"}
        marks |= {" serve ": "web", "unixsocket": "broker", " beat ": "beat", " beat]": "beat"}
        return {
            name: pid
            for pid in children(self.process.pid)
            for mark, name in marks.items()
            if mark in command_line(pid)
        }

    def descendants(self) -> list[int]:
        """Ids of all descendants of `up`."""
        assert self.process is not None
        return descendants(self.process.pid)

    def stop(self, stop_signal: signal.Signals = signal.SIGTERM) -> int:
        """Stop the site and return its exit status."""
        assert self.process is not None
        self.process.send_signal(stop_signal)
        return self.process.wait(60)

    def end(self) -> None:
        """Stop or kill the site if it still runs."""
        if self.process is not None and self.process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                self.stop()
            self.process.kill()
            self.process.wait()


def migrate(var: Path) -> None:
    """Put an SQLite database with all tables into a site's folder, unless it has one.

    It is a copy, because migrating takes seconds. `test_programs.py` tests that `up` migrates.
    """
    if not (var / "cardroom.sqlite3").exists():
        shutil.copy(template_site() / "cardroom.sqlite3", var)


def migrated_database(server: Postgres) -> str:
    """The URL of a new PostgreSQL database with all tables.

    It is restored from a dump, because migrating takes seconds. `test_database_rights.py`
    and `test_doctor.py` test that PostgreSQL can be migrated.
    """
    url = server.database()
    with _shared_folder() as folder:
        dump = folder / "tables.sql"
        if not dump.exists():
            Site(folder, {"DATABASE_URL": url}).run("migrate", "--verbosity=0")
            server.dump(url, dump)
            return url
    server.load(dump, url)
    return url


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """A folder that all tests of a run share, locked against other processes during the context."""
    if run_folder is None:
        folder = _own_folder()
    else:
        folder = run_folder / "made-site"
        folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@cache
def _own_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="cardroom-made-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def template_site() -> Path:
    """A site's folder with all tables and static files, created by the first process."""
    with _shared_folder() as folder:
        if not (folder / "static.stamp").exists():
            Site(folder).run("shell", "-v0", "-c", _CREATE_TEMPLATE)
    return folder


def command_line(pid: int) -> str:
    """A process's command line; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def running_descendants(before: Iterable[int] = ()) -> dict[int, str]:
    """Command lines of all running descendants of this process, by process id.

    Processes in `before` and their descendants are excluded, because another test's browser may
    start helpers at any time.
    """
    reap(set())
    excluded = {pid for old in before for pid in (old, *descendants(old))}
    excluded |= preloaded.original_process()
    commands = {pid: command_line(pid) for pid in descendants(os.getpid()) if pid not in excluded}
    return {pid: command for pid, command in commands.items() if command}


def remaining_descendants(before: Iterable[int] = ()) -> dict[int, str]:
    """Running descendants after a wait, because helpers of a killed process end a moment later."""
    eventually(lambda: not running_descendants(before))
    return running_descendants(before)


def eventually(condition: Callable[[], Any], seconds: float = 20.0) -> Any:
    """The first true value of a condition, or its last value if it does not become true in time."""
    until = time.monotonic() + seconds
    for pause in poll_pauses():
        if (value := condition()) or time.monotonic() > until:
            break
        time.sleep(pause)
    return value


def fetch_json(url: str) -> Any:
    """The JSON at an address."""
    with urlopen(url, timeout=10) as response:
        return json.load(response)
