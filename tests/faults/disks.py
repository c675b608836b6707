"""Small disks, to be filled: file systems in memory, where we may mount them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Disk:
    """A file system of its own."""

    folder: Path

    def fill(self) -> None:
        """Take all the room that is left."""
        with suppress(OSError), (self.folder / "filler").open("ab", buffering=0) as file:
            while file.write(b"\0" * 65_536):
                pass

    def empty(self) -> None:
        """Give it back."""
        (self.folder / "filler").unlink(missing_ok=True)


@contextmanager
def small_disk(mib: int) -> Iterator[Disk | None]:
    """A disk of so many MiB; None where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=755", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield Disk(folder) if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)
        folder.rmdir()
