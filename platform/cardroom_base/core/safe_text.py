"""Escapes foreign text for terminals and logs.

A name, a note, a log, a file name or a server's answer may contain characters that move the cursor,
hide or reverse text, or imitate a line of ours. Commands print through `bots.cli.common.Screen`. A
program's other output, such as usage errors and tracebacks, goes through `guard_streams`, and a
site's logs through `cardroom.logs`. All of them use this module.
"""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from typing import Any, Final, TextIO, cast

MAX_TEXT: Final = 200_000
"""Characters shown of one text; a bot's log has at most a third of that."""

_DOUBTFUL = re.compile(r"[^\n -~]")
# These are invisible, but are not in Unicode's categories of control and format characters.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_HEAPED = re.compile(f"({_MARKS}{{3}}){_MARKS}+")


def harmless(text: str) -> str:
    """The text, with every character escaped that is not plainly visible, a space or a newline.

    It is cut at `MAX_TEXT`.
    """
    return _escaped(text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} …")


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").expandtabs(4)
    return _HEAPED.sub(r"\1…", _DOUBTFUL.sub(_escape, text))


def one_line(text: str, limit: int = 2_000) -> str:
    """Like `harmless`, for a name or a sentence: without newlines, and cut at `limit`."""
    whole = harmless(text[: limit + 1]).replace("\n", "\\n")
    return whole if len(whole) <= limit else f"{whole[: limit - 1]}…"


def harmless_json(text: str) -> str:
    """Equivalent JSON text, with characters that are not harmless written as `\\u…`."""
    return _DOUBTFUL.sub(
        lambda match: match[0] if is_harmless(match[0]) else _escaped_json(match[0]), text
    )


def is_harmless(char: str) -> bool:
    """Whether a character is plainly visible, or a space."""
    visible = char.isprintable() or unicodedata.category(char) == "Zs"
    return visible and not _INVISIBLE.match(char)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if is_harmless(char):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escaped_json(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class Guarded:
    """A stream that escapes everything that is not harmless text.

    Rich writes to the underlying stream: its console escapes text itself, and adds colours.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write the escaped text, however long: it may be JSON. Returns the length of `text`."""
        self.rich_proxied_file.write(_escaped(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # would bypass the escaping
            raise AttributeError(name)
        return getattr(self.rich_proxied_file, name)


def guard_streams() -> None:
    """Make this program's output harmless until it ends."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Guarded):
            print_anything(stream)
            setattr(sys, name, cast(TextIO, Guarded(stream)))


def print_anything(stream: object) -> None:
    """Replace characters that the terminal or locale cannot show, instead of failing."""
    behind = getattr(stream, "rich_proxied_file", stream)
    if isinstance(behind, io.TextIOWrapper):
        behind.reconfigure(errors="backslashreplace")
