"""Small disks that tests fill: file systems in memory, if this process may mount them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Disk:
    """A separate file system."""

    folder: Path

    def fill(self) -> None:
        """Fill all free space."""
        with suppress(OSError), (self.folder / "filler").open("ab", buffering=0) as file:
            while file.write(b"\0" * 65_536):
                pass

    def empty(self) -> None:
        """Free the space again."""
        (self.folder / "filler").unlink(missing_ok=True)


@contextmanager
def small_disk(mib: int) -> Iterator[Disk | None]:
    """A disk of this size; None if none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=755", "tmpfs", str(folder)]
    is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield Disk(folder) if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)
        folder.rmdir()
