"""A machine in miniature whose bubblewrap does what a test wants: it is found first on its PATH."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

How = Literal["well", "broken", "half"]
"""`half`: it fails every other time, on average."""

_SCRIPT = """#!/bin/sh
read -r how < {folder}/how
[ "$how" = half ] && [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ] && how=broken
if [ "$how" = broken ]; then
    echo "bwrap: No space left on device" >&2
    exit 1
fi
exec {program} "$@"
"""


class Bubblewrap:
    """A bubblewrap that can be made to fail."""

    def __init__(self, folder: Path) -> None:
        self._how = folder / "how"
        self.is_("well")
        program = folder / "bwrap"
        program.write_text(_SCRIPT.format(folder=folder, program=shutil.which("bwrap")))
        program.chmod(0o755)
        self.path = f"{folder}:{os.environ['PATH']}"

    def is_(self, how: How) -> None:
        """From now on it works, or fails."""
        self._how.write_text(f"{how}\n")
        self._how.chmod(0o644)


@contextmanager
def bubblewrap() -> Iterator[Bubblewrap]:
    """One that works at first."""
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        Path(place).chmod(0o755)
        yield Bubblewrap(Path(place))
