"""Request and store comparisons of finished deals."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from cardroom_base.db.jobs import REQUEUE_FIELDS
from cardroom_base.db.outbox import announce
from cardroom_tables.host_task_names import COMPARE_TASK
from cardroom_tables.models import Comparison, ComparisonJob, Table


def request_comparison(table: Table) -> None:
    """Request the comparison of a table's finished deals; the caller has locked the table."""
    ComparisonJob.objects.get_or_create(table=table)
    ComparisonJob.objects.filter(table=table).exclude(finished=None).update(**REQUEUE_FIELDS)
    announce(COMPARE_TASK, table=table.pk)


@transaction.atomic
def store_deal(
    job: ComparisonJob, deal: int, rows: Sequence[Comparison], luck: Sequence[float]
) -> bool:
    """Store the comparison of a deal (from 0); False if the job or the deal is no longer this
    host's.

    `luck`: the worth of its cards, one number for each score; empty if unknown.
    """
    table = Table.objects.select_for_update().get(pk=job.pk)
    last = deal + 1 == table.deals
    if table.compared != deal or not (job.finish() if last else job.give_back(tries=0)):
        return False
    Comparison.objects.bulk_create(rows)
    table.compared = deal + 1
    table.luck = [*table.luck, [round(points, 1) for points in luck]]
    table.version += 1
    table.save(update_fields=["compared", "luck", "version"])
    return True
