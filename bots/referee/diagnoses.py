"""Diagnose why a bot's process ended, and name the remedy, from a table of causes.

A cause follows from the package's own files and the end of the bot's log. The sentences are part of
a fault, which becomes public, so they do not quote the log.
"""

from __future__ import annotations

import platform
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from bots.package.package import ARCHIVES
from bots.sandbox import Limits, Program

LOG_BYTES: Final = 8000
"""Only this many bytes at the end of a log are searched."""
PROGRAMS: Final = ("sh", "env", "node", "python3")
"""Programs in the sandbox for bots with a command; node only if the machine has it."""

_AVAILABLE: Final = "The sandbox has sh, env, python3 and, if the machine has it, node."
_INTERPRETERS: Final = (("python", "python3"), ("node", "node"), ("env", "env"))
"""Prefixes of interpreters' names, each with the interpreter to use instead."""
_LINK_STATICALLY: Final = "Link the program statically, or put the library into the package."
_FOLDERS: Final = ("/bin/", "/usr/bin/")
_SCRIPT: Final = re.compile(rb"#![ \t]*([^ \t\n]*)[ \t]*([^\n]*)")
_ELF: Final = b"\x7fELF"
_MACHINES: Final = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_ELF_KINDS: Final = {1: "an object file", 3: "a shared library", 4: "a core dump"}
_OTHER_SYSTEMS: Final = {9: "FreeBSD", 12: "OpenBSD"}
_LOADED, _LOADER = 1, 3  # kinds of segments: loaded into memory, naming the loader
_WRITABLE: Final = 2
_SEGMENT_FIELDS: Final = ((0, 4), (4, 4), (8, 8), (32, 8), (40, 8))
"""Offset and length of the fields of `_Segment`."""
_LOADERS: Final = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
_MISSING_SCRIPT: Final = re.compile(
    r"can't open file .*No such file|Cannot find module|[Cc](?:an't|annot) open "
)
"""Interpreters' messages about a missing script."""
_HIDDEN: Final = r"""(?:module|from|named) '{0}(?:\.\w+)*'|'{0}' is not a package"""
"""Python's messages about a module `{0}` that hides another. Needed for bots with a command,
because the bare name may mean anything in their logs."""
_SIGNATURES: Final = {
    b"MZ": "a program for Windows",
    b"\xcf\xfa\xed\xfe": "a program for macOS",
    b"\xce\xfa\xed\xfe": "a program for macOS",
    b"\xfe\xed\xfa": "a program for macOS",
    b"\xca\xfe\xba\xbf": "a program for macOS",
    b"\xca\xfe\xba\xbe": "a program for macOS or a Java class",
    b"\0asm": "a WebAssembly module",
    b"PK\x03\x04": "a zip or jar archive",
    **ARCHIVES,
    b"!<arch>": "a library of object files",
    b"BC\xc0\xde": "LLVM bitcode",
    b"version https://git-lfs": "a Git LFS pointer and not the file itself",
}
"""First bytes of files that Linux cannot start."""


