"""List the table hosts that reported recently, and detect tables that wait without a host."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from cardroom_base.db.db_time import Now, now
from cardroom_tables.models import Table, TableHost

REPORT_SECONDS: Final = 15
"""Interval of a host's reports."""
REPORT_LIFETIME: Final = timedelta(seconds=50)
"""A host without a report for this long counts as gone."""
PATIENCE: Final = timedelta(seconds=5)
"""A live host takes a table within this time."""
NO_HOST: Final = (
    "No host is serving tables right now. Nothing is lost: the bots move as soon as a host returns."
)

NO_ANSWER: Final = (
    "No host is serving tables right now, so the expert cannot answer. Your question is stored; "
    "the answer appears as soon as a host returns."
)

NO_REPLAY: Final = (
    "No host is serving tables right now, so this deal cannot be replayed. The comparison appears "
    "as soon as a host returns."
)


def live_hosts() -> list[TableHost]:
    """The hosts that reported within `REPORT_LIFETIME`, by name."""
    return list(TableHost.objects.filter(seen__gte=Now() - REPORT_LIFETIME).order_by("name"))


def no_host_lives() -> bool:
    """Whether no host reported within `REPORT_LIFETIME`."""
    return not TableHost.objects.filter(seen__gte=Now() - REPORT_LIFETIME).exists()


def no_host_comes(since: datetime) -> bool:
    """Whether no host will take work that has waited since then."""
    return now() - since >= PATIENCE and no_host_lives()


def waits_without_host(table: Table) -> bool:
    """Whether a bot is to move at a table and there is no host to play it."""
    if not table.bots_turn or table.over:
        return False
    leased = table.lease_until is not None and table.lease_until > now()
    return not leased and no_host_comes(table.moved)
