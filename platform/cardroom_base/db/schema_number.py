"""Checks that program and database have the same schema, by a number that grows with migrations.

With different numbers, a worker or housekeeper would use columns that do not exist. So it waits for
an update of program or database. A worker checks once a batch, a housekeeper before each job.
"""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from django.apps import apps
from django.db import connection

from cardroom_base.core import drain

log = logging.getLogger(__name__)

APPS: Final = ("base", "bots", "tournaments", "play", "cardroom")
"""Labels of our apps, which have our migrations."""
PAUSE_SECONDS: Final = 2.0
"""Seconds that an incompatible worker pauses between checks; meanwhile messages stay queued."""
LOG_SECONDS: Final = 60.0
"""Seconds between two log lines about an incompatibility."""

_LAST_MIGRATIONS: Final = (
    f"SELECT MAX(name) FROM django_migrations WHERE app IN ({', '.join(['%s'] * len(APPS))}) "  # noqa: S608 - only placeholders are put in
    "GROUP BY app"
)
_last_logged = -LOG_SECONDS


@cache
def program_number() -> int:
    """This program's schema number: the sum of the numbers of its apps' last migrations.

    It is read on the first call, so a worker calls it at start.
    """
    folders = [Path(apps.get_app_config(label).path) / "migrations" for label in APPS]
    return sum(
        max(map(_number, (path.name for path in folder.glob("[0-9]*.py")))) for folder in folders
    )


def database_number() -> int:
    """The database's schema number; one cheap query."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_MIGRATIONS, APPS)
        return sum(_number(name) for (name,) in cursor.fetchall())


def incompatibility(database: int, program: int) -> str:
    """A sentence on the different schemas of database and program; empty if they are the same."""
    if database == program:
        return ""
    newer = database > program
    return (
        f"The database is {'newer' if newer else 'older'} ({database}) than this program "
        f"({program}): {'update this program' if newer else 'run manage.py migrate'}."
    )


def pause_if_incompatible() -> bool:
    """Whether program and database are incompatible; if they are, return after a pause."""
    if is_compatible("Nothing is played here."):
        return False
    drain.sleep(PAUSE_SECONDS)
    return True


def is_compatible(otherwise: str) -> bool:
    """Whether program and database have the same schema; if not, log `otherwise` and the reason
    once a minute."""
    global _last_logged
    reason = incompatibility(database_number(), program_number())
    if reason and monotonic() - _last_logged >= LOG_SECONDS:
        _last_logged = monotonic()
        log.error("%s %s", otherwise, reason)
    return not reason


def _number(migration: str) -> int:
    return int(migration[:4])
