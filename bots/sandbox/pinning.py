"""Keeping a referee and its bots on one processor core.

A message between two processes on the same core costs one context switch; across cores it costs
an interrupt and a wake-up from idle, several times as much.
"""

from __future__ import annotations

import os

_AVAILABLE = hasattr(os, "sched_setaffinity")
_ALLOWED: frozenset[int] = frozenset(os.sched_getaffinity(0) if _AVAILABLE else ())


def pick_cpu(index: int) -> int | None:
    """The core for worker number `index`: they take turns. None where pinning is impossible."""
    if not _ALLOWED:
        return None
    cores = sorted(_ALLOWED)
    return cores[index % len(cores)]


def pin(cpu: int | None, pid: int = 0) -> None:
    """Keep the calling thread (or the process `pid`) on one core; None does nothing."""
    if cpu is not None and _AVAILABLE:
        os.sched_setaffinity(pid, {cpu})


def unpin(pid: int = 0) -> None:
    """Give the calling thread (or the process `pid`) all cores that we had at our start."""
    if _ALLOWED:
        os.sched_setaffinity(pid, _ALLOWED)


def give_way() -> None:
    """Let who waits for this core have it first; nothing where that is impossible."""
    if _AVAILABLE:
        os.sched_yield()
