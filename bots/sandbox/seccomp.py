"""Build the system call filter that the runner installs on itself before it loads a bot.

It lists allowed calls, not forbidden ones, so unforeseen calls and calls of later kernels fail. The
filter is a classic BPF program, assembled here and installed by the runner.

Only the filter prevents these evasions; resource limits and namespaces do not:

- memory that RLIMIT_DATA does not count: shared anonymous mappings, MAP_GROWSDOWN, huge pages,
  memfd, System V segments; for Python also pages that are no longer writable;
- unlimited numbers of files (tmpfs counts bytes, not names): no new names at all;
- surviving the platform: PR_SET_PDEATHSIG cannot be cleared, no second process can be made;
- leaving the core that referee and bot share: sched_setaffinity;
- messages between seats, through shared objects: locks, leases and notifications on files, futexes
  in mapped files, the page cache, counters of the whole machine;
- a misleading end: bots cannot change limits, nor exit with a status that looks like a signal's.
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
    fail_with,
    if_any_bit,
    if_equal,
    if_null,
    switch,
)


class _Machine(NamedTuple):
    """The numbers that differ between architectures.

    audit: AUDIT_ARCH_*. column: its column in the system call table. direct: O_DIRECT. seccomp: the
    number of that call. foreign: the first number of another table with the same `audit`, that of
    the x32 interface.
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
_STATUS_ABOVE_127: Final = 0x80  # of an exit status the kernel keeps the low byte
_PROT_WRITE: Final = 2
_PROT_EXEC: Final = 4
# PRIVATE, SHARED, FIXED, ANONYMOUS, 32BIT, DENYWRITE, EXECUTABLE, NORESERVE, POPULATE, NONBLOCK,
# STACK, FIXED_NOREPLACE. Excludes GROWSDOWN, LOCKED, HUGETLB, DROPPABLE.
_MMAP_KNOWN: Final = 0x0013_D873
_MAP_SHARED_ANONYMOUS: Final = 0x21
_MREMAP_KNOWN: Final = 3  # MAYMOVE, FIXED; not DONTUNMAP
_MS_SYNC: Final = 4
_CLOSE_RANGE_UNSHARE: Final = 2
_GRND_RANDOM: Final = 2
# Flags that every thread must have, and optional ones: SETTLS, PARENT_SETTID, CHILD_CLEARTID,
# DETACHED, CHILD_SETTID.
_CLONE_OF_THREAD: Final = 0x0005_0F00
_CLONE_ALSO: Final = 0x0178_0000
# NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP,
# DODUMP, WIPEONFORK, KEEPONFORK. Excludes advice that loads, drops or merges shared pages.
_MADVICE: Final = (4, 8, 0, 1, 2, 10, 11, 14, 15, 16, 17, 18, 19)
# DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC, GETPIPE_SZ; SETFL is checked further. Excludes locks of
# all kinds, leases, notifications, owners and signals, sizes of pipes.
_FCNTLS: Final = (0, 1, 2, 3, 1030, 1032)
_F_SETFL: Final = 4
# FUTEX_* with FUTEX_PRIVATE_FLAG: WAIT, WAKE, WAIT_BITSET, WAKE_BITSET, REQUEUE, CMP_REQUEUE,
# WAKE_OP. Futexes without that flag reach other processes that map the same file.
_FUTEX_PRIVATE: Final = (128, 129, 137, 138, 131, 132, 133)
_FUTEX_SHARED_WAITS: Final = (0, 9)
_FUTEX_SHARED_WAKES: Final = (1, 10)
_FUTEX_OPERATION: Final = 0xFFFF_FEFF  # all but FUTEX_CLOCK_REALTIME
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, which runtimes call on pipes.
_IOCTLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
# PR_GET_NO_NEW_PRIVS: reading, and naming threads. Excludes PR_SET_VMA: the kernel stores the names
# of mappings in memory that no limit counts.
_PRCTLS: Final = (3, 15, 16, 21, 23, 39)
_ARCH_PRCTLS: Final = (0x1001, 0x1002, 0x1003, 0x1004)  # the bases of FS and GS

Runtime = Literal["python", "command"]


def supported(machine: str | None = None) -> bool:
    """Whether there is a filter for `machine`, by default this machine's architecture."""
    return (machine or platform.machine()) in _MACHINES


@cache
def build(runtime: Runtime, machine: str | None = None) -> bytes:
    """The filter as an array of `struct sock_filter`, 8 bytes per instruction.

    runtime: "command" allows execve, pipes and all mprotect calls, which the bot's own program
    needs; "python" does not. Raises KeyError unless `supported`.
    """
    machine_numbers = _MACHINES[machine or platform.machine()]
    answers = {
        syscalls.ALLOWED: ALLOW,
        syscalls.COMMANDS: ALLOW if runtime == "command" else fail_with(errno.EPERM),
        syscalls.WITHOUT_EFFECT: fail_with(0),
        syscalls.FILE_CHANGING: fail_with(errno.EROFS),
        syscalls.FORBIDDEN: fail_with(errno.EPERM),
    }
    calls = {
        number: answer
        for table, answer in answers.items()
        for _, number in _numbers(table, machine_numbers.column)
    }
    checks = _checks(runtime, machine_numbers.direct)
    calls |= {
        number: checks[name] for name, number in _numbers(syscalls.CHECKED, machine_numbers.column)
    }
    return assemble(
        machine_numbers.audit,
        calls,
        unknown=fail_with(errno.ENOSYS),
        foreign=machine_numbers.foreign,
    )


