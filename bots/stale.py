"""Wake-ups that come too late: since they were sent somebody here has looked, and nothing waited.

A wake-up carries the database's time at which it was sent, which is after its work was committed.
Who looks for work at a later time sees that work, or it has been taken: the wake-up says nothing
new. Hosts' own clocks play no part. The processes of a worker share what they know.
"""

from __future__ import annotations

import mmap
import time
from typing import Any, Final

from django.db import connection
from django.db.models import FloatField, Func

VALID_SECONDS: Final = 10.0
"""So long a look counts; a database whose clock is set back holds nobody up for longer."""

_shared = memoryview(mmap.mmap(-1, 16)).cast("d")
"""The time of the last look that found nothing, by the database's clock and by this machine's."""


class Moment(Func):
    """The database's time in seconds, when the row is read: what is seen was committed before."""

    function = ""
    arity = 0
    output_field = FloatField()
    template = "EXTRACT(EPOCH FROM CLOCK_TIMESTAMP())::double precision"
    template_sqlite = "((JULIANDAY('NOW') - 2440587.5) * 86400.0)"

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        """SQLite knows milliseconds, and cuts off the rest."""
        return self.as_sql(compiler, connection, template=self.template_sqlite, **more)


def moment() -> float:
    """The database's time in seconds, now."""
    lite = connection.vendor == "sqlite"
    sql = Moment.template_sqlite if lite else Moment.template
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}")
        return float(cursor.fetchone()[0])


def nothing_waited(since: float) -> None:
    """Somebody looked who began at this time of the database's, and found nothing."""
    _shared[0], _shared[1] = since, time.monotonic()


def stale(sent: float) -> bool:
    """Whether a wake-up that was sent at this time of the database's says nothing new."""
    fresh = time.monotonic() - _shared[1] < VALID_SECONDS
    return fresh and sent + 0.002 < _shared[0]  # no clock here is finer than a millisecond
