"""Detect the isolation that this machine offers, by starting a real sandbox."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from bots.sandbox import cgroup, image, interpreter, lookups, pipe_numbers, process, rootfs, seccomp
from bots.sandbox.bot_process import BotProcess
from bots.sandbox.model import Limits, Program, SandboxUnavailable, SeatError

_OLDEST_BUBBLEWRAP: Final = (0, 8)
# A bot that answers. On request it uses memory that no resource limit counts, by writing pages and
# then making them read-only.
_PROBE: Final = b"""
kept = []

def choose(view, legal):
    return take(view["mib"]) if view else legal[0]

def take(mib):
    import ctypes, mmap
    protect = ctypes.CDLL(None).mprotect
    try:
        for _ in range(mib):
            one = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            one[::4096] = bytes(256)
            place = ctypes.c_char.from_buffer(one)
            protect(ctypes.c_void_p(ctypes.addressof(place)), ctypes.c_size_t(1 << 20), 1)
            kept.extend((one, place))
    except (MemoryError, OSError):
        return "refused"
    return "taken"
"""
_PROBE_LIMITS: Final = Limits(memory_mib=32, threads=1, disk_mib=1)
_PROBE_MIB: Final = 8 * _PROBE_LIMITS.wall_mib
MEMORY_BY_GROUP: Final = "control group (memory.max)"
MEMORY_BY_WATCH: Final = "address space and the referee's watch"
_ADVICE: Final = "You can still run your own bots without isolation, as trusted bots."
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
    """The isolation of bots on this machine.

    level: "full" or "none"; with "none" only trusted bots run.
    layers: the barriers between a bot and the machine, outermost first, then the interpreter.
    reason: explains the isolation in force, or names the missing part and the remedy.
    memory: the barrier that limits a bot's memory; empty if there is none.
    """

    level: Literal["full", "none"]
    layers: tuple[str, ...]
    reason: str
    memory: str = ""


TRUSTED: Final = Isolation(
    "none",
    ("resource limits (memory, processor time)",),
    "Trusted bots run without isolation, with your permissions and access to your files.",
)

RETRY_SECONDS: Final = 60.0
"""Seconds after which a failed detection is repeated, because the cause may have been fixed."""

_lock = threading.Lock()
# The result for each PATH, and its time.
_results: dict[str, tuple[Isolation, float]] = {}


def detect(*, again: bool = False) -> Isolation:
    """Start real sandboxes, let bots answer in them, and return the isolation found.

    This takes about 0.5 s, once per process and PATH; the first time on a machine about 2 s more,
    to build the root that bots see and to compile the engine. `again`: ignore earlier results.
    """
    with _lock:
        path = os.environ.get("PATH", "")
        cached = _results.get(path)
        if cached and (again or _is_stale(*cached)):
            cached = None
            rootfs.ensure_root.cache_clear()  # missing files may be the cause of a failure
            image.ensure_image.cache_clear()
        if cached is None:
            cached = _results[path] = _detect(), time.monotonic()
        return cached[0]


def _is_stale(isolation: Isolation, found_at: float) -> bool:
    return isolation.level == "none" and time.monotonic() >= found_at + RETRY_SECONDS


def _detect() -> Isolation:
    if sys.platform != "linux":
        return _no_isolation(f"Isolating bots needs Linux; this is {platform.system()}. {_ADVICE}")
    if not seccomp.supported():
        return _no_isolation(
            f"Isolating bots needs an x86_64 or aarch64 processor; this is {platform.machine()}. "
            f"{_ADVICE}"
        )
    if shutil.which("bwrap") is None:
        return _no_isolation(
            f"Bots cannot be isolated: bubblewrap is not installed. {_install_hint()}"
        )
    try:
        if (version := _bubblewrap_version()) < _OLDEST_BUBBLEWRAP:
            return _no_isolation(
                f"Bots cannot be isolated: bubblewrap {'.'.join(map(str, version))} is too old; "
                f"0.8 or later is needed. {_install_hint()}"
            )
        memory_barrier = _probe()
        caching_folder = lookups.caching_folder(_PROBE_LIMITS)
        numbers_reveal_count = pipe_numbers.reveal_count(_PROBE_LIMITS)
    except (SandboxUnavailable, OSError) as error:
        # Only errors of bubblewrap itself can come from forbidden namespaces.
        remedy = _remedy(str(error)) if "bwrap:" in str(error) else ""
        return _no_isolation(f"Bots cannot be isolated: {error} {remedy}".rstrip())
    if not memory_barrier:
        return _no_isolation(
            f"Bots cannot be isolated: a test bot limited to {_PROBE_LIMITS.memory_mib} MiB could "
            f"use {_PROBE_MIB} MiB. Run the worker in a control group. {_ADVICE}"
        )
    if caching_folder:
        return _no_isolation(
            "Bots cannot be isolated: a bot can find out which file names another has looked up, "
            f"because their file system caches these names: {caching_folder}. {_ADVICE}"
        )
    if numbers_reveal_count:
        return _no_isolation(
            "Bots cannot be isolated: a program can find out how many pipes other bots have "
            "created, because the platform may not write to its memory and the kernel numbers its "
            f"pipes. {pipe_numbers.remedy()} {_ADVICE}"
        )
    layers = _layers(memory_barrier)
    reason = f"Bots are isolated: {', '.join(layers)}. {_why_group_is_unused()}".rstrip()
    return Isolation("full", layers, reason, memory_barrier)


def _no_isolation(reason: str) -> Isolation:
    return Isolation("none", (), reason)


def _probe() -> str:
    """Have a bot answer in a sandbox and then use memory; return the barrier that stopped it.

    Empty if nothing stopped it. Raises SandboxUnavailable.
    """
    limits = _PROBE_LIMITS
    runner = process.start(limits)
    program = Program({"bot.py": _PROBE})
    # With a control group, raise the bot's own limit, so that only the group can stop it.
    bot_limits = limits if runner.group is None else replace(limits, memory_mib=2 * _PROBE_MIB)
    seat = BotProcess(runner, limits, process.load_message(program, bot_limits, None), "probe")
    answers = []
    with suppress(SeatError):
        seat.send(b'{"type":"start"}')
        seat.receive(limits.start_ms / 1000)
        for view in (b"{}", b'{"mib":%d}' % _PROBE_MIB):
            seat.send(b'{"type":"move","view":%s,"legal":["yes"]}' % view)
            answers.append(seat.receive(limits.start_ms / 1000))
        seat.enforce_memory_limit()
    ending = seat.close()
    if answers[:1] != [b'{"move":"yes"}']:
        log = seat.stderr().decode(errors="replace").strip()
        raise SandboxUnavailable(f"A test bot did not answer. {ending.text} {log}".strip())
    # Without a group, the referee's watch may end it, if the machine is slow. That proves nothing.
    if runner.group is not None and len(answers) == 1 and ending.reason == "memory":
        return MEMORY_BY_GROUP
    return MEMORY_BY_WATCH if answers[1:] == [b'{"move":"refused"}'] else ""


def _layers(memory: str) -> tuple[str, ...]:
    return (
        *(["a user of its own"] if os.geteuid() == 0 else []),
        f"a memory limit: {memory}",
        "namespaces without network (bubblewrap)",
        "its own read-only root file system, without files of this machine",
        "no cache of looked-up file names (tmpfs, measured)",
        "no counter in the numbers of pipes (measured)",
        "resource limits",
        "a system call filter (seccomp)",
        f"Python {interpreter.running().number}",
    )


def _why_group_is_unused() -> str:
    """Why the requested control group is not used, and the command that fixes it.

    Empty if the group is used or none was requested.
    """
    setting = os.environ.get("CARDROOM_CGROUP")
    if not setting or cgroup.parent_group() is not None:
        return ""
    group = Path(setting)
    try:
        controllers = set((group / "cgroup.controllers").read_text().split())
        processes = (group / "cgroup.procs").read_text().strip()
    except OSError:
        problem, command = "is not a control group of version 2", f"sudo mkdir -p {group}"
    else:
        if not controllers >= {"memory", "pids"}:
            problem = "lacks the controllers memory and pids"
            command = f"echo +memory +pids | sudo tee {group.parent}/cgroup.subtree_control"
        elif processes:
            problem = "contains processes, and only an empty group can have subgroups with limits"
            command = f"sudo mkdir {group}/worker; echo PID | sudo tee {group}/worker/cgroup.procs"
        else:
            problem = "belongs to another user"
            command = f"sudo chown -R $(id -u) {group}"
    return f"CARDROOM_CGROUP is not used: {group} {problem}. To fix it: {command}"


def _bubblewrap_version() -> tuple[int, ...]:
    result = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    if (match := re.search(r"(\d+)\.(\d+)", result.stdout)) is None:
        complaint = result.stderr.strip() or f"exit status {result.returncode}"
        raise SandboxUnavailable(f"bubblewrap cannot be started: {complaint}")
    return tuple(map(int, match.groups()))


def _install_hint() -> str:
    """A sentence that says how to install bubblewrap here."""
    search = f"{os.environ.get('PATH', '')}:{_SYSTEM_PATH}"
    for tool, command in _INSTALLERS.items():
        if shutil.which(tool, path=search):
            return f"To install it: {command}"
    return "Install the package bubblewrap."


def _remedy(complaint: str) -> str:
    """The change that permits sandboxes on this machine; empty if the cause is unknown."""
    if "Read-only" in complaint:
        # Bubblewrap writes to /proc/sys to stop the bot from creating further namespaces.
        return (
            "Make /proc/sys writable: in a systemd service, remove ProtectKernelTunables=; in a "
            "container, add --security-opt systempaths=unconfined (docker) or unmask=ALL (podman)."
        )
    for name, (forbids, allows) in _SETTINGS.items():
        with suppress(OSError):
            if (_PROC_SYS / name).read_text().strip() == forbids:
                return f"To allow sandboxes: sudo sysctl -w {name.replace('/', '.')}={allows}"
    if Path("/.dockerenv").exists():
        return (
            "Docker forbids sandboxes. Start the container with --security-opt "
            "seccomp=deploy/seccomp.json --security-opt systempaths=unconfined"
        )
    return ""
