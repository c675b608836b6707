"""What a match may leave in the worker: nothing. Looked at from outside."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.sandbox import Sandbox, cgroup

MARK: Final = "cardroom-hostile-mark"
"""What programs call the files that they try to make."""
_MARKS: Final = tuple(
    f"{place}/{MARK}" for place in ("", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/usr")
)
_PATIENCE_S: Final = 20.0
_NAMES: Final = Path("/proc/sys/fs/dentry-state")
_OTHERS_NAMES: Final = 100_000
"""So many absent names more may be other programs' doing."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What there is at one moment."""

    descriptors: int
    processes: int
    groups: int
    files: tuple[str, ...]
    names: int
    """Absent ones that the kernel of this machine remembers; whoever asked for them."""

    def more_than(self, before: Traces) -> str:
        """What there is now that was not there before; empty for nothing."""
        grown = [
            f"{now - then} {name}"
            for name, now, then in (
                ("descriptors", self.descriptors, before.descriptors),
                ("processes", self.processes, before.processes),
                ("control groups", self.groups, before.groups),
            )
            if now > then
        ]
        if self.names > before.names + _OTHERS_NAMES:
            grown.append(f"{self.names - before.names} names in the kernel's memory")
        return ", ".join([*grown, *(path for path in self.files if path not in before.files)])


def traces(sandbox: Sandbox, warm: int) -> Traces:
    """Once the sandbox has filled its pool again."""
    deadline = time.monotonic() + _PATIENCE_S
    while sandbox.waiting() < warm and time.monotonic() < deadline:
        time.sleep(0.002)
    above = cgroup.parent_group()
    return Traces(
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        processes=len(descendants(os.getpid())),
        groups=sum(path.is_dir() for path in above.iterdir()) if above else 0,
        files=tuple(path for path in _MARKS if os.access(path, os.F_OK)),
        names=int(_NAMES.read_text().split()[4]),
    )


def left_behind(before: Traces, sandbox: Sandbox, warm: int) -> str:
    """What is still there when it had time to go; empty for nothing."""
    deadline = time.monotonic() + _PATIENCE_S
    while found := traces(sandbox, warm).more_than(before):
        if time.monotonic() > deadline:
            return found
        time.sleep(0.01)
    return ""


def descendants(root: int) -> set[int]:
    """Every process below one; with `adopt_orphans`, also those whose parents have gone."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found


def adopt_orphans() -> None:
    """Become the parent of what loses its own, so that no process gets out of sight."""
    import ctypes

    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)
