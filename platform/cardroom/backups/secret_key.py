"""The secret key of the site, which signs sessions."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from django.conf import settings

from cardroom.backups.disk import sync_to_disk

NAME: Final = "secret-key"
"""The name of the file, in a backup and in var/."""


def is_in_var() -> bool:
    """Whether the key is in var/; otherwise it comes from the environment and is not backed up."""
    return not os.environ.get("CARDROOM_SECRET_KEY") and _path().is_file()


def copy(folder: Path) -> None:
    """Copy the key into a backup, if it is in var/."""
    if is_in_var():
        shutil.copyfile(_path(), folder / NAME)


def prepare(backup: Path, stamp: str) -> Path | None:
    """Copy a backup's key next to the site's, and keep the site's as `secret-key.before-STAMP`.

    Returns the path of the copy; None if the site's key stays, so that nothing is copied.
    """
    backup_key, site_key = backup / NAME, _path()
    if os.environ.get("CARDROOM_SECRET_KEY") or not backup_key.is_file():
        return None
    if site_key.is_file():
        if site_key.read_bytes() == backup_key.read_bytes():
            return None
        os.link(site_key, site_key.with_name(f"{NAME}.before-{stamp}"))
    new = site_key.with_name(f"{NAME}.restoring")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_bytes(backup_key.read_bytes())
    sync_to_disk(new)
    return new


def put_in_place(new: Path) -> None:
    """Replace the site's key."""
    new.replace(_path())
    sync_to_disk(_path().parent)


def _path() -> Path:
    return Path(settings.VAR_DIR) / NAME
