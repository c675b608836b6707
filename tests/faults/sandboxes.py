"""Sandboxes that can be made to fail: a `bwrap` of our own before the machine's on PATH."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final, Literal

Health = Literal["well", "broken", "half", "lies"]
"""`half`: every other sandbox fails; `lies`: all fail but those of a worker's test of itself."""

# The test of itself is known by the size of its disk.
_BUBBLEWRAP: Final = """#!/bin/sh
read -r health < {folder}/health
case $health in
half) [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ] && health=broken ;;
lies) case "$*" in *" --size 1048576 "* | --version) ;; *) health=broken ;; esac ;;
esac
if [ "$health" = broken ]; then
    echo "bwrap: Creating new namespace failed: No space left on device" >&2
    exit 1
fi
exec {program} "$@"
"""


class Sandboxes:
    """The sandboxes of one machine; `folder` can be read by everybody."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        programs = folder / "bin"
        programs.mkdir()
        self.path = f"{programs}:{os.environ['PATH']}"
        self.are("well")
        program = programs / "bwrap"
        real = shutil.which("bwrap") or "bwrap"
        program.write_text(_BUBBLEWRAP.format(folder=folder, program=real))
        program.chmod(0o755)

    def are(self, health: Health) -> None:
        """From now on they work, or fail."""
        new = self._folder / "health.new"
        new.write_text(f"{health}\n")
        new.chmod(0o644)
        new.replace(self._folder / "health")


def shared_folder() -> Path:
    """A new folder that seats, who are other users, may read."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-host-"))
    folder.chmod(0o755)
    return folder
