"""The filter, judged by an interpreter of its instructions, on both architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from bots.sandbox import seccomp, syscalls

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = "allow", "kill"


def judge(program: bytes, architecture: int, number: int, *arguments: int) -> str | int:
    """What a filter answers: ALLOW, KILL or an errno."""
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    at: int = 0
    word: int = 0
    while True:
        operation, yes, no, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                (word,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                word &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += yes if word == operand else no
            case 0x35:
                at += yes if word >= operand else no
            case 0x45:
                at += yes if word & operand else no
            case 0x06:
                whole = {0x7FFF0000: ALLOW, 0x80000000: KILL}
                return whole.get(operand, int(operand & 0xFFFF))
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


def numbers(table: str, machine: str) -> dict[str, int]:
    column = 1 if machine == "x86_64" else 2
    entries = [entry.split(":") for entry in table.split()]
    return {entry[0]: int(entry[column]) for entry in entries if entry[column] != "-"}


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("runtime", ["python", "command"])
def test_each_call_gets_its_tables_answer(machine: str, runtime: seccomp.Runtime) -> None:
    program = seccomp.build(runtime, machine)
    answers = {
        syscalls.ALLOWED: ALLOW,
        syscalls.STARTING: ALLOW if runtime == "command" else errno.EPERM,
        syscalls.FILE_CHANGING: errno.EROFS,
        syscalls.FORBIDDEN: errno.EPERM,
    }
    listed = set(numbers(syscalls.CHECKED, machine).values())
    for table, answer in answers.items():
        for name, number in numbers(table, machine).items():
            assert judge(program, ARCHITECTURES[machine], number) == answer, name
            assert number not in listed, name
            listed.add(number)
    for number in set(range(1000)) - listed:
        assert judge(program, ARCHITECTURES[machine], number) == errno.ENOSYS, number


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("clone", (0x3D0F00,), ALLOW),  # what pthread_create asks
        ("clone", (17,), errno.EPERM),  # fork
        ("clone", (0x4111,), errno.EPERM),  # vfork
        ("clone", (0x10000011,), errno.EPERM),  # CLONE_NEWUSER
        ("openat", (0, 0, 0o2), ALLOW),
        ("openat", (0, 0, 0o2101), errno.EROFS),
        ("openat", (0, 0, 0o20200002), errno.EROFS),  # O_TMPFILE
        ("mmap", (0, 4096, 3, 0x22), ALLOW),  # private, anonymous
        ("mmap", (0, 4096, 1, 0x01), ALLOW),  # a file, shared
        ("mmap", (0, 4096, 3, 0x21), errno.EPERM),
        ("mmap", (0, 4096, 3, 0x23), errno.EPERM),  # MAP_SHARED_VALIDATE
        ("mmap", (0, 4096, 3, 0x122), errno.EPERM),  # MAP_GROWSDOWN
        ("mmap", (0, 4096, 3, 0x40022), errno.EPERM),  # MAP_HUGETLB
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), errno.ENOTTY),  # TIOCSTI
        ("ioctl", (0, 0xFFFF_FFFF_0000_5412), errno.ENOTTY),
        ("prctl", (15,), ALLOW),  # PR_SET_NAME
        ("prctl", (1, 0), errno.EPERM),  # PR_SET_PDEATHSIG
        ("prctl", (22, 2), errno.EPERM),  # PR_SET_SECCOMP
    ],
)
def test_arguments_decide(
    machine: str, name: str, arguments: tuple[int, ...], answer: str | int
) -> None:
    number = numbers(syscalls.CHECKED, machine)[name]
    program = seccomp.build("python", machine)
    assert judge(program, ARCHITECTURES[machine], number, *arguments) == answer


def test_other_architectures_are_killed() -> None:
    program = seccomp.build("python", "x86_64")
    assert judge(program, 0x40000003, 20) == KILL  # the 32-bit calls
    assert judge(program, ARCHITECTURES["x86_64"], 0x40000000) == KILL  # x32


def test_unknown_machines() -> None:
    assert seccomp.supported("x86_64")
    assert not seccomp.supported("riscv64")
    with pytest.raises(KeyError):
        seccomp.build("python", "riscv64")
