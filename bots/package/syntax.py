"""Check in a child process that a stranger's Python source compiles.

Compiling needs memory and stack in proportion to the source, and CPython's documentation warns that
a source can crash the interpreter. An upload must not crash a web server.
"""

from __future__ import annotations

import json
import subprocess
import sys

from bots.limits import MAX_SOURCE, PackageError, encoding_hint, size_text

MAX_EXCERPT = 120
"""Maximum number of characters of a source line that an error shows."""
SECONDS = 10
"""Processor seconds that compiling may take; a long bot.py needs less than one."""
MEMORY = 1 << 29
"""Bytes of address space of the child: tables of `MAX_SOURCE` bytes compile in less. A bot has less
when it compiles its source again at its start."""

_CHILD = f"""
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
core = int(resource.getrlimit(resource.RLIMIT_CORE)[1] != 0)  # see bots.sandbox.process
resource.setrlimit(resource.RLIMIT_CORE, (core, core))
try:
    # Python quotes the line of an error from the file of this name if there is one.
    compile(sys.stdin.buffer.read(), "<source>", "exec", dont_inherit=True)
except SyntaxError as error:
    print(json.dumps([error.msg, error.lineno, (error.text or "")[:500], error.offset or 0]))
except (MemoryError, RecursionError):
    print(json.dumps(["it is nested too deeply or too large to compile", None, "", 0]))
except ValueError as error:
    print(json.dumps([str(error), None, "", 0]))
else:
    print("null")
"""


def check_source(path: str, source: bytes) -> None:
    """Raise PackageError, with the line, unless the source is UTF-8 text that compiles."""
    if len(source) > MAX_SOURCE:
        raise PackageError(
            f"{path} is {size_text(len(source))}; the limit is {size_text(MAX_SOURCE)}. "
            "Put tables into a data file beside it."
        )
    try:
        source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise PackageError(
            f"{path} is not UTF-8 text{encoding_hint(source)} (line {line}); save it as UTF-8."
        ) from None
    problem = _compile(source)
    if problem is not None:
        message, number, text, column = problem
        place = f" in line {number}" if number else ""
        line_text = text.strip()[:MAX_EXCERPT]
        excerpt = f": {line_text}" if line_text else ""
        raise PackageError(
            f"{path} has a syntax error{place}, {message}{excerpt}",
            _with_caret(text, number, column) if line_text and number and column else "",
        )


def _with_caret(text: str, number: int, column: int) -> str:
    """The numbered line, with a caret below the column (from 1); at most `MAX_EXCERPT` wide."""
    line = "".join(char if char.isprintable() else " " for char in text.rstrip())
    first_column = max(0, column - MAX_EXCERPT // 2)
    prefix = f"{number} | "
    indent = " " * (len(prefix) + column - 1 - first_column)
    return f"{prefix}{line[first_column : first_column + MAX_EXCERPT]}\n{indent}^"


def _compile(source: bytes) -> tuple[str, int | None, str, int] | None:
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", _CHILD]
    try:
        child = subprocess.run(
            command, input=source, capture_output=True, timeout=SECONDS * 3, check=False
        )
    except subprocess.TimeoutExpired:
        return ("it takes too long to compile", None, "", 0)
    if child.returncode != 0:
        return ("it crashes the compiler", None, "", 0)
    answer = json.loads(child.stdout)
    return None if answer is None else (answer[0], answer[1], answer[2], answer[3])
