"""The database's clock, which all machines use because their own may be off.

Queries use `Now`; Python code that needs a time calls `now`. With SQLite there is only one machine,
and its clock is used.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import Error, connection
from django.db.models import functions

ASK_SECONDS: Final = 60.0
"""How long Python counts on from the database's answer before it asks again."""
RETRY_SECONDS: Final = 2.0
"""How soon it asks again when the database could not be asked or took long to answer."""
QUICK_SECONDS: Final = 1.0
"""An answer that took longer is too vague: it is used only where there is no better one."""
BEARABLE_MS: Final = 5000
"""A clock that is off by no more than this is not worth a word."""
_MOST_MS: Final = 2**31 - 1

_last_answer: tuple[float, datetime] | None = None
"""Seconds since this machine was started, and the database's time then."""
_ask_at = 0.0


class Now(functions.Now):  # noqa: TID251 - what is to be used instead
    """The database's time, in a query: when its statement begins, or some seconds later.

    `Now() + timedelta(…)` says the same as `Now(seconds)`, but takes Django 0.1 ms to put together.
    """

    def __init__(self, seconds: float = 0) -> None:
        super().__init__()
        self._shift = f"{seconds:+.3f} seconds" if seconds else ""

    def resolve_expression(self, *_: Any, **__: Any) -> Now:
        """It refers to nothing, so Django need not look: each result is stored with three."""
        return self

    def as_postgresql(self, *_: Any, **__: Any) -> Any:
        """Not CURRENT_TIMESTAMP, which is the time at which the transaction began."""
        sql = "STATEMENT_TIMESTAMP()"
        return f"({sql} + INTERVAL '{self._shift}')" if self._shift else sql, []

    def as_sqlite(self, *_: Any, **__: Any) -> Any:
        """SQLite compares text, so this is exactly what Django writes for a moment from Python."""
        shift = f", '{self._shift}'" if self._shift else ""
        moment = f"STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f000', 'NOW'{shift})"
        return f"REPLACE({moment}, '.000000', '')", []


def lease() -> Now:
    """The end of a lease that is taken or renewed now, in a query."""
    return Now(settings.LEASE_SECONDS)


def now() -> datetime:
    """The database's time; asks it once a minute.

    While it cannot be asked the last answer holds; without any, this machine's clock does.
    """
    if connection.vendor == "sqlite":
        return _own()
    if _up() >= _ask_at:
        _ask()
    if _last_answer is None:
        return _own()
    up, moment = _last_answer
    return moment + timedelta(seconds=_up() - up)


def ahead_ms() -> int:
    """How far this machine's clock is ahead of the database's, asked now; negative if behind."""
    global _ask_at
    _ask_at = 0.0
    ahead = round((_own() - now()) / timedelta(milliseconds=1))
    return max(-_MOST_MS, min(_MOST_MS, ahead))


def clock_remark(ahead_ms: int) -> str:
    """A remark on a machine's clock that is so far ahead of the database's; empty if needless.

    Pure.
    """
    if abs(ahead_ms) <= BEARABLE_MS:
        return ""
    size, unit = abs(ahead_ms) / 1000, "second"
    for more, name in ((60, "minute"), (60, "hour"), (24, "day")):
        if size < 1.5 * more:
            break
        size, unit = size / more, name
    way = "behind" if ahead_ms < 0 else "ahead of"
    return (
        f"its clock is {size:.0f} {unit}{'' if round(size) == 1 else 's'} {way} the database's; "
        "nothing depends on it but the times in its logs."
    )


def _ask() -> None:
    global _last_answer, _ask_at
    before = _up()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CLOCK_TIMESTAMP()")
            (moment,) = cursor.fetchone()
    except Error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # the next query gets one that works
        _ask_at = _up() + RETRY_SECONDS
        return
    after = _up()
    quick = after - before < QUICK_SECONDS
    if quick or _last_answer is None:
        _last_answer = (before + after) / 2, moment
    _ask_at = after + (ASK_SECONDS if quick else RETRY_SECONDS)


def _up() -> float:
    """Goes on while the machine sleeps, and is unmoved when somebody sets the machine's clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _own() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - asked for on purpose
