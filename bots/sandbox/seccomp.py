"""The system call filter that the runner puts on itself before it touches a bot.

A list of what is allowed, not of what is forbidden: calls that nobody thought of, or that a later
kernel adds, fail. The filter is a classic BPF program, made here and installed by the runner.

Only the filter closes the following; limits and namespaces would not:

- memory that RLIMIT_DATA does not count: shared anonymous mappings, MAP_GROWSDOWN, huge pages,
  memfd, System V segments; for Python also pages that are no longer writable;
- files without number (tmpfs counts bytes, not names): no new names at all;
- surviving the platform: PR_SET_PDEATHSIG cannot be cleared, no second process can be made;
- leaving the core that referee and bot share: sched_setaffinity;
- words between seats, on what all of them share: locks, leases and notifications on files, futexes
  in mapped ones, the page cache, counters of the whole machine;
- lies about the end: no limit can be changed, and no exit status looks like a signal's.
"""

from __future__ import annotations

import errno
import platform
from collections.abc import Iterable
from functools import cache
from typing import Final, Literal, NamedTuple

from bots.sandbox import syscalls
from bots.sandbox.bpf import (
    ALLOW,
    ASK,
    KILL,
    Block,
    assemble,
    fail,
    if_any_bit,
    if_equal,
    if_null,
    switch,
)


class _Machine(NamedTuple):
    """The numbers that differ between architectures.

    audit: its AUDIT_ARCH_*. column: in the system call table. direct: O_DIRECT. seccomp: the
    number of that call. foreign: where the numbers of another table start that share `audit`, those
    of the x32 interface.
    """

    audit: int
    column: int
    direct: int
    seccomp: int
    foreign: int | None = None


_MACHINES: Final = {
    "x86_64": _Machine(0xC000_003E, 0, 0x4000, 317, 0x4000_0000),
    "aarch64": _Machine(0xC000_00B7, 1, 0x1_0000, 277),
}
_OPEN_CREATES: Final = 0x0040_0040  # O_CREAT and O_TMPFILE's own bit
_OPEN_ASYNC: Final = 0x2000
_STATUS_ABOVE_127: Final = 0x80  # the kernel keeps the low byte
_PROT_WRITE: Final = 2
_PROT_EXEC: Final = 4
# The kinds private and shared, FIXED, ANONYMOUS, 32BIT, DENYWRITE, EXECUTABLE, NORESERVE, POPULATE,
# NONBLOCK, STACK, FIXED_NOREPLACE. Not: GROWSDOWN, LOCKED, HUGETLB, DROPPABLE.
_MMAP_KNOWN: Final = 0x0013_D873
_MAP_SHARED_ANONYMOUS: Final = 0x21
_MREMAP_KNOWN: Final = 3  # MAYMOVE, FIXED; not DONTUNMAP
_MS_SYNC: Final = 4
_CLOSE_RANGE_UNSHARE: Final = 2
_GRND_RANDOM: Final = 2
# What every thread shares with its process, and what it may ask besides: SETTLS, PARENT_SETTID,
# CHILD_CLEARTID, DETACHED, CHILD_SETTID.
_CLONE_OF_THREAD: Final = 0x0005_0F00
_CLONE_ALSO: Final = 0x0178_0000
# NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP,
# DODUMP, WIPEONFORK, KEEPONFORK. Not what loads, drops or merges pages that others have, too.
_MADVICE: Final = (4, 8, 0, 1, 2, 10, 11, 14, 15, 16, 17, 18, 19)
# QUERY, and the commands for this process only: PRIVATE_EXPEDITED, SYNC_CORE, registering both.
_MEMBARRIERS: Final = (0, 8, 16, 32, 64)
# DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC, GETPIPE_SZ; SETFL is looked at. Not: locks of all
# kinds, leases, notifications, owners and signals, sizes of pipes.
_FCNTLS: Final = (0, 1, 2, 3, 1030, 1032)
_F_SETFL: Final = 4
# FUTEX_* with FUTEX_PRIVATE_FLAG: WAIT, WAKE, WAIT_BITSET, WAKE_BITSET, REQUEUE, CMP_REQUEUE,
# WAKE_OP. Those without reach other processes that map the same file.
_FUTEX_PRIVATE: Final = (128, 129, 137, 138, 131, 132, 133)
_FUTEX_SHARED_WAITS: Final = (0, 9)
_FUTEX_SHARED_WAKES: Final = (1, 10)
_FUTEX_OPERATION: Final = 0xFFFF_FEFF  # all but FUTEX_CLOCK_REALTIME
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: what runtimes ask of pipes.
_IOCTLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
# PR_GET_NO_NEW_PRIVS, PR_SET_VMA: reading, and naming threads and memory.
_PRCTLS: Final = (3, 15, 16, 21, 23, 39, 0x5356_4D41)
_ARCH_PRCTLS: Final = (0x1001, 0x1002, 0x1003, 0x1004)  # the bases of FS and GS

Runtime = Literal["python", "command"]


def supported(machine: str | None = None) -> bool:
    """Whether there is a filter for this (or the given) machine architecture."""
    return (machine or platform.machine()) in _MACHINES


