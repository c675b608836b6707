"""Read single keys from a terminal, by name."""

from __future__ import annotations

import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

_NAMES = {
    b"\x1b[A": "left",
    b"\x1b[B": "right",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b"\x1b[H": "home",
    b"\x1b[1~": "home",
    b"\x1bOH": "home",
    b"\x1b[F": "end",
    b"\x1b[4~": "end",
    b"\x1bOF": "end",
    b"\x1b[5~": "page-up",
    b"\x1b[6~": "page-down",
    b"\x1b": "escape",
    b"\x03": "q",
    b"\x04": "q",
}


@contextmanager
def raw() -> Iterator[None]:
    """In this context keys can be read one by one and are not echoed."""
    terminal = sys.stdin.fileno()
    settings = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, settings)


def read() -> str:
    """The next key: a letter, or a name such as `left`; empty at the end of input.

    A terminal sends a special key in one write, so one read gets all of it.
    """
    return name(os.read(sys.stdin.fileno(), 16))


def name(pressed: bytes) -> str:
    """The name of a key from the bytes that a terminal sends for it."""
    return _NAMES.get(pressed) or pressed[:1].decode("latin-1")
