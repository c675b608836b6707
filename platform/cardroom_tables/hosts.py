"""Which hosts of tables there are, as they tell; and the tables that wait because there is none."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from cardroom_base.db.db_time import Now, now
from cardroom_tables.models import Table, TableHost

REPORT_SECONDS: Final = 15
"""How often a host says that it lives."""
HEARD: Final = timedelta(seconds=50)
"""After so long without a word it is gone, or frozen."""
PATIENCE: Final = timedelta(seconds=5)
"""A host that is there takes a table within that time, or will."""
NO_HOST: Final = (
    "No host is serving tables right now. Nothing is lost: the bots move as soon as one is back."
)

NO_ANSWER: Final = (
    "No host is serving tables right now, so the expert cannot answer. What you ask is kept: the "
    "answer comes as soon as one is back."
)


def hosts() -> list[TableHost]:
    """Those that were heard of lately, by name."""
    return list(TableHost.objects.filter(seen__gte=Now() - HEARD).order_by("name"))


def nobody_there() -> bool:
    """Whether no host was heard of lately."""
    return not TableHost.objects.filter(seen__gte=Now() - HEARD).exists()


def nobody_comes(since: datetime) -> bool:
    """Whether something has waited for a host since then, and there is none."""
    return now() - since >= PATIENCE and nobody_there()


def unserved(table: Table) -> bool:
    """Whether a table's bots are to move and there is no host to play them."""
    if not table.bots_turn or table.over:
        return False
    held = table.lease_until is not None and table.lease_until > now()
    return not held and nobody_comes(table.moved)
