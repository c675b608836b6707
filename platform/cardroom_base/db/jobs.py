"""Leased work: each row is a job that one worker at a time holds.

A job waits from `not_before`. A worker takes it and holds it until `lease_until`, which `renew`
extends. Finally the worker finishes the job, fails it for good, has it retried later, or gives it
back. These methods write only while the worker holds the job, and return whether they did, so a
worker that lost its lease changes nothing. A message only announces work: the sweep announces a job
again (`overdue`) if nobody took it in time or its lease expired.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from typing import Any, ClassVar, Final, Self, TypeVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q

from cardroom_base.core import backoff
from cardroom_base.db.db_time import Now

J = TypeVar("J", bound="Job")


class LeaseLost(Exception):  # noqa: N818 - not this worker's error
    """The lease ended before the work was done, so another worker may take the job."""


class JobQuerySet(models.QuerySet[J]):
    """Jobs of one kind."""

    def free(self, seconds: float = 0) -> Self:
        """Jobs that a worker may take: they have waited for `seconds`, or lost their lease."""
        waits = Q(lease_until=None, not_before__lte=Now(-seconds))
        return self.filter(waits | Q(lease_until__lte=Now()), finished=None)

    def overdue(self, seconds: float, limit: int) -> list[int]:
        """Primary keys of free jobs (see `free`), the oldest first."""
        rows = self.free(seconds).order_by("not_before", "pk")
        return list(rows.values_list("pk", flat=True)[:limit])

    @transaction.atomic
    def take(self, worker: str = "", pk: int | None = None) -> J | None:
        """Take the first free job, or the one with this primary key; None if no such job is free.

        `worker` is by default the name of this thread. Without a key, jobs that another worker is
        taking are skipped.
        """
        rows = self.free()
        if pk is None:
            rows = rows.select_for_update(of=("self",), skip_locked=True)
        else:
            rows = rows.filter(pk=pk).select_for_update(of=("self",))
        job = rows.first()
        if job is None:
            return None
        job.worker = worker or thread_name()
        job.token += 1
        job.tries += 1
        job.lease_until = job.lease_end()
        job.save(update_fields=["worker", "token", "tries", "lease_until"])
        return job


class Job(models.Model):
    """Fields and transitions of every kind of leased work."""

    LEASE_SECONDS: ClassVar[float | None] = None
    """Duration of a lease; None if the site's setting applies."""

    worker = models.CharField(max_length=200, blank=True)
    """The worker that took the job last."""
    token = models.PositiveIntegerField(default=0)
    """Each `take` increments it; a write with an older token has no effect."""
    tries = models.PositiveSmallIntegerField(default=0)
    """Attempts that began but made no progress."""
    not_before = models.DateTimeField(db_default=Now())
    """No worker may take the job earlier."""
    lease_until = models.DateTimeField(null=True, blank=True)
    """The end of the lease; null if no worker holds the job."""
    finished = models.DateTimeField(null=True, blank=True)
    """When the job was done or failed for good; null while it waits or runs."""
    trouble = models.TextField(blank=True)
    """Why the job failed, for people to read; empty if it has not."""

    objects = JobQuerySet.as_manager()

    class Meta:
        abstract = True
        indexes = [
            models.Index(fields=("not_before",), name="%(class)s_free", condition=Q(finished=None))
        ]

    @classmethod
    def lease_end(cls) -> Now:
        """The end of a lease that starts now, for a query."""
        return Now(cls.LEASE_SECONDS or settings.LEASE_SECONDS)

    def held_row(self) -> JobQuerySet[Any]:
        """This job's row, if its worker still holds it."""
        row = type(self).objects.filter(pk=self.pk, worker=self.worker, token=self.token)
        return row.filter(finished=None).exclude(lease_until=None)

    def renew(self, **fields: Any) -> bool:
        """Extend the lease."""
        return bool(self.held_row().update(**fields, lease_until=self.lease_end()))

    def finish(self, **fields: Any) -> bool:
        """Mark the job done; `fields` hold its outcome."""
        return bool(self.held_row().update(**fields, lease_until=None, finished=Now()))

    def fail(self, trouble: str, **fields: Any) -> bool:
        """Mark the job failed for good."""
        return self.finish(**fields, trouble=trouble[:2000])

    def retry(self, **fields: Any) -> bool:
        """Release the job for another attempt at `not_before`, by default after a delay that grows
        with each failure."""
        fields.setdefault("not_before", Now(backoff.delay(self.tries).total_seconds()))
        return bool(self.held_row().update(**fields, lease_until=None))

    def give_back(self, **fields: Any) -> bool:
        """Release the job immediately; this does not count as an attempt."""
        fields = {"tries": self.tries - 1, **fields}
        return bool(self.held_row().update(**fields, lease_until=None, not_before=Now()))


REQUEUE_FIELDS: Final[dict[str, Any]] = {
    "tries": 0,
    "not_before": Now(),
    "lease_until": None,
    "finished": None,
    "trouble": "",
}
"""Fields that make a job wait again. The token is not reset: the next `take` gives the job a number
that no earlier worker has."""


def thread_name() -> str:
    """The name of this thread in leases."""
    return f"{socket.gethostname()}/{os.getpid()}/{threading.get_ident()}"


def release_jobs_of_dead(
    rows: models.QuerySet[Any], machine: str, is_alive: Callable[[str], bool]
) -> int:
    """Release the jobs that dead processes of this machine hold; return their number.

    `is_alive` receives a process ID, as text, and returns whether that process runs.
    """
    leased = rows.filter(lease_until__isnull=False, worker__startswith=f"{machine}/")
    workers = leased.values_list("worker", flat=True).distinct().order_by("worker")
    dead_workers = [name for name in workers if not is_alive(name.split("/")[1])]
    return leased.filter(worker__in=dead_workers).update(lease_until=None)
