"""Records when the housekeeper's tasks, the dumps and the backups last succeeded.

From these rows every process can see whether the housekeeper, beat and their broker work.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from cardroom.models import LastRun
from cardroom_base.db.db_time import Now, now

RECORD_SECONDS: Final = 30.0
"""Seconds between two records of a frequent task, so that an idle site writes little."""
SLACK_SECONDS: Final = 300.0
"""A task is late if its last success was more than two intervals plus this many seconds ago."""
DAY_SECONDS: Final = 86_400.0
BACKUP: Final = "backup"
DUMP: Final = "dump"

_last_records: dict[str, float] = {}


def record(task: str) -> None:
    """Record that this task has just succeeded."""
    LastRun.objects.bulk_create(
        [LastRun(job=task, at=Now())],
        update_conflicts=True,
        unique_fields=["job"],
        update_fields=["at"],
    )


def record_frequent(task: str) -> None:
    """Record a task that this process does every few seconds, but at most once every
    `RECORD_SECONDS`."""
    if time.monotonic() - _last_records.get(task, -RECORD_SECONDS) >= RECORD_SECONDS:
        record(task)
        _last_records[task] = time.monotonic()


def last_successes() -> dict[str, datetime]:
    """When each task last succeeded; a task that never did is missing."""
    return dict(LastRun.objects.values_list("job", "at"))


def intervals(schedule: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Seconds between two runs of each task of beat's schedule; a crontab counts as daily."""
    return {
        task: entry["schedule"] if isinstance(entry["schedule"], float) else DAY_SECONDS
        for task, entry in schedule.items()
    }


def late_tasks(
    schedule: Mapping[str, Mapping[str, Any]], last_successes: Mapping[str, datetime]
) -> list[str]:
    """The tasks that should have run again long ago, except tasks that never ran."""
    time_now = now()
    return [
        task
        for task, seconds in intervals(schedule).items()
        if task in last_successes
        and time_now - last_successes[task] > timedelta(seconds=2 * seconds + SLACK_SECONDS)
    ]
