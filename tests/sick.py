"""Sandboxes that fail on demand, by a fake `bwrap` that comes first on PATH."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

How = Literal["well", "broken", "half", "lies"]
"""`half`: fails every other time, on average. `lies`: only a worker's self-test works."""

# The self-test is recognised by the size of its disk.
_SCRIPT: Final = """#!/bin/sh
read -r how < {folder}/how
case $how in
half) [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ] && how=broken ;;
lies) case "$*" in *" --size 1048576 "* | --version) ;; *) how=broken ;; esac ;;
esac
if [ "$how" = broken ]; then
    echo "bwrap: No space left on device" >&2
    exit 1
fi
exec {program} "$@"
"""


class Bubblewrap:
    """A bubblewrap that can be made to fail; every user can read `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "bin"
        self._folder.mkdir()
        self.path = f"{self._folder}:{os.environ['PATH']}"
        self.is_("well")
        program = self._folder / "bwrap"
        real = shutil.which("bwrap") or "bwrap"
        program.write_text(_SCRIPT.format(folder=self._folder, program=real))
        program.chmod(0o755)

    def is_(self, how: How) -> None:
        """Set whether it works or fails from now on."""
        new = self._folder / "how.new"  # replaced atomically, so that it is never read half-written
        new.write_text(f"{how}\n")
        new.chmod(0o644)
        new.replace(self._folder / "how")


@contextmanager
def bubblewrap() -> Iterator[Bubblewrap]:
    """A bubblewrap that works at first."""
    folder = shared_folder()
    try:
        yield Bubblewrap(folder)
    finally:
        shutil.rmtree(folder)


def shared_folder() -> Path:
    """A new folder that seats, which run as other users, may read, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-host-"))
    folder.chmod(0o755)
    return folder
