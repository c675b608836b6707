"""Pin a referee and its bots to one processor core.

A message between two processes on the same core costs one context switch. Across cores it costs an
interrupt and a wake-up from idle, which take several times as long.
"""

from __future__ import annotations

import os

_AVAILABLE = hasattr(os, "sched_setaffinity")
_ALLOWED: frozenset[int] = frozenset(os.sched_getaffinity(0) if _AVAILABLE else ())


def cores() -> int:
    """The number of cores that this process may use."""
    return len(_ALLOWED) or os.cpu_count() or 1


def pick_cpu(index: int) -> int | None:
    """The core for worker number `index`: workers take the cores in turn. None without pinning."""
    if not _ALLOWED:
        return None
    cores = sorted(_ALLOWED)
    return cores[index % len(cores)]


def pin(cpu: int | None, pid: int = 0) -> None:
    """Pin the calling thread (or the process `pid`) to one core; None does nothing."""
    if cpu is not None and _AVAILABLE:
        os.sched_setaffinity(pid, {cpu})


def unpin(pid: int = 0) -> None:
    """Allow the calling thread (or the process `pid`) all cores that this program had at its
    start."""
    if _ALLOWED:
        os.sched_setaffinity(pid, _ALLOWED)


def give_way() -> None:
    """Yield this core to waiting processes; does nothing if that is impossible."""
    if _AVAILABLE:
        os.sched_yield()
