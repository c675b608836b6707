"""The filter, judged by an interpreter of its instructions, on both architectures.

What is asserted stands in the table of docs/02-bots.md and, call by call, in `RULES` below: written
by hand from the kernel's manual, not from the filter.
"""

from __future__ import annotations

import errno
import re
import struct
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bots
from bots.sandbox import seccomp, syscalls

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
RUNTIMES: tuple[seccomp.Runtime, ...] = ("python", "command")
ALLOW, KILL, NOTHING = "allowed", "killed", "no effect"
Verdict = str  # ALLOW, KILL, NOTHING or an errno's name
WORDS = st.integers(0, 2**64 - 1)


@cache
def instructions(program: bytes) -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("=HBBI", program))


def judge(program: bytes, architecture: int, number: int, *arguments: int) -> Verdict:
    """The verdict of a filter, by the kernel's documentation of its instructions."""
    padded = (*(word & 2**64 - 1 for word in arguments), *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    code = instructions(program)
    position: int = 0
    word: int = 0
    while True:
        operation, yes, no, operand = code[position]
        position += 1
        match operation:
            case 0x20:
                (word,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                word &= operand
            case 0x05:
                position += operand
            case 0x15:
                position += yes if word == operand else no
            case 0x35:
                position += yes if word >= operand else no
            case 0x45:
                position += yes if word & operand else no
            case 0x06:
                return verdict(operand)
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


def verdict(action: int) -> Verdict:
    match action >> 16, action & 0xFFFF:
        case 0x7FFF, 0:
            return ALLOW
        case 0x8000, 0:
            return KILL
        case 0x0005, 0:
            return NOTHING
        case 0x0005, error:
            return errno.errorcode[error]
    raise AssertionError(f"unknown answer {action:#x}")


def numbers(table: str, machine: str) -> dict[str, int]:
    column = 1 if machine == "x86_64" else 2
    entries = [entry.split(":") for entry in table.split()]
    return {entry[0]: int(entry[column]) for entry in entries if entry[column] != "-"}


TABLES = {
    syscalls.ALLOWED: (ALLOW, ALLOW),
    syscalls.COMMANDS: ("EPERM", ALLOW),
    syscalls.WITHOUT_EFFECT: (NOTHING, NOTHING),
    syscalls.FILE_CHANGING: ("EROFS", "EROFS"),
    syscalls.FORBIDDEN: ("EPERM", "EPERM"),
}
PLACES = [(machine, runtime) for machine in MACHINES for runtime in RUNTIMES]


@pytest.mark.parametrize(("machine", "runtime"), PLACES)
@settings(max_examples=10)
@given(arguments=st.tuples(WORDS, WORDS, WORDS, WORDS, WORDS, WORDS))
def test_each_call_gets_its_tables_answer(
    machine: str, runtime: seccomp.Runtime, arguments: tuple[int, ...]
) -> None:
    program = seccomp.build(runtime, machine)
    known_numbers = set(numbers(syscalls.CHECKED, machine).values())
    for table, answers in TABLES.items():
        for name, number in numbers(table, machine).items():
            answer = judge(program, MACHINES[machine], number, *arguments)
            assert answer == answers[RUNTIMES.index(runtime)], name
            assert number not in known_numbers, name
            known_numbers.add(number)
    for number in set(range(600)) - known_numbers:
        assert judge(program, MACHINES[machine], number, *arguments) == "ENOSYS", number


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_equal_the_kernels(machine: str) -> None:
    """A wrong number would allow one call and forbid another."""
    try:
        header = HEADERS[machine].read_text()
    except OSError:
        pytest.skip("the kernel's headers are not installed")
    definitions = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", header, re.MULTILINE)
    # Numbers that the generic table shares with 32-bit machines have the older name there.
    renamed = {"fstatat": "newfstatat"}
    kernel_numbers = {renamed.get(name, name): int(number) for name, number in definitions}
    for table in (*TABLES, syscalls.CHECKED):
        for name, number in numbers(table, machine).items():
            assert kernel_numbers.get(name, number) == number, name


# Call -> [(arguments, verdict)]; a dictionary if it differs between runtimes.
MIB = 1 << 20
HIGH = 1 << 32
ANONYMOUS, PRIVATE, SHARED = 0x20, 0x02, 0x01
RULES: dict[str, list[tuple[tuple[int, ...], Verdict]]] = {
    "exit": [((0,), ALLOW), ((127,), ALLOW), ((128,), KILL), ((0x180,), KILL), ((0x100,), ALLOW)],
    "exit_group": [
        ((0,), ALLOW),
        ((86,), ALLOW),
        ((127,), ALLOW),
        ((137,), KILL),
        ((255,), KILL),
        ((-1,), KILL),
        ((0x17F,), ALLOW),  # the kernel uses the low byte
        ((0x1FF,), KILL),
    ],
    "prlimit64": [
        ((0, 0, 0, MIB), ALLOW),
        ((0, 0, MIB, 0), "EPERM"),
        ((0, 0, MIB * HIGH, 0), "EPERM"),  # a pointer whose low word is 0
        ((1, 7, 1, 1), "EPERM"),
    ],
    "fcntl": [
        *[((0, command), ALLOW) for command in (0, 1, 2, 3, 1030, 1032)],
        *[((0, command, 0), "EPERM") for command in (5, 6, 7, 36, 37, 38)],  # locks, also OFD
        *[((0, command, 0), "EPERM") for command in (8, 9, 10, 11, 15, 16, 17)],  # SETOWN, SETSIG
        *[((0, command, 0), "EPERM") for command in (1024, 1025, 1026)],  # SETLEASE, NOTIFY
        *[((0, command, 0), "EPERM") for command in (1031, 1033, 1034, 1035, 1036, 1037)],
        ((0, 4, 0o4000), ALLOW),  # O_NONBLOCK
        ((0, 4, 0o24000), "EPERM"),  # O_ASYNC
        ((0, 6 + HIGH), "EPERM"),
    ],
    "futex": [
        *[((0, operation), ALLOW) for operation in (128, 129, 131, 132, 133, 137, 138)],
        ((0, 0x189), ALLOW),  # FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME
        ((0, 0), "EAGAIN"),
        ((0, 9), "EAGAIN"),
        ((0, 0x109), "EAGAIN"),
        ((0, 1), NOTHING),
        ((0, 10), NOTHING),
        *[((0, operation), "ENOSYS") for operation in (2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14)],
        *[((0, 128 + operation), "ENOSYS") for operation in (2, 6, 7, 8, 11, 12, 13, 14)],
    ],
    "mmap": [
        ((0, MIB, 3, ANONYMOUS | PRIVATE), ALLOW),
        ((0, MIB, 3, ANONYMOUS | PRIVATE | 0x4000 | 0x20000), ALLOW),  # a thread's stack
        ((0, MIB, 1, SHARED), ALLOW),  # a file
        ((0, MIB, 5, PRIVATE | 0x810), ALLOW),  # a library
        ((0, MIB, 3, ANONYMOUS | SHARED), "EPERM"),
        ((0, MIB, 3, ANONYMOUS | SHARED | PRIVATE), "EPERM"),  # MAP_SHARED_VALIDATE
        ((0, MIB, 3, ANONYMOUS | 0x08), "EPERM"),  # MAP_DROPPABLE
        ((0, MIB, 3, ANONYMOUS | PRIVATE | 0x100), "EPERM"),  # MAP_GROWSDOWN
        ((0, MIB, 3, ANONYMOUS | PRIVATE | 0x2000), "EPERM"),  # MAP_LOCKED
        ((0, MIB, 3, ANONYMOUS | PRIVATE | 0x40000), "EPERM"),  # MAP_HUGETLB
        ((0, MIB, 3, SHARED | PRIVATE | 0x80000), "EPERM"),  # MAP_SYNC
        ((0, MIB, 3, ANONYMOUS | PRIVATE | 21 << 26), "EPERM"),  # a size of huge pages
    ],
    "mremap": [
        ((0, MIB, MIB, 1), ALLOW),
        ((0, MIB, MIB, 3), ALLOW),
        ((0, MIB, MIB, 5), "EINVAL"),  # MREMAP_DONTUNMAP
    ],
    "msync": [((0, 0, 1), ALLOW), ((0, 0, 2), ALLOW), ((0, 0, 4), NOTHING), ((0, 0, 6), NOTHING)],
    "madvise": [
        *[((0, MIB, advice), ALLOW) for advice in (0, 1, 2, 4, 8, 10, 11, *range(14, 20))],
        # WILLNEED, REMOVE, MERGEABLE, COLD, PAGEOUT, POPULATE_READ, COLLAPSE, HWPOISON
        *[((0, MIB, advice), "EINVAL") for advice in (3, 9, 12, 13, 20, 21, 22, 25, 100, 102)],
    ],
    "clone": [
        ((0x3D0F00,), ALLOW),  # the GNU C library
        ((0x7D0F00,), ALLOW),  # musl
        ((0x050F00,), ALLOW),  # Go
        ((0x0D0F00,), ALLOW),
        ((17,), "EPERM"),  # fork
        ((0x4111,), "EPERM"),  # vfork
        ((0x3D0F11,), "EPERM"),  # a signal at its end
        ((0x3D0B00,), "EPERM"),  # descriptors of its own
        ((0x3D1F00,), "EPERM"),  # CLONE_PIDFD
        *[((0x3D0F00 | 1 << bit,), "EPERM") for bit in (7, 13, 14, 15, 17, 23, *range(25, 32))],
    ],
    "close_range": [((3, 9, 0), ALLOW), ((3, 9, 4), ALLOW), ((3, 9, 2), "EINVAL")],
    "getpriority": [((0, 0), ALLOW), ((1, 0), "EPERM"), ((2, 0), "EPERM")],
    "getrandom": [((0, 9, 0), ALLOW), ((0, 9, 1), ALLOW), ((0, 9, 2), "EINVAL")],
    "ioctl": [
        *[((0, request), ALLOW) for request in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)],
        ((0, 0x5412), "ENOTTY"),  # TIOCSTI
        ((0, 0xFFFF_FFFF_0000_5412), "ENOTTY"),
        ((0, 0x5452), "ENOTTY"),  # FIOASYNC
    ],
    "prctl": [
        *[((option,), ALLOW) for option in (3, 15, 16, 21, 23, 39)],
        ((1, 0), "EPERM"),  # PR_SET_PDEATHSIG
        ((4, 1), "EPERM"),  # PR_SET_DUMPABLE
        ((22, 2), "EPERM"),  # PR_SET_SECCOMP
        ((67, 1), "EPERM"),  # PR_SET_MEMORY_MERGE
        ((0x5356_4D41, 0), "EPERM"),  # PR_SET_VMA
    ],
    "openat": [
        ((0, 0, 0o2), ALLOW),
        ((0, 0, 0o2000000), ALLOW),
        ((0, 0, 0o2101), "EROFS"),
        ((0, 0, 0o20200002), "EROFS"),  # O_TMPFILE
    ],
}
PYTHON_RULES: dict[str, list[tuple[tuple[int, ...], Verdict]]] = {
    "mprotect": [
        ((0, MIB, 3), ALLOW),
        ((0, MIB, 7), ALLOW),
        ((0, MIB, 1), NOTHING),
        ((0, MIB, 0), NOTHING),
        ((0, MIB, 5), "EPERM"),
    ],
}
X86_RULES: dict[str, list[tuple[tuple[int, ...], Verdict]]] = {
    "open": [((0, 0o2), ALLOW), ((0, 0o101), "EROFS"), ((0, 0o40000), "EINVAL")],
    "openat": [((0, 0, 0o40000), "EINVAL")],  # O_DIRECT
    "fcntl": [((0, 4, 0o44000), "EPERM")],
    "arch_prctl": [
        *[((code,), ALLOW) for code in (0x1001, 0x1002, 0x1003, 0x1004)],
        *[((code,), "EINVAL") for code in (0x1012, 0x1023, 0x3001, 0x5001)],
    ],
}
ARM_RULES: dict[str, list[tuple[tuple[int, ...], Verdict]]] = {
    "openat": [((0, 0, 0o40000), ALLOW), ((0, 0, 0o200000), "EINVAL")],
    "fcntl": [((0, 4, 0o44000), ALLOW), ((0, 4, 0o204000), "EPERM")],
}


def rules(machine: str, runtime: str) -> list[tuple[str, tuple[int, ...], Verdict]]:
    tables = [RULES, X86_RULES if machine == "x86_64" else ARM_RULES]
    tables += [PYTHON_RULES] if runtime == "python" else []
    return [(name, *case) for table in tables for name, cases in table.items() for case in cases]


@pytest.mark.parametrize(("machine", "runtime"), PLACES)
def test_rules_for_arguments(machine: str, runtime: seccomp.Runtime) -> None:
    checked = numbers(syscalls.CHECKED, machine)
    program = seccomp.build(runtime, machine)
    cases = rules(machine, runtime)
    for name, arguments, expected in cases:
        answer = judge(program, MACHINES[machine], checked[name], *arguments)
        assert answer == expected, (name, arguments)
    unchecked = {"mprotect"} if runtime == "command" else set()
    assert {name for name, *_ in cases} == set(checked) - unchecked


@pytest.mark.parametrize(("machine", "runtime"), PLACES)
@given(status=WORDS, pointer=WORDS, request=WORDS, flags=WORDS)
def test_rules_for_all_arguments(
    machine: str, runtime: seccomp.Runtime, status: int, pointer: int, request: int, flags: int
) -> None:
    checked = numbers(syscalls.CHECKED, machine)
    program = seccomp.build(runtime, machine)

    def said(name: str, *arguments: int) -> Verdict:
        return judge(program, MACHINES[machine], checked[name], *arguments)

    for name in ("exit", "exit_group"):
        assert (said(name, status) == KILL) == (status & 0xFF > 127)
    assert said("prlimit64", 0, 0, pointer) == (ALLOW if pointer == 0 else "EPERM")
    cut = request & 0xFFFF_FFFF  # the kernel reads it as an int
    if cut not in (0, 1, 2, 3, 4, 1030, 1032):
        assert said("fcntl", 0, request, flags) == "EPERM"
    if cut & ~0x100 & 0xFF80 != 0x80 or cut >> 16:
        assert said("futex", 0, request, flags) in ("EAGAIN", "ENOSYS", NOTHING)
    if flags & 0x7E02_20FF != 0 or flags & 0x0005_0F00 != 0x0005_0F00:
        assert said("clone", flags) == "EPERM"
    if flags & 0xFFEC_278C:
        assert said("mmap", 0, 1, 3, flags) == "EPERM"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_other_architectures_are_killed(runtime: seccomp.Runtime) -> None:
    program = seccomp.build(runtime, "x86_64")
    assert judge(program, 0x40000003, 20) == KILL  # the 32-bit calls
    for number in (0x40000000, 0x40000027, 0x7FFFFFFF, 0xFFFFFFFF):
        assert judge(program, MACHINES["x86_64"], number) == KILL  # x32
    assert judge(program, MACHINES["aarch64"], 0) == KILL
    assert judge(seccomp.build(runtime, "aarch64"), MACHINES["x86_64"], 0) == KILL


@pytest.mark.parametrize(("machine", "runtime"), PLACES)
def test_the_program_is_small_and_its_jumps_are_valid(
    machine: str, runtime: seccomp.Runtime
) -> None:
    code = instructions(seccomp.build(runtime, machine))
    assert len(code) < 800  # the kernel accepts 4096, and runs it for each call's number
    for index, (operation, yes, no, operand) in enumerate(code):
        if operation == 0x05:
            assert index + 1 + operand < len(code)
        elif operation & 0x07 == 0x05:
            assert index + 1 + max(yes, no) < len(code)


def test_unknown_machines() -> None:
    assert seccomp.supported("x86_64")
    assert not seccomp.supported("riscv64")
    with pytest.raises(KeyError):
        seccomp.build("python", "riscv64")


def test_the_documents_agree_with_the_filter() -> None:
    """Each call in the table of docs/02-bots.md gets the verdict beside it."""
    text = (Path(bots.__path__[0]).parent / "docs" / "02-bots.md").read_text()
    table = text.partition("### System calls")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.*?`.*?) \| (.*?) \|$", table, re.MULTILINE)
    names: set[str] = set()
    for calls, answer in rows:
        for name in re.findall(r"`(\w+)`", calls):
            names.add(name)
            check_row(name, answer)
    assert names >= set(numbers(syscalls.CHECKED, "x86_64"))


# Calls in the documents that the filter does not know.
UNKNOWN_CALLS = {
    "clone3": 435,
    "openat2": 437,
    "sendfile": 40,
    "copy_file_range": 326,
    "futex_waitv": 449,
    "membarrier": 324,
    "preadv2": 327,
    "pwritev2": 328,
    "mincore": 27,
    "cachestat": 451,
    "readahead": 187,
    "fadvise64": 221,
    "statx": 332,
}


def check_row(name: str, answer: str) -> None:
    """Check that the row has each verdict for Python bots, except for "allowed"."""
    checked = numbers(syscalls.CHECKED, "x86_64")
    cases = [case for case in rules("x86_64", "python") if case[0] == name]
    if name not in checked:
        tables = [numbers(table, "x86_64") for table in TABLES]
        numbers_by_call = {call: number for table in tables for call, number in table.items()}
        cases = [(name, (), "")]
        checked = UNKNOWN_CALLS | numbers_by_call
    program = seccomp.build("python", "x86_64")
    answers = {judge(program, MACHINES["x86_64"], checked[name], *case[1]) for case in cases}
    assert answers - {ALLOW}, name
    assert all(one in answer for one in answers - {ALLOW}), (name, answers)
