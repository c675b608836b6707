"""Under whom and under what the programs run: each setting is a process of its own."""

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
_COPIED: Final = ("engine", "platform/cardroom_base", "bots", "seeds", "tests/hostile")
_PACKAGES: Final = ("confusable_homoglyphs", "precis_i18n")
"""Others' that the copied ones import; written in Python alone."""
_NO_GROUP: Final = "/nothing/here"
_UID: Final = 0x6FFF_0000
"""An ordinary user whom no table names."""
_CHECK: Final = """
import os, sys
assert sys.version_info >= (3, 11)
open(os.path.realpath(sys.executable)).close()
"""
_AS_USER: Final = ["setpriv", f"--reuid={_UID}", f"--regid={_UID}", "--clear-groups", "--"]


@dataclass(frozen=True, slots=True)
class Setting:
    """Who runs the worker, and whether seats get control groups."""

    root: bool
    group: bool

    @property
    def name(self) -> str:
        who = "root" if self.root else "user"
        return f"{who}, {'with' if self.group else 'without'} cgroup"

    def missing(self) -> str:
        """Why this machine cannot offer it; empty if it can."""
        if self.root and os.geteuid() != 0:
            return "not started as root"
        if not self.root and _python() is None:
            return "no Python 3.11 or later that an ordinary user can start"
        if not self.group:
            return ""
        if cgroup.parent_group() is None:
            return "no control group of version 2 with memory and pids may be divided here"
        if not self.root and os.geteuid() == 0:
            return "start it as that user, in a group of its own (systemd: Delegate=yes)"
        return ""


SETTINGS: Final = tuple(Setting(root, group) for root in (True, False) for group in (False, True))


def available() -> list[Setting]:
    """The settings that can be had here; none without a sandbox."""
    if detect().level == "none":
        return []
    return [setting for setting in SETTINGS if not setting.missing()]


def run(setting: Setting, arguments: Sequence[str]) -> Iterator[Verdict]:
    """The verdicts of `python -m tests.hostile --here ARGUMENTS`, one by one.

    Raises CalledProcessError if the process ends in any other way than by itself.
    """
    with _place(setting) as (python, project, before, environment):
        if not setting.group:
            environment["CARDROOM_CGROUP"] = _NO_GROUP
        command = [*before, str(python), "-m", "tests.hostile", "--here", *arguments]
        with subprocess.Popen(
            command, cwd=project, env=environment, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for line in child.stdout:
                yield _heard(line)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)


def told(verdict: Verdict) -> str:
    """A verdict as the line that `run` reads."""
    return json.dumps(asdict(verdict))


def _heard(line: str) -> Verdict:
    told = json.loads(line)
    return Verdict(**told | {"complaints": tuple(told["complaints"])})


@contextmanager
def _place(setting: Setting) -> Iterator[tuple[Path, Path, list[str], dict[str, str]]]:
    """Interpreter, project, what goes before the command, and environment."""
    if setting.root or os.geteuid() != 0:
        yield Path(sys.executable), PROJECT, [], dict(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix="cardroom-") as place:
        copy = Path(place, "project")
        for part in _COPIED:
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(PROJECT / part, copy / part, ignore=ignored)
        for name in _PACKAGES:
            spec = find_spec(name)
            assert spec is not None
            for folder in spec.submodule_search_locations or ():
                shutil.copytree(folder, copy / name)
        packages = libraries.folders("numpy")[0].parent
        for package in packages.glob("numpy*"):  # with its shared libraries and its version
            shutil.copytree(package, copy / package.name)
        home = Path(place, "home")
        home.mkdir()
        os.chown(home, _UID, _UID)
        Path(place).chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)}
        environment["PYTHONPATH"] = str(copy / "platform")
        yield _python() or Path(sys.executable), copy, _AS_USER, environment


@cache
def _python() -> Path | None:
    """An interpreter for the other user; the running one may lie in a closed home."""
    if os.geteuid() != 0:
        return Path(sys.executable)
    for path in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        check = [*_AS_USER, path, "-c", _CHECK]
        if subprocess.run(check, stderr=subprocess.DEVNULL, cwd="/", check=False).returncode == 0:
            return Path(path)
    return None
