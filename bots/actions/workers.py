"""What workers tell of the machines they run on."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from bots.models import WorkerNode
from bots.sandbox import Isolation

_KEEP: Final = timedelta(days=1)


@transaction.atomic
def report_worker(name: str, isolation: Isolation, processes: int = 1) -> None:
    """A worker lives, plays so many matches at a time, and its machine isolates bots like this.

    Those long unheard are forgotten.
    """
    now = timezone.now()
    WorkerNode.objects.update_or_create(
        name=name,
        defaults={
            "seen": now,
            "processes": processes,
            "level": isolation.level,
            "memory": isolation.memory,
            "layers": list(isolation.layers),
            "reason": isolation.reason,
        },
    )
    WorkerNode.objects.filter(seen__lt=now - _KEEP).delete()


def forget_worker(name: str) -> None:
    """A worker has ended in good order."""
    WorkerNode.objects.filter(name=name).delete()
