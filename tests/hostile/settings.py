"""Runs the programs in settings with different users and control groups, a process for each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bots.sandbox import cgroup, detect, libraries
from tests.hostile.harness import Verdict

PROJECT: Final = Path(__file__).parents[2]
_COPIED_FOLDERS: Final = ("engine", "platform/cardroom_base", "bots", "seeds", "tests/hostile")
_PACKAGES: Final = ("confusable_homoglyphs", "precis_i18n")
"""Other packages that the copied ones import; they are pure Python."""
_NO_GROUP: Final = "/nothing/here"
_UID: Final = 0x6FFF_0000
"""An ordinary user without an entry in /etc/passwd."""
_CHECK: Final = f"""
import os, sys
assert sys.version_info[:2] == {sys.version_info[:2]}  # numpy is compiled for this version
open(os.path.realpath(sys.executable)).close()
"""
_USER_COMMAND: Final = ["setpriv", f"--reuid={_UID}", f"--regid={_UID}", "--clear-groups", "--"]


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The worker's user, and whether seats get control groups."""

    root: bool
    group: bool

    @property
    def name(self) -> str:
        user = "root" if self.root else "user"
        return f"{user}, {'with' if self.group else 'without'} cgroup"

    def missing(self) -> str:
        """The reason why this machine cannot offer it; empty if it can."""
        if self.root and os.geteuid() != 0:
            return "not started as root"
        if not self.root and _python() is None:
            return "no Python 3.11 or later that an ordinary user can start"
        if not self.group:
            return ""
        if cgroup.parent_group() is None:
            return "no control group of version 2 with memory and pids may be divided here"
        if not self.root and os.geteuid() == 0:
            return "start it as that user, in a separate group (systemd: Delegate=yes)"
        return ""


SETTINGS: Final = tuple(
    WorkerSetup(root, group) for root in (True, False) for group in (False, True)
)


def available() -> list[WorkerSetup]:
    """The settings that this machine offers; none without a sandbox."""
    if detect().level == "none":
        return []
    return [setting for setting in SETTINGS if not setting.missing()]


def run(setting: WorkerSetup, arguments: Sequence[str]) -> Iterator[Verdict]:
    """The verdicts of `python -m tests.hostile --here ARGUMENTS`, one by one.

    Raises CalledProcessError if the process fails.
    """
    with _prepare(setting) as (python, project, prefix, environment):
        if not setting.group:
            environment["CARDROOM_CGROUP"] = _NO_GROUP
        command = [*prefix, str(python), "-m", "tests.hostile", "--here", *arguments]
        with subprocess.Popen(
            command, cwd=project, env=environment, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for line in child.stdout:
                yield from_line(line)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)


def to_line(verdict: Verdict) -> str:
    """A verdict as a line for `run`."""
    return json.dumps(asdict(verdict))


def from_line(line: str) -> Verdict:
    """The verdict of a line from `to_line`."""
    fields = json.loads(line)
    return Verdict(**fields | {"complaints": tuple(fields["complaints"])})


@contextmanager
def _prepare(setting: WorkerSetup) -> Iterator[tuple[Path, Path, list[str], dict[str, str]]]:
    """Interpreter, project, prefix of the command, and environment."""
    if setting.root or os.geteuid() != 0:
        yield Path(sys.executable), PROJECT, [], dict(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix="cardroom-") as folder_name:
        copy = Path(folder_name, "project")
        for part in _COPIED_FOLDERS:
            ignored = shutil.ignore_patterns("*.pyc.*", "*.so")
            shutil.copytree(PROJECT / part, copy / part, ignore=ignored)
        for name in _PACKAGES:
            spec = find_spec(name)
            assert spec is not None
            for folder in spec.submodule_search_locations or ():
                shutil.copytree(folder, copy / name)
        packages = libraries.folders("numpy")[0].parent
        for package in packages.glob("numpy*"):  # with its shared libraries and its version
            shutil.copytree(package, copy / package.name)
        home = Path(folder_name, "home")
        home.mkdir()
        os.chown(home, _UID, _UID)
        Path(folder_name).chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)}
        environment["PYTHONPATH"] = str(copy / "platform")
        yield _python() or Path(sys.executable), copy, _USER_COMMAND, environment


@cache
def _python() -> Path | None:
    """An interpreter that the other user may run; a private home may contain the running one."""
    if os.geteuid() != 0:
        return Path(sys.executable)
    for path in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        check = [*_USER_COMMAND, path, "-c", _CHECK]
        if subprocess.run(check, stderr=subprocess.DEVNULL, cwd="/", check=False).returncode == 0:
            return Path(path)
    return None
