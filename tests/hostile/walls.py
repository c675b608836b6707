"""Taking a wall of the sandbox away, to see that it was the one that held.

Where two walls stand in front of the same thing, the other one is taken away in both trials.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bots.referee.live_seat import LiveSeat
from bots.sandbox import (
    BotProcess,
    Limits,
    bubblewrap,
    cache,
    image,
    interpreter,
    lookups,
    process,
    root,
    seccomp,
    tmpfs,
)
from tests.hostile.harness import LIMITS

_ALLOW_ALL: Final = b"\x06\0\0\0\0\0\xff\x7f"
"""A filter of one instruction: every call is allowed."""
_NAMESPACES: Final = ("user", "ipc", "pid", "net", "uts", "cgroup")
_OF_THE_HOST: Final = "/mnt"
"""Where the engine goes when the root is the host's: a folder that every host has."""

Words = list[str]


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall, and a program that it alone keeps from getting through."""

    program: str
    take_away: Callable[[], None]
    besides: tuple[str, ...] = ()
    """Walls that stop the program, too: absent with and without this one."""
    root_only: bool = False


def _user() -> None:
    _replace(process, "seat_user", lambda: -1)


def _filter() -> None:
    """Allow every call, still by a filter, so that the runner finds one."""
    _replace(seccomp, "build", lambda *_, **__: _ALLOW_ALL)


def _rlimits() -> None:
    """All but those on memory: without these no sandbox would call itself one."""
    original = process._rlimits

    def limits(*arguments: Any) -> dict[str, int]:
        kept = original(*arguments)
        return {name: kept[name] for name in ("AS", "DATA")}

    _replace(process, "_rlimits", limits)


def _watch() -> None:
    _replace(BotProcess, "enforce_memory_limit", lambda _: True)


def _freezing() -> None:
    """Neither stop nor charge who computes unasked."""
    _replace(LiveSeat, "_prepare_question", lambda _: b"")
    for name in ("end_turn", "stop_if_computing"):
        _replace(LiveSeat, name, lambda _: None)


def _namespace(shared: str) -> Callable[[], None]:
    """Share one namespace with the host."""

    def change(words: Words) -> Words:
        dropped = {"--unshare-all"}
        dropped |= {"--as-pid-1"} if shared == "pid" else set()
        dropped |= {"--hostname", "seat"} if shared == "uts" else set()
        kept = [f"--unshare-{one}" for one in _NAMESPACES if one != shared]
        return [words[0], *kept, *(word for word in words[1:] if word not in dropped)]

    return lambda: _rewrite(change)


def _nested() -> None:
    """Allow user namespaces inside the sandbox's own."""
    _rewrite(lambda words: [word for word in words if word != "--disable-userns"])


def _root() -> None:
    """Show the host's files, read-only."""

    def change(words: Words) -> Words:
        seen = words[words.index("--ro-bind") + 1]
        return [
            "/"
            if word == seen
            else word.replace(root.ENGINE, _OF_THE_HOST)
            if word.startswith(root.ENGINE)
            else word
            for word in words
        ]

    _rewrite(change)
    _believe()


def _tmpfs() -> None:
    """Show root and engine where they are built: on a disk, as a rule."""
    python = interpreter.running()

    def change(words: Words) -> Words:
        runtime: seccomp.Runtime = "command" if "/dev/urandom" in words else "python"
        places = {
            tmpfs.ROOT: str(root.ensure_root(python, runtime)),
            tmpfs.IMAGE: str(image.ensure_image(python)),
        }
        return [places.get(word, word) for word in words]

    _rewrite(change)
    _believe()


def _believe() -> None:
    """Let no measurement find that names are remembered."""
    _replace(lookups, "caching_folder", lambda _: "")


def _rewrite(change: Callable[[Words], Words]) -> None:
    """Change the command that starts a sandbox."""
    original = bubblewrap.command

    def command(*arguments: Any, **options: Any) -> Words:
        return change(original(*arguments, **options))

    _replace(bubblewrap, "command", command)


def _replace(owner: object, name: str, value: object) -> None:
    if not hasattr(owner, name):
        raise AttributeError(f"{owner} has no {name} any more: take the wall away elsewhere")
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
"""By what they are called. Control groups have no line: with one the watch is not needed."""


def take_away(names: Sequence[str]) -> Limits:
    """Take walls away, for the rest of this process; the limits that remain."""
    for name in names:
        WALLS[name].take_away()
    if "length of the log" in names:
        return replace(LIMITS, stderr_bytes=1 << 24)
    return LIMITS


def host_has_our_python() -> bool:
    """Whether a sandbox could start from the host's own files."""
    return Path("/usr/bin/python3").exists()


def cache_is_a_tmpfs() -> bool:
    """Whether what bots see is built where names are forgotten, too."""
    command = ["stat", "-f", "-c", "%T", str(cache.cache_folder())]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return said.stdout.strip() in {"tmpfs", "ramfs"}
