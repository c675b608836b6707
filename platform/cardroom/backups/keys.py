"""The secret key of the site, which signs sessions."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from django.conf import settings

from cardroom.backups.files import to_disk

NAME: Final = "secret-key"
"""The file, in a backup as in var/."""


def in_var() -> bool:
    """Whether it is kept in var/; otherwise it comes from the environment, and others keep it."""
    return not os.environ.get("CARDROOM_SECRET_KEY") and _path().is_file()


def copy(folder: Path) -> None:
    """Put it into a backup, if it is kept in var/."""
    if in_var():
        shutil.copyfile(_path(), folder / NAME)


def prepare(backup: Path, stamp: str) -> Path | None:
    """Bring the key of a backup beside the site's, and keep the site's; None where it stays."""
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
    to_disk(new)
    return new


def put_in_place(new: Path) -> None:
    """Make it the site's."""
    new.replace(_path())
    to_disk(_path().parent)


def _path() -> Path:
    return Path(settings.VAR_DIR) / NAME
