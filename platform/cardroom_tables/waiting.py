"""What hosts are asked for, by kind: how it is announced, and what of it has waited too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardroom_base.db.outbox import announce_many
from cardroom_tables.actions import comparisons, hints, hosting, opinions
from cardroom_tables.messages import COMPARE_TASK, HINT_TASK, OPINION_TASK, SEAT_TASK
from cardroom_tables.turns import Kind

TASKS: Final[dict[Kind, tuple[str, str]]] = {
    "table": (SEAT_TASK, "table"),
    "hint": (HINT_TASK, "hint"),
    "comparison": (COMPARE_TASK, "table"),
    "opinion": (OPINION_TASK, "opinion"),
}
"""The message that asks for it, and what it calls the number."""


def overdue() -> dict[Kind, list[int]]:
    """What should have been done by now: its message, or its host, was lost."""
    return {
        "table": hosting.waiting_tables(),
        "hint": hints.waiting_hints(),
        "comparison": comparisons.waiting_tables(),
        "opinion": opinions.waiting_opinions(),
    }


def announce_work(kind: Kind, keys: Sequence[int]) -> int:
    """Send for a host for each of these; how many."""
    task, name = TASKS[kind]
    if keys:
        announce_many(task, [{name: key} for key in keys])
    return len(keys)
