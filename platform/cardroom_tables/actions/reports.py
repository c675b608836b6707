"""What hosts of tables say of themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction

from bots.sandbox import Isolation
from cardroom_base.core import compiled
from cardroom_base.db import schema
from cardroom_base.db.db_time import Now
from cardroom_tables.models import TableHost

KEEP: Final = timedelta(days=1)


@transaction.atomic
def report_host(name: str, isolation: Isolation, threads: int) -> None:
    """A host of this program is alive; those not heard from for long are forgotten."""
    TableHost.objects.update_or_create(
        name=name,
        defaults={
            "seen": Now(),
            "threads": threads,
            "level": isolation.level,
            "reason": isolation.reason,
            "engine": str(compiled.kind())[:300],
            "schema": schema.number(),
        },
    )
    TableHost.objects.filter(seen__lt=Now() - KEEP).delete()


def forget_host(name: str) -> None:
    """A host has ended in good order."""
    TableHost.objects.filter(name=name).delete()
