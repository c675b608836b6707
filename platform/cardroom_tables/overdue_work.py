"""Announce work to hosts, and find overdue work of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import F

from cardroom_base.db.jobs import JobQuerySet
from cardroom_base.db.outbox import announce_many
from cardroom_tables.actions import hosting
from cardroom_tables.fair_queue import Kind
from cardroom_tables.host_task_names import COMPARE_TASK, HINT_TASK, OPINION_TASK, SEAT_TASK
from cardroom_tables.models import ComparisonJob, Hint, Opinion, Table

HINT_SECONDS: Final = 4.0
"""Seconds after which a waiting hint is overdue."""
BACKGROUND_SECONDS: Final = 10.0
"""Seconds after which waiting background work is overdue."""
MAX_WAKE: Final = 20
"""Limit of messages of a kind per sweep."""

TASKS: Final[dict[Kind, tuple[str, str]]] = {
    "table": (SEAT_TASK, "table"),
    "hint": (HINT_TASK, "hint"),
    "comparison": (COMPARE_TASK, "table"),
    "opinion": (OPINION_TASK, "opinion"),
}
"""The task of each kind, and the name of the task's argument."""


def overdue_keys() -> dict[Kind, list[int]]:
    """Kind → keys of overdue work, whose message or host was lost."""
    return {
        "table": hosting.waiting_tables(),
        "hint": current_hints().overdue(HINT_SECONDS, MAX_WAKE),
        "comparison": ComparisonJob.objects.overdue(BACKGROUND_SECONDS, MAX_WAKE),
        "opinion": Opinion.objects.overdue(BACKGROUND_SECONDS, MAX_WAKE),
    }


def current_hints() -> JobQuerySet[Hint]:
    """Hints for moves that are still to be played."""
    return Hint.objects.filter(table__moves=F("n"), table__state=Table.State.PLAYING)


def announce_work(kind: Kind, keys: Sequence[int]) -> int:
    """Announce the work with these keys to hosts; return their number."""
    task, name = TASKS[kind]
    if keys:
        announce_many(task, [{name: key} for key in keys])
    return len(keys)
