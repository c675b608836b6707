"""Find the programs that start sandboxes."""

from __future__ import annotations

import os
import shutil

_places: dict[tuple[str, str], str] = {}


def find(name: str) -> str | None:
    """The path of a program; None if it is not installed.

    Searching PATH takes 0.1 ms, and each start of a sandbox needs two programs. So the path is
    cached for this PATH as long as the program can be run there.
    """
    key = name, os.environ.get("PATH", os.defpath)
    place = _places.get(key)
    if place is None or not os.access(place, os.X_OK):
        place = shutil.which(name)
        if place is not None:
            _places[key] = place
    return place
