"""Whether this program and the database fit: the number of the schema, which migrations make grow.

A worker or a housekeeper whose number differs from the database's would read or write what is not
there, so it waits until the other one has followed. A worker looks once a batch, a housekeeper
before each job.
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
"""Those whose migrations are ours, by label."""
PAUSE_SECONDS: Final = 2.0
"""How long a worker that does not fit rests before it looks again: messages are not drained."""
LOG_SECONDS: Final = 60.0
"""Seconds between its log messages."""

_APPLIED: Final = (
    f"SELECT MAX(name) FROM django_migrations WHERE app IN ({', '.join(['%s'] * len(APPS))}) "  # noqa: S608 - only placeholders are put in
    "GROUP BY app"
)
_last_logged = -LOG_SECONDS


@cache
def number() -> int:
    """The number of the schema that this program is written for: of its last migrations, summed up.

    Read when first asked for, so a worker asks as it starts.
    """
    folders = [Path(apps.get_app_config(label).path) / "migrations" for label in APPS]
    return sum(
        max(map(_number, (path.name for path in folder.glob("[0-9]*.py")))) for folder in folders
    )


def applied() -> int:
    """The number of the database's schema; one cheap query."""
    with connection.cursor() as cursor:
        cursor.execute(_APPLIED, APPS)
        return sum(_number(name) for (name,) in cursor.fetchall())


def misfit(database: int, program: int) -> str:
    """What is wrong between a database and a worker's program, in a sentence; empty: nothing."""
    if database == program:
        return ""
    newer = database > program
    return (
        f"The database is {'newer' if newer else 'older'} ({database}) than this program "
        f"({program}): {'start the new program there' if newer else 'run manage.py migrate'}."
    )


def hold() -> bool:
    """Whether this program must leave the work alone; then after a pause."""
    if fits("Nothing is played here."):
        return False
    drain.rest(PAUSE_SECONDS)
    return True


def fits(otherwise: str) -> bool:
    """Whether this program may do something; if not, the log says `otherwise` and why, once a
    minute."""
    global _last_logged
    why = misfit(applied(), number())
    if why and monotonic() - _last_logged >= LOG_SECONDS:
        _last_logged = monotonic()
        log.error("%s %s", otherwise, why)
    return not why


def _number(migration: str) -> int:
    return int(migration[:4])
