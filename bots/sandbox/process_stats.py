"""Read a process's time, memory, state and exit status from the kernel."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from pathlib import Path
from typing import Final, NamedTuple

_CPUCLOCK_SCHED: Final = 2  # processor time of all threads, including ended ones
# <linux/pidfd.h>, since Linux 6.15: PIDFD_GET_INFO with the first 64 bytes of struct pidfd_info,
# which begins with the mask of requested and returned fields and ends with the wait status.
_GET_INFO: Final = 0xC040_FF0B
_INFO_EXIT: Final = 1 << 3
_INFO: Final = struct.Struct("=Q52xi")
# Every kind of memory that only this process occupies, and the page tables that map it.
_MEMORY_FIELDS: Final = re.compile(rb"\n(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s+(\d+)")
# Kernel functions in which processes of a frozen control group wait.
_FROZEN: Final = (b"get_signal", b"do_freezer_trap", b"__refrigerator")
_FREEZERS: Final = "/sys/fs/cgroup/freezer"  # control groups of version 1
_PEAK: Final = re.compile(rb"\nVmHWM:\s+(\d+)")


class Memory(NamedTuple):
    """A process's present memory, without pages of shared files, and its resident peak."""

    held_kib: int
    peak_kib: int


def cpu_ns(pid: int) -> int:
    """Processor time of all threads of a process, including ended ones; 0 if it is gone."""
    try:
        return time.clock_gettime_ns(~pid << 3 | _CPUCLOCK_SCHED)
    except OSError:
        return 0


def run_delay_ns(pid: int) -> int:
    """Nanoseconds that a process has waited for a processor so far; 0 if they cannot be read.

    Only the first thread's wait is counted, minus the processor time of the other threads. So a bot
    whose threads compete with each other gains nothing.
    """
    first_thread_ns, waited_ns, *_ = map(int, _read(f"/proc/{pid}/schedstat").split() or (0, 0))
    other_threads_ns = max(0, cpu_ns(pid) - first_thread_ns)
    return max(0, waited_ns - other_threads_ns)


def state(pid: int) -> str:
    """The state of a process's first thread, as a letter of `ps`; empty if it is gone."""
    return _read(f"/proc/{pid}/stat").rpartition(b") ")[2][:1].decode()


def suspended(pid: int) -> bool:
    """Whether a process is stopped or frozen."""
    letter = state(pid)
    if letter not in ("S", "D"):
        return letter in ("T", "t")
    return _read(f"/proc/{pid}/wchan") in _FROZEN or (letter == "D" and _is_in_frozen_freezer(pid))


def children(pid: int) -> list[int]:
    """The processes that a process has started and that have not been waited for."""
    texts = [_read(f"{thread}/children") for thread in _threads(pid)]
    return [int(child) for text in texts for child in text.split()]


def memory(pid: int) -> Memory:
    """The memory of a process; zeros if it is gone.

    The kernel maintains these sums, so reading them takes microseconds and waits for no lock that
    the process could hold.
    """
    text = _read(f"/proc/{pid}/status")
    amounts = _MEMORY_FIELDS.findall(text)
    if not amounts and text:  # the first thread has ended, but others still hold the memory
        text = next(
            filter(_MEMORY_FIELDS.search, (_read(f"{thread}/status") for thread in _threads(pid))),
            b"",
        )
        amounts = _MEMORY_FIELDS.findall(text)
    peak = _PEAK.search(text)
    return Memory(sum(map(int, amounts)), int(peak[1]) if peak else 0)


def machine_kib() -> int:
    """The memory that programs may use: the machine's, or less if its container has a limit."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
    limit = _read("/sys/fs/cgroup/memory.max").strip()
    return min(machine, int(limit) >> 10) if limit.isdigit() else machine


def out_of_memory_kills() -> int:
    """Number of processes that the kernel has killed for lack of memory since the machine
    started."""
    _, label, remainder = _read("/proc/vmstat").partition(b"\noom_kill ")
    return int(remainder.split(maxsplit=1)[0]) if label else 0


def wait_status(pidfd: int) -> int | None:
    """The wait status of a process that another process waited for; None if it is unknown."""
    buffer = bytearray(_INFO.pack(_INFO_EXIT, 0))
    try:
        fcntl.ioctl(pidfd, _GET_INFO, buffer)
    except OSError:  # an older kernel
        return None
    flags, status = _INFO.unpack(buffer)
    return int(status) if flags & _INFO_EXIT else None


def _is_in_frozen_freezer(pid: int) -> bool:
    """Whether a control group of version 1 has frozen the process.

    Since Linux 6.1, a process that was asleep stays in the function in which it slept.
    """
    for line in _read(f"/proc/{pid}/cgroup").decode().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "freezer":
            return _read(f"{_FREEZERS}{group}/freezer.state") == b"FROZEN\n"
    return False


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _read(path: str) -> bytes:
    """The content of a short kernel file; empty if there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    text = b""
    try:
        while chunk := os.read(fd, 16384):
            text += chunk
    except OSError:  # the process ended meanwhile
        return b""
    finally:
        os.close(fd)
    return text
