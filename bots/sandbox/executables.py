"""Find the programs that start sandboxes."""

from __future__ import annotations

import os
import shutil

_paths: dict[tuple[str, str], str] = {}


def find(name: str) -> str | None:
    """The path of a program; None if it is not installed.

    Searching PATH takes 0.1 ms, and each start of a sandbox needs two programs. So the path is
    cached for this PATH as long as the program can be run there.
    """
    key = name, os.environ.get("PATH", os.defpath)
    path = _paths.get(key)
    if path is None or not os.access(path, os.X_OK):
        path = shutil.which(name)
        if path is not None:
            _paths[key] = path
    return path
