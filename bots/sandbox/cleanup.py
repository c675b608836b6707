"""Remove the sandbox's cached folders that no process has used for 30 days.

A process holds a lock on each folder that it uses (`hold`), so that neither `remove_unused` nor
systemd-tmpfiles removes the folder meanwhile. `bots.sandbox.shared_folders` creates them; their
modification time is the time of the last use.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_UNUSED_DAYS: Final = 30
_locks: dict[Path, int] = {}  # descriptors, by folder


def hold(folder: Path) -> None:
    """Lock a folder for the life of this process."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(fd, fcntl.LOCK_SH)
        if (earlier_fd := _locks.pop(folder, None)) is not None:
            os.close(earlier_fd)
        _locks[folder] = fd


def remove_unused(home: Path) -> None:
    """Remove the unused folders in `home`."""
    limit = time.time() - _UNUSED_DAYS * 86_400  # noqa: TID251 - compared with the disk's times
    for folder in home.iterdir():
        with suppress(FileNotFoundError):  # another process has just removed or renamed it
            if folder.lstat().st_mtime < limit and not _in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _in_use(folder: Path) -> bool:
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return True  # not ours
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
