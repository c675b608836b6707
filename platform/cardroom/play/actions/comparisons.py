"""What others made of finished deals."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F

from cardroom.play.models import Comparison, Table


def waiting_tables() -> list[int]:
    """Tables with finished deals that were not compared, those first that wait longest."""
    found = Table.objects.filter(compared__lt=F("deals")).order_by("moved")
    return list(found.values_list("pk", flat=True)[:10])


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
