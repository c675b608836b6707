"""Describe the Python interpreter that runs bots: the one that runs this program."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter and the paths of its parts.

    path: the program, not a virtual environment's link to it.
    library: the folder of the standard library.
    extensions: the folder of its compiled modules, if it is a different one.
    version: the language's version, with the tag of compiled files.
    """

    path: Path
    library: Path
    extensions: Path
    version: str

    @property
    def number(self) -> str:
        """The language's version, such as 3.11.7."""
        return ".".join(self.version.split()[:3])


@cache
def running() -> Interpreter:
    """The interpreter that runs this program."""
    library = Path(os.__file__).parent
    extensions = (Path(entry) for entry in sys.path if Path(entry).name == "lib-dynload")
    numbers = " ".join(map(str, sys.version_info[:3]))
    return Interpreter(
        path=Path(getattr(sys, "_base_executable", sys.executable)).resolve(),
        library=library.resolve(),
        extensions=next(extensions, library / "lib-dynload").resolve(),
        version=f"{numbers} {sys.implementation.cache_tag}",
    )
