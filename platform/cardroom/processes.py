"""Functions for processes that must end with the process that started them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Make the kernel send this process a signal when the thread that started it ends (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, number)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has ended (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def descendants(pid: int) -> list[int]:
    """Descendants of a process, nearest first; empty if there is no /proc."""
    children = _children()
    pids: list[int] = []
    level = [pid]
    while level:
        level = [child for parent in level for child in children.get(parent, ())]
        pids += level
    return pids


def children(pid: int) -> list[int]:
    """The direct children of a process; empty if there is no /proc."""
    return _children().get(pid, [])


def _children() -> dict[int, list[int]]:
    by_parent: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # The name, in parentheses, may itself contain spaces and parentheses.
            fields = entry.read_text().rpartition(")")[2].split()
            by_parent.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    return by_parent


def reap(own_pids: set[int]) -> None:
    """Reap adopted children that have ended; children in `own_pids` are left to their owners."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in own_pids:
            return
        with contextlib.suppress(ChildProcessError):
            os.waitpid(ended.si_pid, os.WNOHANG)
