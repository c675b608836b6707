"""The system call filter that the runner puts on itself before it touches a bot.

A list of what is allowed, not of what is forbidden: calls that nobody thought of, or that a later
kernel adds, fail. The filter is a classic BPF program, made here and installed by the runner.

What the filter alone closes (each would slip through the limits and namespaces around it):

- memory that RLIMIT_DATA does not count: shared anonymous mappings, MAP_GROWSDOWN, huge pages,
  memfd, System V segments;
- files without number (tmpfs counts bytes, not names): no new names at all;
- surviving the platform: PR_SET_PDEATHSIG cannot be cleared, no second process can be made;
- leaving the core that referee and bot share: sched_setaffinity.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

from bots.sandbox import syscalls

# <linux/bpf_common.h>: load a word, jump, return.
_LOAD: Final = 0x20
_JUMP: Final = 0x05
_JUMP_EQUAL: Final = 0x15
_JUMP_AT_LEAST: Final = 0x35
_JUMP_ANY_BIT: Final = 0x45
_AND: Final = 0x54
_RETURN: Final = 0x06

# <linux/seccomp.h>: struct seccomp_data's offsets and the answers.
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_ARGUMENTS_AT: Final = 16
_ALLOW: Final = 0x7FFF_0000
_ERRNO: Final = 0x0005_0000
_KILL: Final = 0x8000_0000

# <linux/audit.h>: AUDIT_ARCH_*; the column of the system call table beside it.
_ARCHITECTURES: Final = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
# Calls of the x32 interface have this bit set; they share x86_64's architecture number.
_X32_BIT: Final = 0x4000_0000

_CLONE_THREAD: Final = 0x0001_0000
_MAP_SHARED_ANONYMOUS: Final = 0x21
_MAP_GROWSDOWN_OR_HUGE: Final = 0x0004_0100
_OPEN_CREATES: Final = 0x0040_0040  # O_CREAT and O_TMPFILE's own bit
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: what runtimes ask of pipes.
_IOCTLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
# PR_GET_NO_NEW_PRIVS, PR_SET_VMA: reading, and naming threads and memory.
_PRCTLS: Final = (3, 15, 16, 21, 23, 39, 0x5356_4D41)

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand
Block = list[Instruction]
Runtime = Literal["python", "command"]


def supported(machine: str | None = None) -> bool:
    """Whether there is a filter for this (or the given) machine architecture."""
    return (machine or platform.machine()) in _ARCHITECTURES


@cache
def build(runtime: Runtime, machine: str | None = None) -> bytes:
    """The filter as an array of `struct sock_filter`, 8 bytes an instruction.

    runtime: "python" forbids execve; "command" allows it, for the bot's own program.
    Raises KeyError for an unknown architecture; ask `supported` first.
    """
    architecture, column = _ARCHITECTURES[machine or platform.machine()]
    program: Block = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if column == 0:
        program += [(_JUMP_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    program += _search(_intervals(_leaves(runtime, column)))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _leaves(runtime: Runtime, column: int) -> dict[int, Block]:
    """What to do with each listed call, by its number."""
    starting = _ALLOW if runtime == "command" else _fail(errno.EPERM)
    answers = {
        syscalls.ALLOWED: _ALLOW,
        syscalls.STARTING: starting,
        syscalls.FILE_CHANGING: _fail(errno.EROFS),
        syscalls.FORBIDDEN: _fail(errno.EPERM),
    }
    leaves: dict[int, Block] = {
        number: [(_RETURN, 0, 0, answer)]
        for table, answer in answers.items()
        for _, number in _numbers(table, column)
    }
    return leaves | {number: _checked(name) for name, number in _numbers(syscalls.CHECKED, column)}


def _intervals(leaves: dict[int, Block]) -> list[tuple[int, Block]]:
    """(first number, what to do) for each run of numbers with the same; unlisted: ENOSYS."""
    unknown: Block = [(_RETURN, 0, 0, _fail(errno.ENOSYS))]
    found: list[tuple[int, Block]] = [(0, leaves.get(0, unknown))]
    for number in range(1, max(leaves) + 2):
        block = leaves.get(number, unknown)
        if block != found[-1][1]:
            found.append((number, block))
    return found


def _search(intervals: list[tuple[int, Block]]) -> Block:
    """Binary search: when the filter is installed the kernel runs it for every call's number."""
    if len(intervals) == 1:
        return intervals[0][1]
    middle = len(intervals) // 2
    below, above = _search(intervals[:middle]), _search(intervals[middle:])
    # A conditional jump reaches 255 instructions, the unconditional one any distance.
    turn: Block = [(_JUMP_AT_LEAST, 0, 1, intervals[middle][0]), (_JUMP, 0, 0, len(below))]
    return [*turn, *below, *above]


def _numbers(table: str, column: int) -> Iterable[tuple[str, int]]:
    for entry in table.split():
        name, *numbers = entry.split(":")
        if numbers[column] != "-":
            yield name, int(numbers[column])


def _fail(error: int) -> int:
    return _ERRNO | error


def _checked(name: str) -> Block:
    """What to do with one of the calls of `syscalls.CHECKED`; always ends in a return.

    Only the low word of an argument is looked at: all of these are ints or bit masks whose known
    bits lie there, and the kernel cuts the ints itself.
    """
    match name:
        case "clone":
            return _if_any_bit(0, _CLONE_THREAD, then=_ALLOW, otherwise=_fail(errno.EPERM))
        case "open":
            return _if_any_bit(1, _OPEN_CREATES, then=_fail(errno.EROFS), otherwise=_ALLOW)
        case "openat":
            return _if_any_bit(2, _OPEN_CREATES, then=_fail(errno.EROFS), otherwise=_ALLOW)
        case "ioctl":
            return _if_one_of(1, _IOCTLS, otherwise=_fail(errno.ENOTTY))
        case "prctl":
            return _if_one_of(0, _PRCTLS, otherwise=_fail(errno.EPERM))
        case "mmap":
            return [
                (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * 3),
                (_JUMP_ANY_BIT, 2, 0, _MAP_GROWSDOWN_OR_HUGE),
                (_AND, 0, 0, _MAP_SHARED_ANONYMOUS),
                (_JUMP_EQUAL, 0, 1, _MAP_SHARED_ANONYMOUS),
                (_RETURN, 0, 0, _fail(errno.EPERM)),
                (_RETURN, 0, 0, _ALLOW),
            ]
    raise KeyError(name)


def _if_any_bit(argument: int, bits: int, *, then: int, otherwise: int) -> Block:
    return [
        (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument),
        (_JUMP_ANY_BIT, 0, 1, bits),
        (_RETURN, 0, 0, then),
        (_RETURN, 0, 0, otherwise),
    ]


def _if_one_of(argument: int, values: tuple[int, ...], *, otherwise: int) -> Block:
    block: Block = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)]
    for value in values:
        block += [(_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*block, (_RETURN, 0, 0, otherwise)]