class EndedBot(NamedTuple):
    """A bot that has ended: its package, and the end of its log as text."""

    program: Program
    log: str
    machine: str

    @property
    def command(self) -> tuple[str, ...]:
        """The argument vector; empty for a Python bot."""
        return self.program.command or ()

    @property
    def never_started(self) -> bool:
        """Whether the command never became a running program."""
        return bool(self.command) and "cardroom: cannot start" in self.log

    @property
    def path(self) -> str:
        """The file of the package that the command starts; empty for a program of the sandbox."""
        program = self.command[0] if self.command else ""
        return program.removeprefix("./") if "/" in program else ""

    @property
    def content(self) -> bytes:
        """The content of that file; empty if the package does not have it."""
        return self.program.files.get(posixpath.normpath(self.path), b"")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A row of the table. `find` returns cause and remedy, or an empty string."""

    name: str
    find: Callable[[EndedBot], str]


def diagnose(program: Program, log: bytes, machine: str = platform.machine()) -> str:
    """Cause and remedy in sentences; empty if no row of the table applies.

    `machine`: the host's architecture, as `uname -m` prints it.
    """
    bot = EndedBot(program, log[-LOG_BYTES:].decode("utf-8", "replace"), machine)
    return next((text for row in TABLE if (text := row.find(bot))), "")


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def _one_word(bot: EndedBot) -> str:
    if not bot.never_started or not re.search(r"\s", bot.command[0]):
        return ""
    words = ", ".join(f'"{word}"' for word in bot.command[0].split()[:6])
    return f"The command is one string with spaces; write a list of words: [{words}]."


def _no_dot(bot: EndedBot) -> str:
    program = bot.command[0] if bot.never_started else ""
    similar = [
        path for path in bot.program.files if path == program or path.endswith(f"/{program}")
    ]
    if not program or "/" in program or not similar:
        return ""
    return (
        f'{similar[0]!r} is in the package, but a command without "/" starts a program of the '
        f'sandbox: write "./{similar[0]}".'
    )


def _backslash(bot: EndedBot) -> str:
    program = bot.command[0] if bot.never_started else ""
    if "\\" not in program:
        return ""
    return f'{program[:40]!r} has a backslash: paths on Linux have "/" between folders.'


def _no_program(bot: EndedBot) -> str:
    program = bot.command[0] if bot.never_started else ""
    if not program or (bot.path and not program.startswith("/")):
        return ""
    name = program.rpartition("/")[2]
    return f"The sandbox has no {name[:40]!r}. {_AVAILABLE} Put other programs into the package."


def _no_file(bot: EndedBot) -> str:
    if not bot.never_started or posixpath.normpath(bot.path) in bot.program.files:
        return ""
    if any(path.startswith(f"{bot.path}/") for path in bot.program.files):
        return f"{bot.path!r} is a folder; name the program in it."
    similar = [path for path in bot.program.files if path.casefold() == bot.path.casefold()]
    if similar:
        return f"Upper and lower case matter: the package has {similar[0]!r}."
    return f"The package has no {bot.path!r}; paths start from the package's top folder."


# ── the started file ─────────────────────────────────────────────────────────────────────────────


def _empty(bot: EndedBot) -> str:
    has_file = bot.never_started and bot.path in bot.program.files
    return f"{bot.path!r} is empty." if has_file and not bot.content.strip() else ""


def _byte_order_mark(bot: EndedBot) -> str:
    if bot.never_started and bot.content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return (
            f"{bot.path!r} begins with a byte order mark, so Linux does not recognize its first "
            "line: save it as UTF-8 without one."
        )
    return ""


def _carriage_return(bot: EndedBot) -> str:
    line, newline, _ = bot.content.partition(b"\n")
    if line.startswith(b"#!") and (line.endswith(b"\r") or (not newline and b"\r" in line)):
        return (
            f"The first line of {bot.path!r} ends with a carriage return, which Linux treats as "
            "part of the interpreter's name: save the file with Unix line endings."
        )
    return ""


def _interpreter(bot: EndedBot) -> str:
    script = _SCRIPT.match(bot.content)
    if script is None:
        return ""
    interpreter = script[1].decode("utf-8", "replace")[:80]
    folder, _, name = interpreter.rpartition("/")
    if not interpreter.startswith("/"):
        return f"The first line of {bot.path!r} must give the full path of its interpreter."
    if f"{folder}/" not in _FOLDERS or name not in PROGRAMS:
        suggestion = _nearest(name) or "sh"
        return (
            f"{bot.path!r} asks for the interpreter {interpreter!r}, which the sandbox does not "
            f"have. {_AVAILABLE} Begin the file with, for instance, #!/usr/bin/env {suggestion}."
        )
    arguments = script[2].decode("utf-8", "replace").split()
    program = next((text for text in arguments if not text.startswith("-") and "=" not in text), "")
    if name != "env" or not program:
        return ""
    if program not in PROGRAMS:
        suggestion = _nearest(program)
        return (
            f"{bot.path!r} asks for {program[:40]!r}, which the sandbox does not have. "
            f"{_AVAILABLE}{f' Write {suggestion}.' if suggestion else ''}"
        )
    if len(arguments) > 1 and not arguments[0].startswith("-"):
        return (
            f"Linux passes everything after env in the first line of {bot.path!r} as one argument: "
            f"write #!/usr/bin/env -S {' '.join(arguments)[:60]}."
        )
    return ""


def _nearest(name: str) -> str:
    """The sandbox's interpreter for a name such as python2 or nodejs; empty if it has none."""
    return next((nearest for begin, nearest in _INTERPRETERS if name.startswith(begin)), "")


def _foreign(bot: EndedBot) -> str:
    if not bot.never_started:
        return ""
    kind = next((kind for start, kind in _SIGNATURES.items() if bot.content.startswith(start)), "")
    return f"{bot.path!r} is {kind}: bots run on Linux ({bot.machine})." if kind else ""


