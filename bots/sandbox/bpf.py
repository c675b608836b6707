"""Assemble classic BPF for system call filters: decisions, and a search by call number.

A block is a list of instructions that always ends by returning an answer. A decision is a block
made of other blocks, so decisions nest. All decisions except `if_null` test only the low word of an
argument. That suffices for ints, which the kernel truncates, and for masks whose known bits are all
in that word.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping
from typing import Final

# <linux/bpf_common.h>: load a word, jump, return.
_LOAD: Final = 0x20
_JUMP: Final = 0x05
_JUMP_EQUAL: Final = 0x15
_JUMP_AT_LEAST: Final = 0x35
_JUMP_ANY_BIT: Final = 0x45
_AND: Final = 0x54
_RETURN: Final = 0x06

# <linux/seccomp.h>: offsets in struct seccomp_data.
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_ARGUMENTS_AT: Final = 16
_ALL_BITS: Final = 0xFFFF_FFFF
_MAX_JUMP: Final = 255  # limit of conditional jumps; unconditional ones have none

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand
Block = list[Instruction]

ALLOW: Final[Block] = [(_RETURN, 0, 0, 0x7FFF_0000)]
ASK: Final[Block] = [(_RETURN, 0, 0, 0x7FC0_0000)]  # ask the listener of the filter
KILL: Final[Block] = [(_RETURN, 0, 0, 0x8000_0000)]  # kill the whole process by SIGSYS


def fail_with(error: int) -> Block:
    """Skip the call and return an errno; with 0 it succeeds without effect."""
    return [(_RETURN, 0, 0, 0x0005_0000 | error)]


def if_equal(
    argument: int, value: int, then: Block, otherwise: Block, mask: int = _ALL_BITS
) -> Block:
    """Continue with `then` if the argument's bits under `mask` equal `value`, or with
    `otherwise`."""
    return [*_load(argument, mask), (_JUMP_EQUAL, 0, len(then), value), *then, *otherwise]


def if_any_bit(argument: int, bits: int, then: Block, otherwise: Block) -> Block:
    """Continue with `then` if the argument has any of the bits, else with `otherwise`."""
    return [*_load(argument), (_JUMP_ANY_BIT, 0, len(then), bits), *then, *otherwise]


def if_null(argument: int, then: Block, otherwise: Block) -> Block:
    """Continue with `then` if both words of a pointer are null, else with `otherwise`."""
    high = [(_LOAD, 0, 0, _offset(argument) + 4), (_JUMP_ANY_BIT, len(then), 0, _ALL_BITS)]
    skip = len(high) + len(then)
    return [*_load(argument), (_JUMP_ANY_BIT, skip, 0, _ALL_BITS), *high, *then, *otherwise]


def switch(
    argument: int,
    *cases: tuple[Block, Collection[int]],
    otherwise: Block,
    mask: int = _ALL_BITS,
) -> Block:
    """Continue with the block whose values contain the argument's bits under `mask`. The values are
    tested in the given order."""
    targets = [(value, place) for place, (_, values) in enumerate(cases) for value in values]
    starts = [len(otherwise)]
    for block, _ in cases:
        starts.append(starts[-1] + len(block))
    tests = [
        (_JUMP_EQUAL, len(targets) - 1 - index + starts[place], 0, value)
        for index, (value, place) in enumerate(targets)
    ]
    answers = [instruction for block, _ in cases for instruction in block]
    return [*_load(argument, mask), *tests, *otherwise, *answers]


def assemble(
    architecture: int, calls: Mapping[int, Block], *, unknown: Block, foreign: int | None = None
) -> bytes:
    """A filter as an array of `struct sock_filter`, 8 bytes per instruction.

    `architecture`: AUDIT_ARCH_*; a call by another architecture's numbers kills the process.
    `calls`: a block for each number. `unknown`: the block for all other numbers. `foreign`: the
    first number that belongs to another table; it and all higher ones kill the process.
    """
    intervals = _intervals(calls, unknown)
    if foreign is not None:
        intervals.append((foreign, KILL))
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, len(KILL), 0, architecture),
        *KILL,
        (_LOAD, 0, 0, _NUMBER_AT),
        *_search(intervals),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _load(argument: int, mask: int = _ALL_BITS) -> Block:
    load = (_LOAD, 0, 0, _offset(argument))
    return [load] if mask == _ALL_BITS else [load, (_AND, 0, 0, mask)]


def _offset(argument: int) -> int:
    return _ARGUMENTS_AT + 8 * argument


def _intervals(calls: Mapping[int, Block], unknown: Block) -> list[tuple[int, Block]]:
    """(first number, block) for each run of numbers with the same block."""
    intervals = [(0, calls.get(0, unknown))]
    edges = {edge for number in calls for edge in (number, number + 1)}
    for number in sorted(edges):
        block = calls.get(number, unknown)
        if block != intervals[-1][1]:
            intervals.append((number, block))
    return intervals


def _search(intervals: list[tuple[int, Block]]) -> Block:
    """Binary search by number; short, because the kernel runs the filter for every call number when
    it is installed."""
    if len(intervals) == 1:
        return intervals[0][1]
    middle = len(intervals) // 2
    below, above = _search(intervals[:middle]), _search(intervals[middle:])
    first, jump_length = intervals[middle][0], len(below)
    jump: Block = [(_JUMP_AT_LEAST, jump_length, 0, first)]
    if jump_length > _MAX_JUMP:
        jump = [(_JUMP_AT_LEAST, 0, 1, first), (_JUMP, 0, 0, jump_length)]
    return [*jump, *below, *above]
