"""What hosts are asked for, by kind: how it is announced, and what of it has waited too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import F

from cardroom_base.db.outbox import announce_many
from cardroom_tables.actions import hosting
from cardroom_tables.messages import COMPARE_TASK, HINT_TASK, OPINION_TASK, SEAT_TASK
from cardroom_tables.models import ComparisonJob, Hint, Opinion, Table
from cardroom_tables.turns import Kind

HINT_SECONDS: Final = 4.0
"""A message and a turn among the host's threads need less."""
BACKGROUND_SECONDS: Final = 10.0
"""The same for work that the match does not wait for."""
MAX_WAKE: Final = 20
"""Messages of a kind that one sweep sends; the next one looks again."""

TASKS: Final[dict[Kind, tuple[str, str]]] = {
    "table": (SEAT_TASK, "table"),
    "hint": (HINT_TASK, "hint"),
    "comparison": (COMPARE_TASK, "table"),
    "opinion": (OPINION_TASK, "opinion"),
}
"""The message that asks for it, and what it calls the number."""


def overdue() -> dict[Kind, list[int]]:
    """What should have been done by now: its message, or its host, was lost."""
    wanted = Hint.objects.filter(table__moves=F("n"), table__state=Table.State.PLAYING)
    return {
        "table": hosting.waiting_tables(),
        "hint": wanted.overdue(HINT_SECONDS, MAX_WAKE),
        "comparison": ComparisonJob.objects.overdue(BACKGROUND_SECONDS, MAX_WAKE),
        "opinion": Opinion.objects.overdue(BACKGROUND_SECONDS, MAX_WAKE),
    }


def announce_work(kind: Kind, keys: Sequence[int]) -> int:
    """Send for a host for each of these; how many."""
    task, name = TASKS[kind]
    if keys:
        announce_many(task, [{name: key} for key in keys])
    return len(keys)