def _binary(bot: EndedBot) -> str:
    content = bot.content
    if not bot.never_started or not content.startswith(_ELF):
        return ""
    if len(content) < 52:
        return (
            f"{bot.path!r} is truncated: it has only the first {len(content)} bytes of a program."
        )
    order = "little" if content[5] == 1 else "big"
    kind, number = (int.from_bytes(content[offset : offset + 2], order) for offset in (16, 18))  # type: ignore[arg-type]
    machine = _MACHINES.get(number, f"machine number {number}")
    if machine != bot.machine:
        return (
            f"{bot.path!r} is compiled for {machine}, but this host is {bot.machine}: "
            f"compile it for {bot.machine}."
        )
    if system := _OTHER_SYSTEMS.get(content[7], ""):
        return f"{bot.path!r} is a program for {system}: bots run on Linux ({bot.machine})."
    loader = _loader(content)
    if kind in _ELF_KINDS and not (kind == 3 and loader):
        return f"{bot.path!r} is {_ELF_KINDS[kind]} and not a program: link it."
    if loader and loader not in _LOADERS:
        return (
            f"{bot.path!r} needs the loader {loader[:60]!r}, which the sandbox does not have. "
            f"{_LINK_STATICALLY}"
        )
    return ""


def _static_variables(bot: EndedBot) -> str:
    """The program's static variables do not fit into memory, so the kernel kills it."""
    content = bot.content
    if bot.never_started or not content.startswith(_ELF):
        return ""
    size = sum(
        segment.memory_size
        for segment in _segments(content)
        if segment.kind == _LOADED and segment.flags & _WRITABLE
    )
    limit = Limits().memory_mib
    if size <= limit << 20:
        return ""
    return (
        f"The static variables of {bot.path!r} take {size >> 20} MiB, but a bot may use {limit} "
        "MiB of memory."
    )


class _Segment(NamedTuple):
    """An entry in the table of segments of a 64-bit ELF file; sizes and offset in bytes."""

    kind: int
    flags: int
    offset: int
    size: int
    memory_size: int


def _segments(content: bytes) -> Iterator[_Segment]:
    """The segments of a 64-bit ELF file of this machine's byte order."""

    def read_number(offset: int, size: int) -> int:
        return int.from_bytes(content[offset : offset + size], sys.byteorder)

    table, size, count = read_number(32, 8), read_number(54, 2), read_number(56, 2)
    for start in range(table, min(table + size * count, len(content)), size or 1):
        yield _Segment(*(read_number(start + place, length) for place, length in _SEGMENT_FIELDS))


def _loader(content: bytes) -> str:
    """The loader in a 64-bit ELF file of this machine's byte order."""
    for segment in _segments(content):
        if segment.kind == _LOADER:
            end = segment.offset + min(segment.size, 200)
            return content[segment.offset : end].rstrip(b"\0").decode("utf-8", "replace")
    return ""


def _no_interpreter(bot: EndedBot) -> str:
    if not bot.never_started or not bot.content.strip() or bot.content.startswith((b"#!", _ELF)):
        return ""
    if b"\0" in bot.content[:1000]:
        return f"{bot.path!r} is neither a Linux program nor a script."
    if bot.content.lstrip().startswith(b"#!"):
        return f"Something precedes the #! of {bot.path!r}, which must be the first two bytes."
    return (
        f"{bot.path!r} is a script whose first line names no interpreter: begin the file with, for "
        "instance, #!/usr/bin/env python3."
    )


def _no_script(bot: EndedBot) -> str:
    """The script of a command such as `python3 boot.py` is not in the package."""
    words = bot.command
    if bot.never_started or not words or words[0].rpartition("/")[2] not in PROGRAMS:
        return ""
    script = next((text for text in words[1:] if text not in PROGRAMS), "")
    if not script or script.startswith("-") or "=" in script:
        return ""
    paths = {posixpath.normpath(script), posixpath.normpath(f"{script}.js")}
    if paths & bot.program.files.keys() or not _MISSING_SCRIPT.search(bot.log):
        return ""
    return f"The command names {script[:80]!r}, but the package has no such file."


# ── Python ───────────────────────────────────────────────────────────────────────────────────────


def _hidden_modules(bot: EndedBot) -> str:
    """A file of the package hides a standard module, even from other standard modules."""
    modules = {path.split("/")[0].removesuffix(".py") for path in bot.program.files}
    hidden = sorted(modules & {*sys.stdlib_module_names, "engine"})
    pattern = _HIDDEN if bot.command else r"\b{}\b"
    named_modules = [name for name in hidden if re.search(pattern.format(re.escape(name)), bot.log)]
    if not named_modules:
        return ""
    return (
        f"The package's module {named_modules[0]!r} replaces "
        f"{'the platform' if named_modules[0] == 'engine' else 'Python'}'s "
        "module of that name for everything that imports it: rename it."
    )


