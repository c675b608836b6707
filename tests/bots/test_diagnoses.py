"""Each row of the table of diagnoses: a failing bot, the cause, the remedy."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.referee.diagnoses import LOG_PATTERNS, TABLE, EndedBot, diagnose
from bots.sandbox import Program

MACHINE = "x86_64"
ENOEXEC = b"cardroom: cannot start './run': Exec format error"
GOOD = b"#!/usr/bin/env python3\nprint(1)\n"


def elf(machine: int = 62, kind: int = 2, system: int = 0, loader: bytes = b"") -> bytes:
    """The header of an ELF file with a segment that names its loader."""
    entries = 1 if loader else 0
    head = struct.pack(
        "<4s5B7xHHIQQQIHHHHHH",
        *(b"\x7fELF", 2, 1, 1, system, 0, kind, machine, 1, 0, 64, 0, 0, 64, 56, entries, 0, 0, 0),
    )
    segment = struct.pack("<IIQQQQQQ", 3, 4, 120, 0, 0, len(loader), len(loader), 1)
    return head + (segment + loader if loader else b"\0" * 64)


def elf_with_variables(*sizes: int, flags: int = 6) -> bytes:
    """The header of an ELF file with a segment of each of these sizes in memory."""
    segments = [struct.pack("<IIQQQQQQ", 1, flags, 0, 0, 0, 0, size, 4096) for size in sizes]
    head = bytearray(elf())
    head[56:58] = len(sizes).to_bytes(2, "little")
    return bytes(head[:64]) + b"".join(segments)


def command(content: bytes | None, *arguments: str, **files: bytes) -> Program:
    """A package whose command starts the file `run`."""
    members = dict(files) if content is None else {"run": content, **files}
    return Program(members, arguments or ("./run",))


# Row, package, log, part of the sentence.
ROWS: list[tuple[str, Program, bytes, str]] = [
    ("one word", command(GOOD, "python3 run"), ENOEXEC, '["python3", "run"]'),
    ("no ./", command(GOOD, "run"), ENOEXEC, 'write "./run"'),
    ("no ./", Program({"src/go": GOOD}, ("go",)), ENOEXEC, 'write "./src/go"'),
    ("backslash", command(GOOD, ".\\run"), ENOEXEC, "paths on Linux"),
    ("no program", command(GOOD, "java", "-jar", "bot.jar"), ENOEXEC, "has no 'java'"),
    ("no program", command(GOOD, "/usr/bin/ruby", "run"), ENOEXEC, "has no 'ruby'"),
    ("no file", command(GOOD, "./Run"), ENOEXEC, "the package has 'run'"),
    ("no file", Program({"src/run": GOOD}, ("./src",)), ENOEXEC, "is a folder"),
    ("no file", command(GOOD, "./bin/walk"), ENOEXEC, "no 'bin/walk'"),
    ("empty file", command(b" \n"), ENOEXEC, "is empty"),
    ("byte order mark", command(b"\xef\xbb\xbf" + GOOD), ENOEXEC, "without one"),
    ("byte order mark", command(GOOD.decode().encode("utf-16")), ENOEXEC, "without one"),
    (
        "carriage return in the first line",
        command(b"#!/bin/sh\r\n:\r\n"),
        ENOEXEC,
        "Unix line endings",
    ),
    ("carriage return in the first line", command(b"#!/bin/sh\r:\r"), ENOEXEC, "Unix line endings"),
    ("interpreter", command(b"#!/bin/bash\n:\n"), ENOEXEC, "'/bin/bash', which the sandbox"),
    ("interpreter", command(b"#!/usr/local/bin/python3\n"), ENOEXEC, "#!/usr/bin/env python3"),
    ("interpreter", command(b"#!/usr/bin/python\n"), ENOEXEC, "#!/usr/bin/env python3"),
    ("interpreter", command(b"#!/usr/bin/python3.11\n"), ENOEXEC, "#!/usr/bin/env python3"),
    ("interpreter", command(b"#!/usr/bin/nodejs\n"), ENOEXEC, "#!/usr/bin/env node"),
    ("interpreter", command(b"#!/usr/bin/env python\n"), b"env: x", "Write python3."),
    ("interpreter", command(b"#! python3\n"), ENOEXEC, "the full path"),
    ("interpreter", command(b"#!/usr/bin/env ruby\n"), b"env: 'ruby': No such file", "'ruby'"),
    ("interpreter", command(b"#!/usr/bin/env python3 -u\n"), b"env: x", "env -S python3 -u"),
    ("another system's file", command(b"MZ\x90\0"), ENOEXEC, "a program for Windows"),
    ("another system's file", command(b"\xcf\xfa\xed\xfe"), ENOEXEC, "a program for macOS"),
    ("another system's file", command(b"\xca\xfe\xba\xbe"), ENOEXEC, "a Java class"),
    ("another system's file", command(b"\0asm\x01"), ENOEXEC, "WebAssembly"),
    ("another system's file", command(b"PK\x03\x04"), ENOEXEC, "a zip or jar archive"),
    ("another system's file", command(b"version https://git-lfs.x"), ENOEXEC, "Git LFS"),
    ("another system's file", command(b"\xfe\xed\xfa\xcf"), ENOEXEC, "a program for macOS"),
    ("another system's file", command(b"!<arch>\nx"), ENOEXEC, "object files"),
    ("another machine's program", command(elf()[:40]), ENOEXEC, "is truncated"),
    ("another machine's program", command(elf(183)), ENOEXEC, "compiled for aarch64"),
    ("another machine's program", command(elf(system=9)), ENOEXEC, "for FreeBSD"),
    ("another machine's program", command(elf(kind=1)), ENOEXEC, "an object file"),
    ("another machine's program", command(elf(kind=3)), ENOEXEC, "a shared library"),
    (
        "another machine's program",
        command(elf(loader=b"/lib/ld-musl-x86_64.so.1\0")),
        ENOEXEC,
        "needs the loader '/lib/ld-musl-x86_64.so.1'",
    ),
    ("static variables", command(elf_with_variables(1, 400 << 20)), b"", "take 400 MiB"),
    ("no first line", command(b"import sys\n"), ENOEXEC, "names no interpreter"),
    ("no first line", command(b"\n#!/bin/sh\n"), ENOEXEC, "the first two bytes"),
    ("no first line", command(b"\0\1\2"), ENOEXEC, "neither a Linux program"),
    (
        "no script",
        command(GOOD, "python3", "go.py"),
        b"can't open file '/go.py': [Errno 2] No such file",
        "'go.py'",
    ),
    ("no script", command(GOOD, "node", "go"), b"Error: Cannot find module '/go'", "'go'"),
    (
        "no script",
        command(GOOD, "sh", "go.sh"),
        b"sh: 0: cannot open go.sh: No such file",
        "'go.sh'",
    ),
    (
        "hidden module",
        command(None, "python3", "bot.py", **{"bot.py": b"", "random.py": b""}),
        b"AttributeError: module 'random' has no attribute 'choice'",
        "package's module 'random' replaces",
    ),
    (
        "hidden module",
        Program({"bot.py": b"", "engine.py": b""}),
        b"ModuleNotFoundError: No module named 'engine.match'; 'engine' is not a package",
        "the platform's module",
    ),
    (
        "hidden module",
        Program({"bot.py": b"", "random.py": b""}),
        b"AttributeError: module 'random' has no attribute 'choice'",
        "package's module 'random' replaces",
    ),
    (
        "hidden module",
        Program({"bot.py": b"", "json/__init__.py": b""}),
        b"ImportError: cannot import name 'loads' from 'json' (unknown location)",
        "package's module 'json' replaces",
    ),
    ("command for Python", command(None, "python3", "bot.py"), b"", "needs no command"),
    ("called sys.exit", Program({}), b"cardroom: choose called sys.exit()", "return a move"),
    ("module", Program({}), b"ModuleNotFoundError: No module named 'torch'", "can import"),
    ("module", command(GOOD), b"Error: Cannot find module 'ws'\n", "can import"),
    ("library", command(GOOD), b"run: error while loading shared libraries: libx.so", "statically"),
    ("symbol", command(GOOD), b"run: version `GLIBC_2.38' not found (required by run)", "newer"),
    (
        "mark in a script",
        command(GOOD, "sh", "run"),
        b"run: 1: \xef\xbb\xbf:: not found",
        "without",
    ),
    ("carriage return", command(GOOD, "sh", "run"), b"run: 1: x\r: not found", "Unix line endings"),
    ("source", Program({}), b"SyntaxError: (unicode error) 'utf-8' codec can't decode", "as UTF-8"),
    ("program", command(GOOD), b"run: 3: jq: not found", "must be in the package"),
    ("carriage return", command(GOOD), b"run: 2: set: Illegal option -\\r'", "Unix line endings"),
    ("memory", command(GOOD), b"FATAL ERROR: JavaScript heap out of memory", "256 MiB"),
    ("memory", command(GOOD), b"terminate called after throwing 'std::bad_alloc'", "256 MiB"),
    ("threads", Program({}), b"RuntimeError: can't start new thread", "16 threads"),
    ("read-only", command(GOOD), b"Error: EROFS: read-only file system, open 'x'", "in memory"),
    ("permission", Program({}), b"OSError: [Errno 1] Operation not permitted", "no network"),
    (
        "system call",
        Program({}),
        b"OSError: [Errno 38] Function not implemented",
        "does not support",
    ),
    (
        "mark in a file",
        Program({}),
        b"json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig)",
        "remove the mark",
    ),
    ("encoding", Program({}), b"UnicodeDecodeError: 'ascii' codec can't", "encoding='utf-8'"),
    ("recursion", Program({}), b"RecursionError: maximum recursion depth", "endlessly"),
]


@pytest.mark.parametrize(("row", "program", "log", "text"), ROWS)
def test_cause_and_remedy(row: str, program: Program, log: bytes, text: str) -> None:
    assert text in (sentence := diagnose(program, log, MACHINE))
    assert sentence.endswith(".")
    case = EndedBot(program, log.decode(), MACHINE)
    assert next(one.name for one in TABLE if one.find(case)) == row


def test_every_row_has_an_example() -> None:
    assert {row for row, *_ in ROWS} == {row.name for row in TABLE}
    assert set(LOG_PATTERNS) <= {row.name for row in TABLE}


@pytest.mark.parametrize(
    ("program", "log"),
    [
        (Program({"bot.py": b"x"}), b""),
        (Program({"bot.py": b"x", "cards.py": b""}), b"KeyError: 'x'"),
        (Program({"bot.py": b"x", "random.py": b""}), b"KeyError: 'x'"),
        (command(GOOD), b"KeyError: 'x'"),
        (command(GOOD, **{"random.py": b""}), b"KeyError: 'random'"),
        (command(GOOD, "./bin/../run"), ENOEXEC),
        (command(elf()), ENOEXEC),
        (command(elf(kind=3, loader=b"/lib64/ld-linux-x86-64.so.2\0")), ENOEXEC),
    ],
)
def test_unknown_causes_have_no_diagnosis(program: Program, log: bytes) -> None:
    assert diagnose(program, log, MACHINE) == ""


def test_the_log_is_not_quoted() -> None:
    """Faults are public; logs are for owners."""
    for _, program, log, _ in ROWS:
        if not program.command:
            marked = log + b" S3CRET"
            assert "S3CRET" not in diagnose(program, marked)


names = st.sampled_from(["run", "bot.py", "random.py", "a/b"])
files: Any = st.dictionaries(names, st.binary(max_size=80) | st.just(elf()), max_size=3)


@given(files, st.none() | st.lists(st.text(max_size=9), min_size=1, max_size=2), st.binary())
def test_any_package_and_log_can_be_diagnosed(
    files: Mapping[str, bytes], arguments: list[str] | None, log: bytes
) -> None:
    program = Program(files, tuple(arguments) if arguments else None)
    for start in (b"", b"cardroom: cannot start "):
        assert diagnose(program, start + log).count("\n") == 0


@pytest.mark.parametrize(
    "content",
    [elf_with_variables(200 << 20), elf_with_variables(400 << 20, flags=5), elf_with_variables()],
)
def test_variables_that_fit_are_no_cause(content: bytes) -> None:
    assert not diagnose(command(content), b"", MACHINE)
