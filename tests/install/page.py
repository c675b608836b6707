"""Reads the commands of docs/21-install.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "21-install.md"
NAME: Final = "cards.example.org"
_BLOCK: Final = re.compile(r"^```sh ?(?P<only>\w*)\n(?P<script>.*?)^```$", re.MULTILINE | re.DOTALL)


class ShellBlock(NamedTuple):
    """A block of shell commands."""

    only: str
    """`wheel` or `checkout`; empty if the block is for both."""
    script: str


def blocks() -> list[ShellBlock]:
    """The page's commands, in order."""
    return [
        ShellBlock(*match.group("only", "script")) for match in _BLOCK.finditer(PAGE.read_text())
    ]
