"""Tells the time by the database's clock, because the clocks of machines may be wrong.

Queries write or compare with `Now`; Python code that needs the time calls `now`. With SQLite there
is only one machine, and the database uses its clock.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import Error, connection
from django.db.models import functions

READING_SECONDS: Final = 60.0
"""Seconds for which Python extrapolates a reading of the database's clock."""
RETRY_SECONDS: Final = 2.0
"""Seconds until the next reading if the database did not answer or took long."""
QUICK_SECONDS: Final = 1.0
"""Readings that took longer are inaccurate: they are used only if there is no better one."""
TOLERATED_MS: Final = 5000
"""`clock_remark` ignores smaller differences."""
_MAX_MS: Final = 2**31 - 1

_last_answer: tuple[float, datetime] | None = None
"""The last reading: seconds since this machine started, and the database's time."""
_next_reading = 0.0


class Now(functions.Now):  # noqa: TID251 - this is the replacement
    """The database's time in a query: when its statement begins, or `seconds` later.

    `Now() + timedelta(…)` is equivalent to `Now(seconds)`, but Django needs 0.1 ms to compile it.
    """

    def __init__(self, seconds: float = 0) -> None:
        super().__init__()
        self._shift = f"{seconds:+.3f} seconds" if seconds else ""

    def resolve_expression(self, *_: Any, **__: Any) -> Now:
        """Skip Django's search for references: storing one result uses three `Now`s."""
        return self

    def as_postgresql(self, *_: Any, **__: Any) -> Any:
        """Use the statement's time; CURRENT_TIMESTAMP is the time of the transaction's start."""
        sql = "STATEMENT_TIMESTAMP()"
        return f"({sql} + INTERVAL '{self._shift}')" if self._shift else sql, []

    def as_sqlite(self, *_: Any, **__: Any) -> Any:
        """SQLite compares text, so the format is exactly Django's format for Python datetimes."""
        shift = f", '{self._shift}'" if self._shift else ""
        moment = f"STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f000', 'NOW'{shift})"
        return f"REPLACE({moment}, '.000000', '')", []


def lease_end() -> Now:
    """The end of a lease that starts now, for a query."""
    return Now(settings.LEASE_SECONDS)


def now() -> datetime:
    """The database's time, extrapolated from a reading that is at most a minute old.

    While the database is unavailable, the last reading is used; without one, this machine's clock.
    """
    if connection.vendor == "sqlite":
        return _machine_time()
    if _uptime() >= _next_reading:
        _read_clock()
    if _last_answer is None:
        return _machine_time()
    read_at, moment = _last_answer
    return moment + timedelta(seconds=_uptime() - read_at)


def ahead_ms() -> int:
    """Milliseconds by which this machine's clock is ahead of the database's; reads both now."""
    global _next_reading
    _next_reading = 0.0
    ahead = round((_machine_time() - now()) / timedelta(milliseconds=1))
    return max(-_MAX_MS, min(_MAX_MS, ahead))


def clock_remark(ahead_ms: int) -> str:
    """A remark on a machine's clock that is this much ahead; empty if the difference is small."""
    if abs(ahead_ms) <= TOLERATED_MS:
        return ""
    size, unit = abs(ahead_ms) / 1000, "second"
    for factor, larger_unit in ((60, "minute"), (60, "hour"), (24, "day")):
        if size < 1.5 * factor:
            break
        size, unit = size / factor, larger_unit
    direction = "behind" if ahead_ms < 0 else "ahead of"
    return (
        f"its clock is {size:.0f} {unit}{'' if round(size) == 1 else 's'} {direction} the "
        "database's; only the times in its logs depend on it."
    )


def _read_clock() -> None:
    global _last_answer, _next_reading
    start = _uptime()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CLOCK_TIMESTAMP()")
            (moment,) = cursor.fetchone()
    except Error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # the next query gets one that works
        _next_reading = _uptime() + RETRY_SECONDS
        return
    end = _uptime()
    quick = end - start < QUICK_SECONDS
    if quick or _last_answer is None:
        _last_answer = (start + end) / 2, moment
    _next_reading = end + (READING_SECONDS if quick else RETRY_SECONDS)


def _uptime() -> float:
    """Seconds on a clock that runs while the machine sleeps and ignores changes of date."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _machine_time() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the fallback needs this machine's clock