@cache
def asking_filter(machine: str | None = None) -> bytes:
    """An additional filter for programs, which asks us about each pipe and each `execve`."""
    machine_numbers = _MACHINES[machine or platform.machine()]
    asked = syscalls.PIPES + syscalls.STARTS
    calls = {number: ASK for _, number in _numbers(asked, machine_numbers.column)}
    return assemble(machine_numbers.audit, calls, unknown=ALLOW, foreign=machine_numbers.foreign)


def seccomp_number(machine: str | None = None) -> int:
    """The number of the system call `seccomp`, which installs a filter with a listener."""
    return _MACHINES[machine or platform.machine()].seccomp


@cache
def pipe2_number(machine: str | None = None) -> int:
    """The number of the system call `pipe2`, which has flags; `pipe` has none."""
    column = _MACHINES[machine or platform.machine()].column
    return max(number for name, number in _numbers(syscalls.PIPES, column) if name == "pipe2")


@cache
def execve_number(machine: str | None = None) -> int:
    """The number of the system call `execve`."""
    column = _MACHINES[machine or platform.machine()].column
    [(_, number)] = _numbers(syscalls.STARTS, column)
    return number


def _checks(runtime: Runtime, direct: int) -> dict[str, Block]:
    """The block for each of the calls in `syscalls.CHECKED`."""
    refused, unknown = fail_with(errno.EPERM), fail_with(errno.EINVAL)
    exit_check = if_any_bit(0, _STATUS_ABOVE_127, KILL, ALLOW)
    return {
        "arch_prctl": switch(0, (ALLOW, _ARCH_PRCTLS), otherwise=unknown),
        "clone": if_equal(0, _CLONE_OF_THREAD, ALLOW, refused, mask=~_CLONE_ALSO & 0xFFFF_FFFF),
        "close_range": if_any_bit(2, _CLOSE_RANGE_UNSHARE, unknown, ALLOW),
        "exit": exit_check,
        "exit_group": exit_check,
        "fcntl": if_equal(
            1,
            _F_SETFL,
            if_any_bit(2, _OPEN_ASYNC | direct, refused, ALLOW),
            switch(1, (ALLOW, _FCNTLS), otherwise=refused),
        ),
        "futex": _futex(),
        "getpriority": if_equal(0, 0, ALLOW, refused),
        "getrandom": if_any_bit(2, _GRND_RANDOM, unknown, ALLOW),
        "ioctl": switch(1, (ALLOW, _IOCTLS), otherwise=fail_with(errno.ENOTTY)),
        "madvise": switch(2, (ALLOW, _MADVICE), otherwise=unknown),
        "mmap": if_any_bit(
            3,
            ~_MMAP_KNOWN & 0xFFFF_FFFF,
            refused,
            if_equal(3, _MAP_SHARED_ANONYMOUS, refused, ALLOW, mask=_MAP_SHARED_ANONYMOUS),
        ),
        "mprotect": ALLOW if runtime == "command" else _mprotect(),
        "mremap": if_any_bit(3, ~_MREMAP_KNOWN & 0xFFFF_FFFF, unknown, ALLOW),
        "msync": if_any_bit(2, _MS_SYNC, fail_with(0), ALLOW),
        "open": _open(1, direct),
        "openat": _open(2, direct),
        "prctl": switch(0, (ALLOW, _PRCTLS), otherwise=refused),
        "prlimit64": if_null(2, ALLOW, refused),
    }


def _futex() -> Block:
    """Allow private futexes only: another seat could wait for one that is not private.

    The C library waits for the end of a thread by a futex that is not private, and retries if told
    that the word has changed. That call must not sleep, because the kernel wakes such a futex when
    any thread ends.
    """
    return switch(
        1,
        (ALLOW, _FUTEX_PRIVATE),
        (fail_with(errno.EAGAIN), _FUTEX_SHARED_WAITS),
        (fail_with(0), _FUTEX_SHARED_WAKES),
        otherwise=fail_with(errno.ENOSYS),
        mask=_FUTEX_OPERATION,
    )


def _mprotect() -> Block:
    """Keep written pages writable, because RLIMIT_DATA counts only writable pages.

    The loader of libraries makes some pages read-only; its call succeeds without effect.
    """
    no_write = if_any_bit(2, _PROT_EXEC, fail_with(errno.EPERM), fail_with(0))
    return if_any_bit(2, _PROT_WRITE, ALLOW, no_write)


def _open(argument: int, direct: int) -> Block:
    """Refuse new files, and O_DIRECT, whose timing would reveal reads by others."""
    refused = fail_with(errno.EROFS)
    direct_check = if_any_bit(argument, direct, fail_with(errno.EINVAL), ALLOW)
    return if_any_bit(argument, _OPEN_CREATES, refused, direct_check)


def _numbers(table: str, column: int) -> Iterable[tuple[str, int]]:
    """(name, number) of each system call of a table that this architecture has."""
    for entry in table.split():
        name, *numbers = entry.split(":")
        if numbers[column] != "-":
            yield name, int(numbers[column])
