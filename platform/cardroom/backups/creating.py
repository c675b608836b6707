"""Creates a backup while the site runs."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cardroom.backups import about as about_file
from cardroom.backups import secret_key
from cardroom.backups.about import About, BackupError
from cardroom.backups.disk import Say, sync_to_disk
from cardroom.backups.engines import Engine, site_engine
from cardroom_base.db import database
from cardroom_base.db.db_time import now

_PATTERN: Final = "cardroom-????????-??????"
_UNFINISHED_PREFIX: Final = ".making-"
"""Prefix of the folder's name until the backup is complete."""
_ABANDONED_SECONDS: Final = 86_400
"""Age in seconds after which an unfinished backup counts as abandoned."""


def create(folder: Path, say: Say) -> tuple[Path, About]:
    """Create a backup in the folder, and verify it; return its path and description.

    Only this user can read it. Its name is the database's time, and it gets the name once it is
    complete and on the disk. After a BackupError, OSError or database error, nothing is left.
    """
    engine = site_engine()
    if engine.is_empty():
        raise BackupError("The database is empty.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _clear(folder)
    began = now()
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED_PREFIX, dir=folder))
    try:
        about = _fill(unfinished, engine, began, say)
        backup = unfinished.rename(folder / f"cardroom-{began:%Y%m%d-%H%M%S}")
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    sync_to_disk(folder)
    return backup, about


def _fill(folder: Path, engine: Engine, began: datetime, say: Say) -> About:
    """Write all files into the folder, and flush them to the disk."""
    with database.long_timeouts():
        applied, rows = engine.copy(folder / engine.FILE, say)
    secret_key.copy(folder)
    about = About(
        layout=about_file.LAYOUT,
        made=began.isoformat(timespec="seconds"),
        cardroom=version("cardroom"),
        engine=engine.NAME,
        server=engine.server_version(),
        schema=applied,
        rows=rows,
        files=about_file.digests(folder),
    )
    about.write(folder)
    for path in folder.iterdir():
        path.chmod(0o600)
        sync_to_disk(path)
    sync_to_disk(folder)
    return about


def prune(folder: Path, keep: int) -> list[Path]:
    """Delete all but the newest backups of the folder; returns the deleted ones."""
    backups = sorted(path for path in folder.glob(_PATTERN) if (path / about_file.NAME).is_file())
    old = backups[: -max(1, keep)]
    for backup in old:
        shutil.rmtree(backup)
    return old


def _clear(folder: Path) -> None:
    """Delete the remains of an interrupted backup."""
    for path in folder.glob(f"{_UNFINISHED_PREFIX}*"):
        with suppress(FileNotFoundError):  # another backup has just finished
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:  # noqa: TID251 - of files here
                shutil.rmtree(path, ignore_errors=True)
