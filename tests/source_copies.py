"""Copies of source folders, with their byte code."""

from __future__ import annotations

import shutil
from pathlib import Path


def copy_sources(source: Path, copy: Path) -> None:
    """Copy a folder of sources with its byte code, because compiling it again takes seconds.

    Modules that change in the copy are compiled again. A file that another process is about to
    rename is left out: it may be gone before it is copied.
    """
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.pyc.*", "*.so"))
