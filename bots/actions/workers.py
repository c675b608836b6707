"""What workers report about their machines, and how they are told to take no more work."""

from __future__ import annotations

import logging
from datetime import timedelta
from importlib.metadata import version
from typing import Final

from django.db import transaction
from django.db.models.functions import Coalesce

from bots.models import WorkerNode
from bots.sandbox import Isolation
from cardroom_base.core import compiled
from cardroom_base.core.errors import ActionError
from cardroom_base.db import schema
from cardroom_base.db.db_time import Now, ahead_ms, now
from engine import rules

log = logging.getLogger(__name__)

_KEEP: Final = timedelta(days=1)


@transaction.atomic
def report_worker(name: str, isolation: Isolation, processes: int = 1) -> None:
    """A worker of this program is alive; it plays this many matches at a time, and its machine
    isolates bots like this.

    Workers not heard from for long are forgotten.
    """
    WorkerNode.objects.update_or_create(
        name=name,
        defaults={
            "seen": Now(),
            "clock_ms": ahead_ms(),
            "processes": processes,
            "level": isolation.level,
            "memory": isolation.memory,
            "layers": list(isolation.layers),
            "reason": isolation.reason,
            "version": version("cardroom"),
            "rules": rules.editions(),
            "engine": str(compiled.kind())[:300],
            "schema": schema.number(),
        },
    )
    WorkerNode.objects.filter(seen__lt=Now() - _KEEP).delete()


def forget_worker(name: str) -> None:
    """A worker has ended in good order; one that is started under its name takes work again."""
    WorkerNode.objects.filter(name=name).delete()


@transaction.atomic
def drain_worker(name: str, by: str) -> WorkerNode:
    """Tell a worker to take no more work, until it is resumed or ends in good order.

    It sees that within seconds, finishes what is short and gives back the rest. `by`: who wants
    it, for the log.
    """
    node = _known(name)
    if node.draining is None:
        node.draining = now()
        node.save(update_fields=["draining"])
        log.info("%s drains the worker %s.", by, name)
    return node


@transaction.atomic
def resume_worker(name: str, by: str) -> WorkerNode:
    """Have a drained worker take work again; `by`: who wants it, for the log."""
    node = _known(name)
    if node.draining is not None:
        node.draining = None
        node.save(update_fields=["draining"])
        log.info("%s resumes the worker %s.", by, name)
    return node


def told_to_drain(name: str) -> bool:
    """Whether this worker has been told to take no more work."""
    return WorkerNode.objects.filter(name=name, draining__isnull=False).exists()


def _known(name: str) -> WorkerNode:
    node = WorkerNode.objects.select_for_update().filter(name=name).first()
    if node is None:
        names = ", ".join(WorkerNode.objects.order_by("name").values_list("name", flat=True))
        raise ActionError(f"There is no worker {name}. Workers: {names or 'none'}.")
    return node


def report_trouble(name: str, cause: str) -> None:
    """A worker plays nothing now, and this is why (`bots.workers.health`)."""
    node = WorkerNode.objects.filter(name=name)
    node.update(trouble=cause, trouble_since=Coalesce("trouble_since", Now()))


def report_recovery(name: str) -> None:
    """A worker plays again, or has just started."""
    ill = WorkerNode.objects.filter(name=name).exclude(trouble="")
    ill.update(trouble="", trouble_since=None)
