"""Makes untrusted text harmless, for terminals, logs and pages.

A name, a note, a log, a file name or a server's answer may contain characters that move the cursor,
hide or reverse text, or imitate our own lines. Commands print through `bots.cli.common.Screen`.
`guard_streams` escapes a program's other output, such as usage errors and tracebacks, and
`cardroom.logs` a site's logs. All of them use this module.
"""

from __future__ import annotations

import io
import itertools
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO, cast

MAX_TEXT: Final = 200_000
"""Maximum number of characters shown of one text; a bot's log has at most a third of that."""

_SUSPECT = re.compile(r"[^\n -~]")
# These are invisible, but are not in Unicode's categories of control and format characters.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_MAX_MARKS: Final = 3
# Marks on letters are not \w, whatever their script.
_PERHAPS_STACKED = re.compile(rf"[^\w\s!-~]{{{_MAX_MARKS + 1},}}")
# Control characters, and characters that hide text or change its direction. Joiners are not among
# them, because emoji and some scripts need them.
_DEFACING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def escape(text: str) -> str:
    """Escape every character that is not plainly visible, a space or a newline; cut the text at
    `MAX_TEXT`."""
    return _escape(text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} …")


def _escape(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").expandtabs(4)
    return cut_marks(_SUSPECT.sub(_escape_match, text))


def one_line(text: str, limit: int = 2_000) -> str:
    """Like `escape`, for a name or a sentence: without newlines, and cut at `limit`."""
    line = escape(text[: limit + 1]).replace("\n", "\\n")
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def readable(text: str) -> str:
    """The text with U+FFFD for characters that would deface a page, and without stacks of marks."""
    text = _DEFACING.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
    return cut_marks(text)


def cut_marks(text: str) -> str:
    """The text with at most three marks on one character; more would cover other lines."""
    return text if text.isascii() else _PERHAPS_STACKED.sub(_cut_stack, text)


def _cut_stack(match: re.Match[str]) -> str:
    runs = itertools.groupby(match[0], lambda char: unicodedata.category(char) in {"Mn", "Me"})
    texts = ((is_marks, "".join(run)) for is_marks, run in runs)
    return "".join(
        f"{text[:_MAX_MARKS]}…" if is_marks and len(text) > _MAX_MARKS else text
        for is_marks, text in texts
    )


def escape_json(text: str) -> str:
    """Equivalent JSON text, in which `\\u…` replaces characters that are not harmless."""
    return _SUSPECT.sub(
        lambda match: match[0] if is_harmless(match[0]) else _escape_json_char(match[0]), text
    )


def is_harmless(char: str) -> bool:
    """Whether a character is plainly visible, or a space."""
    visible = char.isprintable() or unicodedata.category(char) == "Zs"
    return visible and not _INVISIBLE.match(char)


def _escape_match(match: re.Match[str]) -> str:
    char = match[0]
    if is_harmless(char):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_json_char(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


class OutputError(OSError):
    """A standard stream cannot be written, for example because the disk is full."""

    def __str__(self) -> str:
        return f"The output cannot be written: {self.strerror}."


@contextmanager
def converted_output_errors() -> Iterator[None]:
    """Raise OutputError for errors in writing, except that the reader has closed the pipe."""
    try:
        yield
    except (BrokenPipeError, OutputError):
        raise
    except OSError as error:
        raise OutputError(error.errno, error.strerror or str(error)) from None


def discard_output() -> None:
    """Drop what standard output still holds, which the interpreter would write at its end."""
    with suppress(OSError):  # a stream of a test has no descriptor
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
        os.close(descriptor)


class EscapingStream:
    """A stream that escapes all text that is not harmless.

    Rich writes to the underlying stream: its console escapes text itself, and adds colours.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write the text escaped but not cut, because it may be JSON; return the length of
        `text`."""
        with converted_output_errors():
            self.rich_proxied_file.write(_escape(text))
        return len(text)

    def flush(self) -> None:
        with converted_output_errors():
            self.rich_proxied_file.flush()

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # would bypass the escaping
            raise AttributeError(name)
        return getattr(self.rich_proxied_file, name)


def guard_streams() -> None:
    """Escape this program's output from now on. A closed stream becomes an empty one."""
    _open_closed_streams()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, EscapingStream):
            replace_unprintable(stream)
            setattr(sys, name, cast(TextIO, EscapingStream(stream)))


def _open_closed_streams() -> None:
    """Connect closed standard streams with /dev/null, for this program and its child processes.

    Otherwise the next file that is opened gets the number of the closed stream, and its content.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.dup2(descriptor, number)
            if descriptor != number:
                os.close(descriptor)
            os.set_inheritable(number, True)  # noqa: FBT003 - has no name
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def replace_unprintable(stream: object) -> None:
    """Have the stream replace characters that the terminal or locale cannot show."""
    underlying = getattr(stream, "rich_proxied_file", stream)
    if isinstance(underlying, io.TextIOWrapper):
        underlying.reconfigure(errors="backslashreplace")
