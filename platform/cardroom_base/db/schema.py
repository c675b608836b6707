"""Checks that program and database have the same schema, by a number that grows with migrations.

A worker or housekeeper with another number would use columns that do not exist, so it waits until
program or database is updated. A worker checks once a batch, a housekeeper before each job.
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
"""Seconds that a misfit worker rests before it checks again; meanwhile messages stay queued."""
LOG_SECONDS: Final = 60.0
"""Seconds between two log lines about a misfit."""

_APPLIED: Final = (
    f"SELECT MAX(name) FROM django_migrations WHERE app IN ({', '.join(['%s'] * len(APPS))}) "  # noqa: S608 - only placeholders are put in
    "GROUP BY app"
)
_last_logged = -LOG_SECONDS


@cache
def number() -> int:
    """This program's schema number: the sum of the numbers of its apps' last migrations.

    It is read on the first call, so a worker calls it at start.
    """
    folders = [Path(apps.get_app_config(label).path) / "migrations" for label in APPS]
    return sum(
        max(map(_number, (path.name for path in folder.glob("[0-9]*.py")))) for folder in folders
    )


def applied() -> int:
    """The database's schema number; one cheap query."""
    with connection.cursor() as cursor:
        cursor.execute(_APPLIED, APPS)
        return sum(_number(name) for (name,) in cursor.fetchall())


def misfit(database: int, program: int) -> str:
    """The difference between database and program as a sentence; empty if they fit."""
    if database == program:
        return ""
    newer = database > program
    return (
        f"The database is {'newer' if newer else 'older'} ({database}) than this program "
        f"({program}): {'start the new program there' if newer else 'run manage.py migrate'}."
    )


def hold() -> bool:
    """Whether this program must leave the work alone; if so, return after a pause."""
    if fits("Nothing is played here."):
        return False
    drain.rest(PAUSE_SECONDS)
    return True


def fits(otherwise: str) -> bool:
    """Whether program and database fit; if not, log `otherwise` and the reason once a minute."""
    global _last_logged
    why = misfit(applied(), number())
    if why and monotonic() - _last_logged >= LOG_SECONDS:
        _last_logged = monotonic()
        log.error("%s %s", otherwise, why)
    return not why


def _number(migration: str) -> int:
    return int(migration[:4])
