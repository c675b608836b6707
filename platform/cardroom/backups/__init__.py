"""Backups of a running site, verified when they are made and when they are restored.

A backup is a folder with the database, the secret key and `about.json`, which lists its contents.
If a restore fails, the database stays unchanged.
"""

import sqlite3
from typing import Final

from django.db import Error

from cardroom.backups.about import About, BackupError
from cardroom.backups.making import make, prune
from cardroom.backups.restoring import Restored, restore
from cardroom.services import AlreadyRunningError

FAILURES: Final = (BackupError, AlreadyRunningError, OSError, Error, sqlite3.Error)
"""Errors of `make` and `restore`; their texts are for people."""

__all__ = ["FAILURES", "About", "BackupError", "Restored", "make", "prune", "restore"]
