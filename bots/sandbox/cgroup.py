"""A control group for each seat, where the machine lets us make one.

Version 2 only. A seat is one process that cannot make another, so its own limits bind it exactly;
the group adds the kernel's memory for it and a second lock. Groups are made below
`CARDROOM_CGROUP` (a folder under /sys/fs/cgroup), or beside our own group if that is the leaf of a
delegated one (systemd: `Delegate=yes`, `DelegateSubgroup=worker`).
"""

from __future__ import annotations

import itertools
import os
from functools import cache
from pathlib import Path
from typing import Final

from bots.sandbox.model import Limits

_ROOT: Final = Path("/sys/fs/cgroup")
_CONTROLLERS: Final = {"memory", "pids"}
# The kernel's own memory for the process, and the bot's files, come on top of its limit.
_SPARE_MIB: Final = 32
_numbers = itertools.count()


@cache
def parent() -> Path | None:
    """The group to make seats' groups in, or None."""
    chosen = os.environ.get("CARDROOM_CGROUP")
    if chosen:
        return Path(chosen) if _usable(Path(chosen)) else None
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    own = next((line[3:] for line in lines if line.startswith("0::")), "/")
    above = _ROOT / own.strip("/")
    return above.parent if own != "/" and _usable(above.parent) else None


def _usable(folder: Path) -> bool:
    try:
        control = folder / "cgroup.subtree_control"
        enabled = set(control.read_text().split())
        if not enabled >= _CONTROLLERS:
            control.write_text(" ".join(f"+{name}" for name in sorted(_CONTROLLERS)))
        return os.access(folder, os.W_OK)
    except OSError:
        return False


class Group:
    """The control group of one seat."""

    def __init__(self, above: Path, limits: Limits) -> None:
        """Make it. Raises OSError."""
        self.folder = above / f"seat-{os.getpid()}-{next(_numbers)}"
        self.folder.mkdir()
        memory = (limits.memory_mib + limits.disk_mib + _SPARE_MIB) << 20
        (self.folder / "memory.max").write_text(str(memory))
        (self.folder / "pids.max").write_text(str(limits.threads))
        swap = self.folder / "memory.swap.max"
        if swap.exists():
            swap.write_text("0")

    def add(self, pid: int) -> None:
        """Put a process into it. Raises OSError."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed something in it for want of memory."""
        try:
            events = (self.folder / "memory.events").read_text().split()
        except OSError:
            return False
        counts = dict(zip(events[::2], events[1::2], strict=False))
        return counts.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """Remove it, once its processes are gone."""
        try:
            self.folder.rmdir()
        except OSError:
            return
