"""What others made of finished deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import F

from cardroom_base.db.db_time import Now
from cardroom_tables.models import Comparison, Table

PATIENCE_SECONDS: Final = 10.0
"""Most deals need less. A table that waits longer counts as overdue."""
MAX_WAKE: Final = 10


def waiting_tables(patience: float = PATIENCE_SECONDS) -> list[int]:
    """Tables with finished deals that should have been compared by now, those first that wait
    longest."""
    found = Table.objects.filter(compared__lt=F("deals"), moved__lt=Now(-patience))
    return list(found.order_by("moved").values_list("pk", flat=True)[:MAX_WAKE])


@transaction.atomic
def store_deal(table: Table, deal: int, rows: Sequence[Comparison], luck: Sequence[float]) -> bool:
    """Store what came of a deal (from 0); False if somebody else has.

    luck: by place in the scores, what its cards were worth; empty where nobody knows.
    """
    found = Table.objects.select_for_update().filter(pk=table.pk, compared=deal).first()
    if found is None:
        return False
    Comparison.objects.bulk_create(rows)
    found.compared = deal + 1
    found.luck = [*found.luck, [round(each, 1) for each in luck]]
    found.version += 1
    found.save(update_fields=["compared", "luck", "version"])
    return True
