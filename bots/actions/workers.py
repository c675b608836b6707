"""Reports of workers about their machines, and requests to drain them."""

from __future__ import annotations

import logging
from datetime import timedelta
from importlib.metadata import version
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from bots.models import WorkerNode
from bots.sandbox import Isolation, libraries
from cardroom_base.core import compiled
from cardroom_base.core.errors import ActionError
from cardroom_base.db import schema_number
from cardroom_base.db.db_time import Now, ahead_ms, now
from cardroom_base.db.notifications import notify
from cardroom_base.models import Notification
from engine import rules

log = logging.getLogger(__name__)

_FORGET_AFTER: Final = timedelta(days=1)


@transaction.atomic
def report_worker(name: str, isolation: Isolation, processes: int = 1) -> None:
    """Store that a worker of this program is alive, and how its machine isolates bots.

    `processes`: number of matches that it plays at a time. Forgets workers that have been silent
    for a day.
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
            "runtimes": libraries.runtimes(),
            "engine": str(compiled.kind())[:300],
            "schema": schema_number.program_number(),
        },
    )
    silent = WorkerNode.objects.filter(seen__lt=Now() - _FORGET_AFTER)
    _end_incidents(silent)
    silent.delete()


@transaction.atomic
def forget_worker(name: str) -> None:
    """Forget a worker that has shut down; a new worker with the same name takes work again."""
    nodes = WorkerNode.objects.filter(name=name)
    _end_incidents(nodes)
    nodes.delete()


@transaction.atomic
def drain_worker(name: str, by: str) -> WorkerNode:
    """Ask a worker to take no more work, until it is resumed or shuts down.

    The worker notices within seconds, finishes short work and gives back the rest. `by`: the name
    for the log.
    """
    node = _require_worker(name)
    if node.draining is None:
        node.draining = now()
        node.save(update_fields=["draining"])
        log.info("%s drains the worker %s.", by, name)
    return node


@transaction.atomic
def resume_worker(name: str, by: str) -> WorkerNode:
    """Let a drained worker take work again; `by`: the name for the log."""
    node = _require_worker(name)
    if node.draining is not None:
        node.draining = None
        node.save(update_fields=["draining"])
        log.info("%s resumes the worker %s.", by, name)
    return node


def is_draining(name: str) -> bool:
    """Whether this worker is to take no more work."""
    return WorkerNode.objects.filter(name=name, draining__isnull=False).exists()


def _require_worker(name: str) -> WorkerNode:
    node = WorkerNode.objects.select_for_update().filter(name=name).first()
    if node is None:
        names = ", ".join(WorkerNode.objects.order_by("name").values_list("name", flat=True))
        raise ActionError(f"There is no worker {name}. Workers: {names or 'none'}.")
    return node


@transaction.atomic
def report_trouble(name: str, cause: str) -> None:
    """Store why a worker plays nothing now (`bots.workers.health`), and notify staff when the
    trouble begins."""
    node = WorkerNode.objects.select_for_update().filter(name=name).first()
    if node is None:
        return
    begins = node.trouble_since is None
    node.trouble, node.trouble_since = cause, node.trouble_since or now()
    node.save(update_fields=["trouble", "trouble_since"])
    if begins:
        notify((), Notification.Kind.UNHEALTHY, subject=node.incident, staff=True)


@transaction.atomic
def report_recovery(name: str) -> None:
    """Store that a worker plays again, or has just started."""
    nodes = WorkerNode.objects.filter(name=name).exclude(trouble="")
    _end_incidents(nodes)
    nodes.update(trouble="", trouble_since=None)


def _end_incidents(nodes: QuerySet[WorkerNode]) -> None:
    """Mark the notifications of these workers' troubles as read."""
    incidents = [node.incident for node in nodes.select_for_update() if node.incident]
    if incidents:
        kind = Notification.Kind.UNHEALTHY
        rows = Notification.objects.filter(kind=kind, subject__in=incidents, read__isnull=True)
        rows.update(read=Now())
