"""Create a control group (version 2) for each seat, if the machine permits it.

A seat is one process that cannot start another, so its resource limits already bound it. The group
is a second barrier, and also counts the memory that the kernel uses for it. Groups are created
below `CARDROOM_CGROUP` (a folder under /sys/fs/cgroup) or, if this process runs in a subgroup of a
delegated group, beside that subgroup (systemd: `Delegate=yes`, `DelegateSubgroup=worker`).
"""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from bots.sandbox.model import Limits

_ROOT: Final = Path("/sys/fs/cgroup")
_CONTROLLERS: Final = {"memory", "pids"}
_numbers = itertools.count()


@cache
def parent_group() -> Path | None:
    """The group in which to create the seats' groups, or None."""
    setting = os.environ.get("CARDROOM_CGROUP")
    if setting:
        return Path(setting) if _prepare(Path(setting)) else None
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    own_group = next((line[3:] for line in lines if line.startswith("0::")), "/")
    own_folder = _ROOT / own_group.strip("/")
    return own_folder.parent if own_group != "/" and _prepare(own_folder.parent) else None


def _prepare(folder: Path) -> bool:
    """Enable the controllers for subgroups; return whether groups can be created here."""
    try:
        control = folder / "cgroup.subtree_control"
        enabled = set(control.read_text().split())
        if not enabled >= _CONTROLLERS:
            control.write_text(" ".join(f"+{name}" for name in sorted(_CONTROLLERS)))
        return os.access(folder, os.W_OK)
    except OSError:
        return False


class ControlGroup:
    """The control group of one seat."""

    def __init__(self, parent: Path, limits: Limits) -> None:
        """Create the group. Raises OSError."""
        self.folder = parent / f"seat-{os.getpid()}-{next(_numbers)}"
        self.folder.mkdir()
        try:
            self._set("memory.max", limits.wall_mib << 20)
            self._set("pids.max", limits.threads)
            for name, value in (("memory.swap.max", 0), ("memory.oom.group", 1)):
                if (self.folder / name).exists():
                    self._set(name, value)
        except OSError:
            self.remove()
            raise

    def add(self, pid: int) -> None:
        """Move a process into the group. Raises OSError."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def exceeded_limit(self) -> bool:
        """Whether the kernel killed its process for exceeding the group's own memory limit."""
        counts = self._events()
        return counts.get("oom_kill", 0) > 0 and counts.get("oom", 0) > 0

    def killed_below_limit(self) -> bool:
        """Whether the kernel killed its process although the group was below its limit, because
        memory ran out outside the group."""
        counts = self._events()
        return counts.get("oom_kill", 0) > 0 and not (counts.get("oom", 0) or counts.get("max", 0))

    def remove(self) -> None:
        """Remove the group, once its processes are gone."""
        with suppress(OSError):
            self.folder.rmdir()

    def _set(self, name: str, value: int) -> None:
        (self.folder / name).write_text(str(value))

    def _events(self) -> dict[str, int]:
        """Counts of events: `max` (limit reached), `oom` (nothing to free), `oom_kill`."""
        try:
            words = (self.folder / "memory.events").read_text().split()
        except OSError:
            return {}
        return dict(zip(words[::2], map(int, words[1::2]), strict=False))
