"""Sandboxes that fail on demand: a fake `bwrap` comes first on PATH."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

State = Literal["working", "broken", "flaky", "passes_self_test"]
"""`flaky` fails every other time, on average. `passes_self_test` fails except in a worker's
self-test."""

# The size of its disk identifies the self-test.
_SCRIPT: Final = """#!/bin/sh
read -r state < {folder}/state
case $state in
flaky) [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ] && state=broken ;;
passes_self_test) case "$*" in *" --size 1048576 "* | --version) ;; *) state=broken ;; esac ;;
esac
if [ "$state" = broken ]; then
    echo "bwrap: No space left on device" >&2
    exit 1
fi
exec {program} "$@"
"""


class BreakableBubblewrap:
    """A bubblewrap that fails on demand, in a `folder` that every user can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "bin"
        self._folder.mkdir()
        self.path = f"{self._folder}:{os.environ['PATH']}"
        self.set_state("working")
        program = self._folder / "bwrap"
        real = shutil.which("bwrap") or "bwrap"
        program.write_text(_SCRIPT.format(folder=self._folder, program=real))
        program.chmod(0o755)

    def set_state(self, state: State) -> None:
        # The file is replaced atomically, so that the script never reads half of it.
        new = self._folder / "state.new"
        new.write_text(f"{state}\n")
        new.chmod(0o644)
        new.replace(self._folder / "state")


@contextmanager
def breakable_bubblewrap() -> Iterator[BreakableBubblewrap]:
    """A bubblewrap that works at first."""
    folder = readable_folder()
    try:
        yield BreakableBubblewrap(folder)
    finally:
        shutil.rmtree(folder)


def readable_folder() -> Path:
    """A new folder that other users, such as those of bots, may read, unlike pytest's folders."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-host-"))
    folder.chmod(0o755)
    return folder