def _python_command(bot: EndedBot) -> str:
    """The command is `python3 bot.py`, but the bot has `choose` and does not use the protocol."""
    if bot.command[:1] not in (("python3",), ("python",)) or bot.log.strip():
        return ""
    return (
        "A Python bot needs no command: leave it out of cardroom.toml, and the platform calls "
        "choose. With a command the program itself reads the questions and writes the answers."
    )


# ── the log ──────────────────────────────────────────────────────────────────────────────────────

LOG_PATTERNS: Final = {
    "called sys.exit": r"cardroom: .* called sys\.exit\(\)",
    "module": r"^ModuleNotFoundError|Cannot find module|ERR_MODULE_NOT_FOUND",
    "library": r"error while loading shared libraries",
    "symbol": r"version `\w+_[\d.]+' not found|symbol lookup error",
    "mark in a script": r"\ufeff.*not found",
    "carriage return": r"\$'\\r'|\\r'|\r: |\r$",
    "program": r"command not found|: not found$|env: .*No such file",
    "memory": r"[Cc]annot allocate memory|JavaScript heap out of memory|bad_alloc",
    "threads": r"can't start new thread|Resource temporarily unavailable|uv_thread_create",
    "read-only": r"Read-only file system|EROFS",
    "permission": r"Operation not permitted|EPERM|[Pp]ermission denied|EACCES",
    "system call": r"Function not implemented|ENOSYS",
    "mark in a file": r"Unexpected UTF-8 BOM|Unexpected token '?\ufeff",
    "source": r"SyntaxError: (?:\(unicode error\)|Non-UTF-8 code|source code .*null bytes)",
    "encoding": r"^Unicode(?:En|De)codeError",
    "recursion": r"^RecursionError",
}
"""Patterns of messages in logs, by the name of their row in the table."""

_EXPLANATIONS: Final = {
    "called sys.exit": "A bot that exits cannot answer: return a move, or raise an error if "
    "there is none.",
    "module": "A bot can import the standard library of its language, in Python `engine` as well, "
    'the files in its package, and libraries that cardroom.toml names: needs = ["numpy"].',
    "library": f"A shared library is missing; the log names it. {_LINK_STATICALLY}",
    "symbol": "The program was linked with a newer library than the sandbox has. "
    f"{_LINK_STATICALLY}",
    "program": f"{_AVAILABLE} Anything else that a program needs must be in the "
    "package. Java is not supported.",
    "carriage return": "The script has Windows line endings: save it with Unix line endings.",
    "memory": f"A bot may use {Limits().memory_mib} MiB of memory.",
    "threads": f"The sandbox allows {Limits().threads} threads.",
    "read-only": "Bots cannot create or change files in the sandbox; keep your data in memory.",
    "permission": "The sandbox allows no other processes, no network and no sockets; the page for "
    "bots lists what else it refuses.",
    "system call": "The sandbox does not support that system call.",
    "mark in a file": "A file that the bot reads begins with a byte order mark: remove the mark.",
    "mark in a script": "The script begins with a byte order mark: save it as UTF-8 without one.",
    "source": "A source file is not UTF-8 text: save it as UTF-8.",
    "encoding": "When you open a file, name its encoding, such as encoding='utf-8'.",
    "recursion": "A function calls itself endlessly or too deeply.",
}


def _by_log(name: str) -> Callable[[EndedBot], str]:
    pattern = re.compile(LOG_PATTERNS[name], re.MULTILINE)

    def find(bot: EndedBot) -> str:
        """The explanation, if one of the last lines matches."""
        last_lines = "\n".join(_last_lines(bot.log))
        return _EXPLANATIONS[name] if pattern.search(last_lines) else ""

    return find


def _last_lines(log: str, max_lines: int = 4) -> Iterator[str]:
    lines = [line for line in log.split("\n") if line.strip()]
    yield from lines[-max_lines:]


TABLE: Final = (
    Diagnosis("one word", _one_word),
    Diagnosis("no ./", _no_dot),
    Diagnosis("backslash", _backslash),
    Diagnosis("no program", _no_program),
    Diagnosis("no file", _no_file),
    Diagnosis("empty file", _empty),
    Diagnosis("byte order mark", _byte_order_mark),
    Diagnosis("carriage return in the first line", _carriage_return),
    Diagnosis("interpreter", _interpreter),
    Diagnosis("another system's file", _foreign),
    Diagnosis("another machine's program", _binary),
    Diagnosis("static variables", _static_variables),
    Diagnosis("no first line", _no_interpreter),
    Diagnosis("no script", _no_script),
    Diagnosis("hidden module", _hidden_modules),
    Diagnosis("command for Python", _python_command),
    *(Diagnosis(name, _by_log(name)) for name in LOG_PATTERNS),
)
"""The first row that matches is used, so certain causes come before likely ones."""
