"""Which Python interpreter runs inside the sandbox."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from bots.sandbox.model import SandboxUnavailable

OLDEST: Final = (3, 11)
_SYSTEM: Final = Path("/usr")
_TELL: Final = "import sys; print(*sys.version_info[:3], sys.implementation.cache_tag)"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter that the sandbox's user can start.

    path: the program. prefix: the folder to show to it besides /usr, None if it lies there.
    version: of the language, with the tag of its compiled files.
    """

    path: Path
    prefix: Path | None
    version: str


@cache
def for_sandbox() -> Interpreter:
    """The running interpreter if the sandbox's user can reach it, else the system's.

    Raises SandboxUnavailable where neither will do.
    """
    running = _running()
    prefix = Path(sys.base_prefix).resolve()
    if running.is_relative_to(_SYSTEM):
        return Interpreter(running, None, _version(running))
    if prefix != Path("/") and running.is_relative_to(prefix) and _reachable(prefix):
        return Interpreter(running, prefix, _version(running))
    return _system(running)


@cache
def for_trusted() -> Interpreter:
    """The running interpreter, wherever it is."""
    running = _running()
    return Interpreter(running, None, _version(running))


def _running() -> Path:
    """The real program behind a virtual environment's link."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _reachable(folder: Path) -> bool:
    """Whether any user can come there. Not as root: a sandbox is of the same user."""
    if os.geteuid() != 0:
        return os.access(folder, os.R_OK | os.X_OK)
    others = stat.S_IROTH | stat.S_IXOTH
    steps = [folder, *folder.parents]
    return folder.stat().st_mode & others == others and all(
        step.stat().st_mode & stat.S_IXOTH for step in steps
    )


def _system(running: Path) -> Interpreter:
    needed = ".".join(map(str, OLDEST))
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        raise SandboxUnavailable(
            f"Bots cannot run under {running}, which only its owner may read, and there is no "
            "/usr/bin/python3: sudo apt-get install python3"
        )
    path = Path(found).resolve()
    version = _version(path)
    if tuple(map(int, version.split()[:2])) < OLDEST:
        raise SandboxUnavailable(
            f"Bots cannot run under {running}, which only its owner may read, and {path} is older "
            f"than Python {needed}: install Python {needed} or later under /usr"
        )
    return Interpreter(path, None, version)


@cache
def _version(path: Path) -> str:
    if path == _running():
        return f"{_tell(*sys.version_info[:3])} {sys.implementation.cache_tag}"
    done = subprocess.run(
        [str(path), "-I", "-S", "-c", _TELL],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SandboxUnavailable(f"{path} does not start: {done.stderr.strip()}")
    return done.stdout.strip()


def _tell(*numbers: int) -> str:
    return " ".join(map(str, numbers))
