"""Backups of a running site, verified when they are created and when they are restored.

A backup is a folder with the database, the secret key and `about.json`, which lists its contents.
If a restore fails, the database stays unchanged.
"""

import sqlite3
from typing import Final

from django.db import Error

from cardroom.backups.about import About, BackupError
from cardroom.backups.creating import create, prune
from cardroom.backups.restoring import Restored, restore
from cardroom.services import AlreadyRunningError

FAILURES: Final = (BackupError, AlreadyRunningError, OSError, Error, sqlite3.Error)
"""Errors of `create` and `restore`; their texts are for people."""

__all__ = ["FAILURES", "About", "BackupError", "Restored", "create", "prune", "restore"]
