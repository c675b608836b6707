"""Finds what a match left in the worker, from outside the sandbox."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.sandbox import Sandbox, cgroup

MARK: Final = "cardroom-hostile-mark"
"""The name of files that programs try to create."""
_MARKS: Final = tuple(
    f"{place}/{MARK}" for place in ("", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/usr")
)
_MAX_WAIT_S: Final = 20.0
_DENTRY_STATE: Final = Path("/proc/sys/fs/dentry-state")
_MAX_OTHER_DENTRY_STATE: Final = 100_000
"""Other programs may add this many absent names."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces of programs at one moment."""

    descriptors: int
    processes: int
    groups: int
    files: tuple[str, ...]
    names: int
    """The number of absent names in the kernel's cache, from all programs of this machine."""

    def added_since(self, before: Traces) -> str:
        """A description of the traces that were added; empty if there are none."""
        additions = [
            f"{now - then} {name}"
            for name, now, then in (
                ("descriptors", self.descriptors, before.descriptors),
                ("processes", self.processes, before.processes),
                ("control groups", self.groups, before.groups),
            )
            if now > then
        ]
        if self.names > before.names + _MAX_OTHER_DENTRY_STATE:
            additions.append(f"{self.names - before.names} names in the kernel's memory")
        return ", ".join([*additions, *(path for path in self.files if path not in before.files)])


def traces(sandbox: Sandbox, warm: int) -> Traces:
    """Traces at a moment when the sandbox has filled its pool."""
    deadline = time.monotonic() + _MAX_WAIT_S
    while sandbox.waiting() < warm and time.monotonic() < deadline:
        time.sleep(0.002)
    above = cgroup.parent_group()
    return Traces(
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        processes=len(descendants(os.getpid())),
        groups=sum(path.is_dir() for path in above.iterdir()) if above else 0,
        files=tuple(path for path in _MARKS if os.access(path, os.F_OK)),
        names=int(_DENTRY_STATE.read_text().split()[4]),
    )


def leftovers(before: Traces, sandbox: Sandbox, warm: int) -> str:
    """A description of traces that do not disappear; empty if there are none."""
    deadline = time.monotonic() + _MAX_WAIT_S
    while additions := traces(sandbox, warm).added_since(before):
        if time.monotonic() > deadline:
            return additions
        time.sleep(0.01)
    return ""


def descendants(root: int) -> set[int]:
    """Ids of all descendants of a process; with `adopt_orphans`, orphans are included."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    pids: set[int] = set()
    parents = [root]
    while parents:
        next_children = children.get(parents.pop(), [])
        pids.update(next_children)
        parents += next_children
    return pids


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that `descendants` finds them."""
    import ctypes

    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)
