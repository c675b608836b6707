"""Ends a process that holds SQLite's write lock and does nothing.

PostgreSQL ends the session of a client that is silent within a transaction. SQLite has no server:
a process that is stopped or hangs there keeps everybody from writing as long as it lives. The
kernel knows which process it is (Linux).
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FROZEN_SECONDS: Final = 20.0
"""A process that has held the lock for this long without any processor time is ended."""
LOOK_SECONDS: Final = 1.0
GAP_SECONDS: Final = 5.0
"""A watcher that has not looked for longer was frozen itself, and starts again."""

_WRITE_LOCK: Final = 120
"""The byte of the `-shm` file that a writer locks (SQLite's file format, section 2.3.2)."""
_FLOCK: Final = "hhqqi4x"
"""Linux' `struct flock`: type, whence, start, length, process."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock, and what it has done so far."""

    pid: int
    started: str
    """Its start, since the machine's; process numbers are reused."""
    ticks: int
    """Processor time it has used."""
    busy: bool
    """Whether it computes or waits for the disk: either is work."""


class Frozen:
    """Watches the database at `path`; call `look` often. `say` gets sentences for people."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self._shared = Path(f"{path}-shm")
        self._say = say
        self._file: int | None = None
        self._seen: Holder | None = None
        self._since = self._looked = time.monotonic()

    def look(self) -> None:
        """See who holds the lock; end a process that has held it for too long and does nothing."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        late = now - self._looked > GAP_SECONDS
        self._looked = now
        holder = self._holder()
        if late or holder is None or holder.busy or holder != self._seen:
            self._seen, self._since = holder, now
        elif now - self._since >= FROZEN_SECONDS:
            self._end(holder, now - self._since)
            self._seen = None

    def _end(self, holder: Holder, seconds: float) -> None:
        what = f"Process {holder.pid} ({_command(holder.pid)}) has held the database for"
        what += f" {seconds:.0f} s and does nothing"
        try:
            os.kill(holder.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        except PermissionError:
            self._say(f"{what}; it belongs to somebody else, who must end it.")
        else:
            self._say(f"{what}; it is killed. What it had not committed is undone.")

    def _holder(self) -> Holder | None:
        """None if nobody holds it, or if that cannot be found out."""
        file = self._open()
        if file is None:
            return None
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, _WRITE_LOCK, 1, 0)
        kind, *_, pid = struct.unpack(_FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, asked))
        return None if kind == fcntl.F_UNLCK or pid <= 0 else _described(pid)

    def _open(self) -> int | None:
        """The file that is locked now; it comes and goes with the connections.

        It is never closed while it exists, not even at the end: that would release the locks of
        this process's own connections. A file that has been removed has none.
        """
        if sys.platform != "linux" or struct.calcsize("l") != 8:
            return None
        with suppress(OSError):
            there = self._shared.stat()
            if self._file is not None and not os.path.samestat(os.fstat(self._file), there):
                os.close(self._file)
                self._file = None
            if self._file is None:
                self._file = os.open(self._shared, os.O_RDONLY | os.O_CLOEXEC)
            return self._file
        return None


def _described(pid: int) -> Holder | None:
    """None if it has ended meanwhile."""
    with suppress(OSError, ValueError, IndexError):
        # The name, in parentheses, may itself hold spaces and parentheses.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        busy = fields[0] in {"R", "D"}
        return Holder(pid, fields[19], int(fields[11]) + int(fields[12]), busy)
    return None


def _command(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        return " ".join(words).strip()[:80] or "without a name"
    return "without a name"
