"""What isolation this machine offers, found out by starting a real sandbox."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bots.sandbox import cgroup, interpreter, process, seccomp
from bots.sandbox.model import Limits, Program, SandboxUnavailable, SeatError
from bots.sandbox.seat import Seat

_OLDEST_BUBBLEWRAP: Final = (0, 8)
_PROBE: Final = b"def choose(view, legal):\n    return legal[0]\n"
_ADVICE: Final = "Bots of your own can run without isolation (trusted)."
# Package manager -> the command that installs bubblewrap.
_INSTALLERS: Final = {
    "apt-get": "sudo apt-get install bubblewrap",
    "dnf": "sudo dnf install bubblewrap",
    "pacman": "sudo pacman -S bubblewrap",
    "zypper": "sudo zypper install bubblewrap",
    "apk": "sudo apk add bubblewrap",
}
_PROC_SYS: Final = Path("/proc/sys")
_SYSTEM_PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
# Setting under /proc/sys -> the value that forbids sandboxes, and the one that allows them.
_SETTINGS: Final = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}


@dataclass(frozen=True, slots=True)
class Isolation:
    """How well bots are shut in on this machine.

    level: "full", or "none": then only trusted bots run.
    layers: what stands between a bot and the machine, outermost first.
    reason: for people: what is in force, or what is missing and the one command that mends it.
    """

    level: Literal["full", "none"]
    layers: tuple[str, ...]
    reason: str


TRUSTED: Final = Isolation(
    "none",
    ("resource limits (memory, processor time)",),
    "Bots run without isolation, since they are trusted: with your rights, on your files.",
)

_lock = threading.Lock()
_found: dict[str, Isolation] = {}


def detect() -> Isolation:
    """Start one real sandbox, let a bot answer in it, and tell how it went.

    Takes some 30 ms, once a process for each PATH; the first time on a machine about 2 s more, to
    compile the engine for the sandbox.
    """
    with _lock:
        path = os.environ.get("PATH", "")
        if path not in _found:
            _found[path] = _try()
        return _found[path]


def _try() -> Isolation:
    if sys.platform != "linux":
        return _none(f"Isolating bots needs Linux; this is {platform.system()}. {_ADVICE}")
    if not seccomp.supported():
        return _none(
            f"Isolating bots needs an x86_64 or aarch64 processor; this is {platform.machine()}. "
            f"{_ADVICE}"
        )
    if shutil.which("bwrap") is None:
        return _none(f"Bots cannot be isolated: bubblewrap is not installed. {_install()}")
    if (version := _bubblewrap()) < _OLDEST_BUBBLEWRAP:
        return _none(
            f"Bots cannot be isolated: bubblewrap is {'.'.join(map(str, version))}, and 0.8 or "
            f"later is needed. {_install()}"
        )
    try:
        _probe()
    except SandboxUnavailable as error:
        mend = _mend() if "bwrap:" in str(error) else ""  # else namespaces are not the trouble
        return _none(f"Bots cannot be isolated: {error} {mend}".rstrip())
    return Isolation("full", _layers(), "Bots are isolated: " + ", ".join(_layers()) + ".")


def _none(reason: str) -> Isolation:
    return Isolation("none", (), reason)


def _probe() -> None:
    """Let a bot answer in a sandbox. Raises SandboxUnavailable."""
    limits = Limits()
    runner = process.start(limits)
    program = Program({"bot.py": _PROBE})
    seat = Seat(runner, limits, process.load_message(program, limits, None), "probe")
    answer = b""
    with suppress(SeatError):
        seat.send(b'{"type":"start"}')
        seat.receive(limits.start_ms / 1000)
        seat.send(b'{"type":"move","view":{},"legal":["yes"]}')
        answer = seat.receive(limits.start_ms / 1000)
    ending = seat.close()
    if answer != b'{"move":"yes"}':
        said = seat.stderr().decode(errors="replace").strip()
        raise SandboxUnavailable(f"A test bot did not answer. {ending.text} {said}".strip())


def _layers() -> tuple[str, ...]:
    python = interpreter.for_sandbox()
    return (
        *(["a user of its own"] if os.geteuid() == 0 else []),
        *(["a control group (memory, processes)"] if cgroup.parent() else []),
        "namespaces without network (bubblewrap)",
        "a read-only file system",
        "resource limits",
        "a system call filter (seccomp)",
        f"Python {'.'.join(python.version.split()[:3])}",
    )


def _bubblewrap() -> tuple[int, ...]:
    done = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found else (0, 0)


def _install() -> str:
    """The command that installs bubblewrap here."""
    search = f"{os.environ.get('PATH', '')}:{_SYSTEM_PATH}"
    for tool, command in _INSTALLERS.items():
        if shutil.which(tool, path=search):
            return f"To install it: {command}"
    return "Install the package bubblewrap."


def _mend() -> str:
    """The command that lets this machine make sandboxes, if a known setting forbids them."""
    for name, (forbids, allows) in _SETTINGS.items():
        with suppress(OSError):
            if (_PROC_SYS / name).read_text().strip() == forbids:
                return f"To allow it: sudo sysctl -w {name.replace('/', '.')}={allows}"
    if Path("/.dockerenv").exists():
        return (
            "Docker forbids it; start the container with: docker run --privileged, or with "
            "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"
        )
    return ""
