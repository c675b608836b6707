"""Leased work: a row is a job, and one worker at a time holds it.

A job waits from `not_before` on. A worker takes it and holds it until `lease_until`, which it moves
on with `renew`. In the end it finishes the job, fails it for good, has it tried again later, or
gives it back. Each of these writes only while the worker still holds the job, and returns whether
it did, so a worker that lost its lease changes nothing. A message only announces work: a job that
nobody took in time, or whose worker is gone, is `overdue`, and the sweep announces it again.
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


class JobQuerySet(models.QuerySet[J]):
    """Jobs of one kind."""

    def free(self, seconds: float = 0) -> Self:
        """Jobs to be taken: they have waited for `seconds`, or their lease has run out."""
        waits = Q(lease_until=None, not_before__lte=Now(-seconds))
        return self.filter(waits | Q(lease_until__lte=Now()), finished=None)

    def overdue(self, seconds: float, limit: int) -> list[int]:
        """Primary keys of free jobs (see `free`), the oldest first."""
        rows = self.free(seconds).order_by("not_before", "pk")
        return list(rows.values_list("pk", flat=True)[:limit])

    @transaction.atomic
    def take(self, worker: str = "", pk: int | None = None) -> J | None:
        """Hold the first free job, or the one with this primary key; None if there is none.

        `worker`: by default the name of this thread. Jobs that others are just taking are passed
        over, unless a key says which one is meant.
        """
        rows = self.free()
        if pk is None:
            rows = rows.select_for_update(of=("self",), skip_locked=True)
        else:
            rows = rows.filter(pk=pk).select_for_update(of=("self",))
        job = rows.first()
        if job is None:
            return None
        job.worker = worker or own_name()
        job.token += 1
        job.tries += 1
        job.lease_until = job.lease()
        job.save(update_fields=["worker", "token", "tries", "lease_until"])
        return job


class Job(models.Model):
    """What every kind of leased work has."""

    LEASE_SECONDS: ClassVar[float | None] = None
    """None: as the settings have it."""

    worker = models.CharField(max_length=200, blank=True)
    """Who took it last."""
    token = models.PositiveIntegerField(default=0)
    """Raised each time that it is taken: an older one proves nothing."""
    tries = models.PositiveSmallIntegerField(default=0)
    """How often it was begun without coming further."""
    not_before = models.DateTimeField(db_default=Now())
    """It waits since then, or rests until then."""
    lease_until = models.DateTimeField(null=True, blank=True)
    """Until when its worker holds it; null: nobody does."""
    finished = models.DateTimeField(null=True, blank=True)
    """Null: it waits, or is being done."""
    trouble = models.TextField(blank=True)
    """Why it failed, for people; empty if it did not."""

    objects = JobQuerySet.as_manager()

    class Meta:
        abstract = True
        indexes = [
            models.Index(fields=("not_before",), name="%(class)s_free", condition=Q(finished=None))
        ]

    @classmethod
    def lease(cls) -> Now:
        """The end of a lease that is taken or renewed now, in a query."""
        return Now(cls.LEASE_SECONDS or settings.LEASE_SECONDS)

    def held(self) -> JobQuerySet[Any]:
        """The row of this job, if its worker still holds it."""
        row = type(self).objects.filter(pk=self.pk, worker=self.worker, token=self.token)
        return row.filter(finished=None).exclude(lease_until=None)

    def renew(self, **fields: Any) -> bool:
        """Hold it for longer."""
        return bool(self.held().update(**fields, lease_until=self.lease()))

    def finish(self, **fields: Any) -> bool:
        """It is done; `fields`: what came of it."""
        return bool(self.held().update(**fields, lease_until=None, finished=Now()))

    def fail(self, trouble: str, **fields: Any) -> bool:
        """It cannot be done at all."""
        return self.finish(**fields, trouble=trouble[:2000])

    def retry(self, **fields: Any) -> bool:
        """It cannot be done now: it rests, longer each time."""
        later = Now(backoff.delay(self.tries).total_seconds())
        return bool(self.held().update(**fields, lease_until=None, not_before=later))

    def give_back(self, **fields: Any) -> bool:
        """Others may take it now, and this was no try."""
        fields = {"tries": self.tries - 1, **fields}
        return bool(self.held().update(**fields, lease_until=None, not_before=Now()))


ANEW: Final[dict[str, Any]] = {
    "tries": 0,
    "not_before": Now(),
    "lease_until": None,
    "finished": None,
    "trouble": "",
}
"""The fields of a job that is to be done once more; its token stays, so an earlier worker cannot
write."""


def own_name() -> str:
    """Of this thread, as leases have it."""
    return f"{socket.gethostname()}/{os.getpid()}/{threading.get_ident()}"


def release_dead(rows: models.QuerySet[Any], machine: str, alive: Callable[[str], bool]) -> int:
    """Free what processes of this machine held that have died; how many rows.

    `alive` gets a process's number and returns whether it lives.
    """
    held = rows.filter(lease_until__isnull=False, worker__startswith=f"{machine}/")
    workers = held.values_list("worker", flat=True).distinct().order_by("worker")
    dead = [name for name in workers if not alive(name.split("/")[1])]
    return held.filter(worker__in=dead).update(lease_until=None)
