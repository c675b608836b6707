"""Removes a wall of the sandbox, to show that this wall stops a program.

If two walls stop the same program, the other one is removed in both runs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bots.referee.live_seat import LiveSeat
from bots.sandbox import (
    BotProcess,
    Limits,
    bubblewrap,
    image,
    interpreter,
    lookups,
    process,
    rootfs,
    seccomp,
    shared_folders,
    tmpfs,
)
from tests.hostile.harness import LIMITS

_ALLOW_ALL: Final = b"\x06\0\0\0\0\0\xff\x7f"
"""A filter of one instruction: every call is allowed."""
_NAMESPACES: Final = ("user", "ipc", "pid", "net", "uts", "cgroup")
_HOST_FOLDER: Final = "/mnt"
"""The engine's folder if the root is the host's: every host has this folder."""

Words = list[str]


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall, and a program that only this wall stops."""

    program: str
    remove: Callable[[], None]
    also_removed: tuple[str, ...] = ()
    """Walls that also stop the program, and which are removed with and without this one."""
    root_only: bool = False


def _user() -> None:
    _replace(process, "seat_user", lambda: -1)


def _filter() -> None:
    """Allow all calls, but with a filter, because the runner checks for one."""
    _replace(seccomp, "build", lambda *_, **__: _ALLOW_ALL)


def _rlimits() -> None:
    """Remove all except the limits on memory, which every sandbox needs."""
    original = process._rlimits

    def limits(*arguments: Any) -> dict[str, int]:
        all_limits = original(*arguments)
        return {name: all_limits[name] for name in ("AS", "DATA")}

    _replace(process, "_rlimits", limits)


def _watch() -> None:
    _replace(BotProcess, "enforce_memory_limit", lambda _: True)


def _freezing() -> None:
    """Neither stop nor charge bots that compute in the opponent's turn."""
    _replace(LiveSeat, "_prepare_question", lambda _: b"")
    for name in ("end_turn", "pause_if_computing"):
        _replace(LiveSeat, name, lambda _: None)


def _namespace(shared: str) -> Callable[[], None]:
    """Share one namespace with the host."""

    def change(words: Words) -> Words:
        removed = {"--unshare-all"}
        removed |= {"--as-pid-1"} if shared == "pid" else set()
        removed |= {"--hostname", "seat"} if shared == "uts" else set()
        separate = [f"--unshare-{name}" for name in _NAMESPACES if name != shared]
        return [words[0], *separate, *(word for word in words[1:] if word not in removed)]

    return lambda: _change_command(change)


def _nested() -> None:
    """Allow user namespaces inside the sandbox's own."""
    _change_command(lambda words: [word for word in words if word != "--disable-userns"])


def _root() -> None:
    """Show the host's files, read-only."""

    def change(words: Words) -> Words:
        root_folder = words[words.index("--ro-bind") + 1]
        return [
            "/"
            if word == root_folder
            else word.replace(rootfs.ENGINE, _HOST_FOLDER)
            if word.startswith(rootfs.ENGINE)
            else word
            for word in words
        ]

    _change_command(change)
    _skip_lookup_check()


def _tmpfs() -> None:
    """Show root and engine in their original folders, which are usually on a disk."""
    python = interpreter.running()

    def change(words: Words) -> Words:
        runtime: seccomp.Runtime = "command" if "/dev/urandom" in words else "python"
        folders = {
            tmpfs.ROOT: str(rootfs.ensure_root(python, runtime)),
            tmpfs.IMAGE: str(image.ensure_image(python)),
        }
        return [folders.get(word, word) for word in words]

    _change_command(change)
    _skip_lookup_check()


def _skip_lookup_check() -> None:
    """Suppress the measurement that finds folders whose lookups are cached."""
    _replace(lookups, "caching_folder", lambda _: "")


def _change_command(change: Callable[[Words], Words]) -> None:
    """Change the command that starts a sandbox."""
    original = bubblewrap.command

    def command(*arguments: Any, **options: Any) -> Words:
        return change(original(*arguments, **options))

    _replace(bubblewrap, "command", command)


def _replace(owner: object, name: str, value: object) -> None:
    if not hasattr(owner, name):
        raise AttributeError(f"{owner} has no {name} any more: remove the wall in another way")
    setattr(owner, name, value)


WALLS: Final[dict[str, Wall]] = {
    "user": Wall("files/owns_the_system.py", _user, root_only=True),
    "namespace of users": Wall("processes/user_namespace.py", _nested, ("filter",)),
    "namespace of processes": Wall("processes/parent.py", _namespace("pid")),
    "namespace of networks": Wall("network/abstract.py", _namespace("net"), ("filter",)),
    "namespace of ipc": Wall("channels/shared_memory.py shm", _namespace("ipc"), ("filter",)),
    "namespace of names": Wall("files/host_name.py", _namespace("uts")),
    "root": Wall("files/host_files.py", _root),
    "tmpfs": Wall("between/absent_names.py relative", _tmpfs),
    "rlimits": Wall("files/many_descriptors.py", _rlimits),
    "filter": Wall("network/families.py", _filter),
    "memory watch": Wall("memory/hidden.c", _watch),
    "freezing": Wall("turns/thread.c", _freezing),
    "length of the log": Wall("lies/log_flood.py", lambda: None),
}
"""Walls by name. Control groups have no line, because the memory watch does the same."""


def remove_walls(names: Sequence[str]) -> Limits:
    """Remove walls for the rest of this process; return the limits of sandboxes."""
    for name in names:
        WALLS[name].remove()
    if "length of the log" in names:
        return replace(LIMITS, stderr_bytes=1 << 24)
    return LIMITS


def host_has_python() -> bool:
    """Whether a sandbox could start from the host's own files: they have this version of Python."""
    return Path("/usr/bin/python{}.{}".format(*sys.version_info)).exists()


def cache_is_a_tmpfs() -> bool:
    """Whether the files of bots are built on a file system without cached lookups."""
    command = ["stat", "-f", "-c", "%T", str(shared_folders.cache_folder())]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return process.stdout.strip() in {"tmpfs", "ramfs"}
