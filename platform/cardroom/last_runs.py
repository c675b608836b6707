"""Remembers in the database when jobs of the housekeeper, dumps and backups last ended well.

Every process can then see whether the housekeeper, beat and the broker between them work.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from cardroom.models import LastRun
from cardroom_base.db.db_time import Now, now

RECORD_SECONDS: Final = 30.0
"""Interval at which a frequent job is recorded, so that an idle site writes little."""
SLACK_SECONDS: Final = 300.0
"""A job is late when its last end is this much longer ago than two of its intervals."""
DAY_SECONDS: Final = 86_400.0
BACKUP: Final = "backup"
DUMP: Final = "dump"

_recorded: dict[str, float] = {}


def record(job: str) -> None:
    """Record that this job has just ended well."""
    LastRun.objects.bulk_create(
        [LastRun(job=job, at=Now())],
        update_conflicts=True,
        unique_fields=["job"],
        update_fields=["at"],
    )


def record_often(job: str) -> None:
    """The same, for a job that this process does every few seconds."""
    if time.monotonic() - _recorded.get(job, -RECORD_SECONDS) >= RECORD_SECONDS:
        record(job)
        _recorded[job] = time.monotonic()


def moments() -> dict[str, datetime]:
    """When each job last ended well; a job that never did is missing."""
    return dict(LastRun.objects.values_list("job", "at"))


def intervals(schedule: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Seconds between two runs of each job of beat's schedule."""
    return {
        job: entry["schedule"] if isinstance(entry["schedule"], float) else DAY_SECONDS
        for job, entry in schedule.items()
    }


def late(schedule: Mapping[str, Mapping[str, Any]], moments: Mapping[str, datetime]) -> list[str]:
    """The jobs that should have run again long ago; one that never ran is not among them."""
    moment = now()
    return [
        job
        for job, seconds in intervals(schedule).items()
        if job in moments and moment - moments[job] > timedelta(seconds=2 * seconds + SLACK_SECONDS)
    ]