@cache
def build(runtime: Runtime, machine: str | None = None) -> bytes:
    """The filter as an array of `struct sock_filter`, 8 bytes an instruction.

    runtime: "python" forbids execve, pipes, and to hide memory behind mprotect; "command" allows
    them, for the bot's own program. Raises KeyError for an unknown architecture; ask `supported`.
    """
    here = _MACHINES[machine or platform.machine()]
    answers = {
        syscalls.ALLOWED: ALLOW,
        syscalls.COMMANDS: ALLOW if runtime == "command" else fail(errno.EPERM),
        syscalls.WITHOUT_EFFECT: fail(0),
        syscalls.FILE_CHANGING: fail(errno.EROFS),
        syscalls.FORBIDDEN: fail(errno.EPERM),
    }
    calls = {
        number: answer
        for table, answer in answers.items()
        for _, number in _numbers(table, here.column)
    }
    checks = _checks(runtime, here.direct)
    calls |= {number: checks[name] for name, number in _numbers(syscalls.CHECKED, here.column)}
    return assemble(here.audit, calls, unknown=fail(errno.ENOSYS), foreign=here.foreign)


@cache
def asking(machine: str | None = None) -> bytes:
    """A filter for programs, beside the other: whether a pipe may be made is asked of us."""
    here = _MACHINES[machine or platform.machine()]
    calls = {number: ASK for _, number in _numbers(syscalls.COUNTED, here.column)}
    return assemble(here.audit, calls, unknown=ALLOW, foreign=here.foreign)


def number(machine: str | None = None) -> int:
    """Of the system call that installs a filter with somebody to ask."""
    return _MACHINES[machine or platform.machine()].seccomp


def _checks(runtime: Runtime, direct: int) -> dict[str, Block]:
    """What to do with each of the calls of `syscalls.CHECKED`."""
    refused, unknown = fail(errno.EPERM), fail(errno.EINVAL)
    status = if_any_bit(0, _STATUS_ABOVE_127, KILL, ALLOW)
    return {
        "arch_prctl": switch(0, (ALLOW, _ARCH_PRCTLS), otherwise=unknown),
        "clone": if_equal(0, _CLONE_OF_THREAD, ALLOW, refused, mask=~_CLONE_ALSO & 0xFFFF_FFFF),
        "close_range": if_any_bit(2, _CLOSE_RANGE_UNSHARE, unknown, ALLOW),
        "exit": status,
        "exit_group": status,
        "fcntl": if_equal(
            1,
            _F_SETFL,
            if_any_bit(2, _OPEN_ASYNC | direct, refused, ALLOW),
            switch(1, (ALLOW, _FCNTLS), otherwise=refused),
        ),
        "futex": _futex(),
        "getpriority": if_equal(0, 0, ALLOW, refused),
        "getrandom": if_any_bit(2, _GRND_RANDOM, unknown, ALLOW),
        "ioctl": switch(1, (ALLOW, _IOCTLS), otherwise=fail(errno.ENOTTY)),
        "madvise": switch(2, (ALLOW, _MADVICE), otherwise=unknown),
        "membarrier": switch(0, (ALLOW, _MEMBARRIERS), otherwise=unknown),
        "mmap": if_any_bit(
            3,
            ~_MMAP_KNOWN & 0xFFFF_FFFF,
            refused,
            if_equal(3, _MAP_SHARED_ANONYMOUS, refused, ALLOW, mask=_MAP_SHARED_ANONYMOUS),
        ),
        "mprotect": ALLOW if runtime == "command" else _mprotect(),
        "mremap": if_any_bit(3, ~_MREMAP_KNOWN & 0xFFFF_FFFF, unknown, ALLOW),
        "msync": if_any_bit(2, _MS_SYNC, fail(0), ALLOW),
        "open": _open(1, direct),
        "openat": _open(2, direct),
        "prctl": switch(0, (ALLOW, _PRCTLS), otherwise=refused),
        "prlimit64": if_null(2, ALLOW, refused),
    }


def _futex() -> Block:
    """Allow futexes between threads only: another seat could wait for one that is not private.

    The C library uses a futex that is not private to wait for the end of a thread. It retries when
    the call fails as if the word had changed. The call must not sleep: other processes could wake
    it, as the kernel does when a thread ends.
    """
    return switch(
        1,
        (ALLOW, _FUTEX_PRIVATE),
        (fail(errno.EAGAIN), _FUTEX_SHARED_WAITS),
        (fail(0), _FUTEX_SHARED_WAKES),
        otherwise=fail(errno.ENOSYS),
        mask=_FUTEX_OPERATION,
    )


def _mprotect() -> Block:
    """Keep written pages writable, because RLIMIT_DATA counts writable pages only.

    The loader of libraries makes some pages read-only; the call succeeds without doing it.
    """
    no_write = if_any_bit(2, _PROT_EXEC, fail(errno.EPERM), fail(0))
    return if_any_bit(2, _PROT_WRITE, ALLOW, no_write)


def _open(argument: int, direct: int) -> Block:
    """No new files, and none past the page cache, where others' reading would be felt."""
    created = fail(errno.EROFS)
    bypassing = if_any_bit(argument, direct, fail(errno.EINVAL), ALLOW)
    return if_any_bit(argument, _OPEN_CREATES, created, bypassing)


def _numbers(table: str, column: int) -> Iterable[tuple[str, int]]:
    for entry in table.split():
        name, *numbers = entry.split(":")
        if numbers[column] != "-":
            yield name, int(numbers[column])
