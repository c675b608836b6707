"""Records when jobs of the housekeeper, dumps and backups last ended well.

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
"""Seconds between two records of a frequent job, so that an idle site writes little."""
SLACK_SECONDS: Final = 300.0
"""A job is late if it last ended longer ago than two of its intervals and these seconds."""
DAY_SECONDS: Final = 86_400.0
BACKUP: Final = "backup"
DUMP: Final = "dump"

_last_records: dict[str, float] = {}


def record(job: str) -> None:
    """Record that this job has just ended well."""
    LastRun.objects.bulk_create(
        [LastRun(job=job, at=Now())],
        update_conflicts=True,
        unique_fields=["job"],
        update_fields=["at"],
    )


def record_frequent(job: str) -> None:
    """Record a job that this process does every few seconds, once in `RECORD_SECONDS`."""
    if time.monotonic() - _last_records.get(job, -RECORD_SECONDS) >= RECORD_SECONDS:
        record(job)
        _last_records[job] = time.monotonic()


def last_ends() -> dict[str, datetime]:
    """When each job last ended well; a job that never did is missing."""
    return dict(LastRun.objects.values_list("job", "at"))


def intervals(schedule: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Seconds between two runs of each job of beat's schedule."""
    return {
        job: entry["schedule"] if isinstance(entry["schedule"], float) else DAY_SECONDS
        for job, entry in schedule.items()
    }


def late_jobs(
    schedule: Mapping[str, Mapping[str, Any]], last_ends: Mapping[str, datetime]
) -> list[str]:
    """The jobs that should have run again long ago, except jobs that never ran."""
    time_now = now()
    return [
        job
        for job, seconds in intervals(schedule).items()
        if job in last_ends
        and time_now - last_ends[job] > timedelta(seconds=2 * seconds + SLACK_SECONDS)
    ]
