"""What others made of finished deals."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from cardroom_base.db.jobs import ANEW
from cardroom_base.db.outbox import announce
from cardroom_tables.messages import COMPARE_TASK
from cardroom_tables.models import Comparison, ComparisonJob, Table


def ask_comparison(table: Table) -> None:
    """Have the finished deals of a table compared; the caller has locked it."""
    ComparisonJob.objects.get_or_create(table=table)
    ComparisonJob.objects.filter(table=table).exclude(finished=None).update(**ANEW)
    announce(COMPARE_TASK, table=table.pk)


@transaction.atomic
def store_deal(
    job: ComparisonJob, deal: int, rows: Sequence[Comparison], luck: Sequence[float]
) -> bool:
    """Store what came of a deal (from 0); False if somebody else has, or may.

    luck: by place in the scores, what its cards were worth; empty where nobody knows.
    """
    table = Table.objects.select_for_update().get(pk=job.pk)
    last = deal + 1 == table.deals
    if table.compared != deal or not (job.finish() if last else job.give_back(tries=0)):
        return False
    Comparison.objects.bulk_create(rows)
    table.compared = deal + 1
    table.luck = [*table.luck, [round(each, 1) for each in luck]]
    table.version += 1
    table.save(update_fields=["compared", "luck", "version"])
    return True
