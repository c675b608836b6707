"""Reads a process's CPU time, memory and end from the kernel."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from pathlib import Path
from typing import Final, NamedTuple

_CLOCK_OF_PROCESS: Final = 2  # CPUCLOCK_SCHED: nanoseconds of all threads, ended ones too
# <linux/pidfd.h>, since Linux 6.15: PIDFD_GET_INFO with the first 64 bytes of struct pidfd_info,
# which begins with the mask of what is asked and given and ends with the wait status.
_GET_INFO: Final = 0xC040_FF0B
_INFO_EXIT: Final = 1 << 3
_INFO: Final = struct.Struct("=Q52xi")
# All kinds of pages that only this process keeps in memory, and their page tables.
_HELD: Final = re.compile(rb"\n(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s+(\d+)")
# Kernel functions in which the processes of a frozen control group wait.
_FROZEN: Final = (b"get_signal", b"do_freezer_trap", b"__refrigerator")
_PEAK: Final = re.compile(rb"\nVmHWM:\s+(\d+)")


class Memory(NamedTuple):
    """What a process has in memory now, files that others share left out; and its resident peak."""

    held_kib: int
    peak_kib: int


def cpu_ns(pid: int) -> int:
    """CPU time of all threads of a process, including ended threads; 0 if it is gone."""
    try:
        return time.clock_gettime_ns(~pid << 3 | _CLOCK_OF_PROCESS)
    except OSError:
        return 0


def run_delay_ns(pid: int) -> int:
    """Time the kernel kept a process waiting for a processor, so far; 0 where unreadable.

    Counted for the first thread, less the processor time of the other threads: a bot that crowds
    itself out with threads gains nothing.
    """
    ran_ns, waited_ns, *_ = map(int, _read(f"/proc/{pid}/schedstat").split() or (0, 0))
    others_ns = max(0, cpu_ns(pid) - ran_ns)
    return max(0, waited_ns - others_ns)


def state(pid: int) -> str:
    """What the first thread of a process does, a letter as `ps` has it; empty if it is gone."""
    return _read(f"/proc/{pid}/stat").rpartition(b") ")[2][:1].decode()


def suspended(pid: int) -> bool:
    """Whether a process is stopped or frozen, and so takes no part in anything."""
    doing = state(pid)
    return doing in ("T", "t") or (doing in ("S", "D") and _read(f"/proc/{pid}/wchan") in _FROZEN)


def children(pid: int) -> list[int]:
    """The processes that a process has started and that have not been waited for."""
    texts = [_read(f"{thread}/children") for thread in _threads(pid)]
    return [int(child) for text in texts for child in text.split()]


def memory(pid: int) -> Memory:
    """The memory of a process; nothing if it is gone.

    The kernel keeps these sums, so that reading takes microseconds and waits for nothing that the
    process could hold on to.
    """
    text = _read(f"/proc/{pid}/status")
    held = _HELD.findall(text)
    if not held and text:  # its first thread has ended, and only that: others have the memory still
        text = next(
            filter(_HELD.search, (_read(f"{thread}/status") for thread in _threads(pid))), b""
        )
        held = _HELD.findall(text)
    peak = _PEAK.search(text)
    return Memory(sum(map(int, held)), int(peak[1]) if peak else 0)


def machine_kib() -> int:
    """The memory that programs may use here: the machine's, or its container's where that has a
    limit of its own."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
    limit = _read("/sys/fs/cgroup/memory.max").strip()
    return min(machine, int(limit) >> 10) if limit.isdigit() else machine


def out_of_memory_kills() -> int:
    """How often the kernel killed for want of memory since this machine started."""
    _, label, rest = _read("/proc/vmstat").partition(b"\noom_kill ")
    return int(rest.split(maxsplit=1)[0]) if label else 0


def wait_status(pidfd: int) -> int | None:
    """The wait status of a process that somebody else waited for; None where nobody can tell."""
    buffer = bytearray(_INFO.pack(_INFO_EXIT, 0))
    try:
        fcntl.ioctl(pidfd, _GET_INFO, buffer)
    except OSError:  # an older kernel
        return None
    flags, status = _INFO.unpack(buffer)
    return int(status) if flags & _INFO_EXIT else None


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _read(path: str) -> bytes:
    """A short file of the kernel; empty if there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    text = b""
    try:
        while part := os.read(fd, 16384):
            text += part
    except OSError:  # the process ended meanwhile
        return b""
    finally:
        os.close(fd)
    return text
