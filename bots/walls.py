"""Which walls the site's bots stand behind, as the workers tell; a web server knows of none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.utils import timezone

from bots.models import WorkerNode

HEARD: Final = timedelta(minutes=5)
"""A worker that has been silent for longer is not counted; it tells every minute."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What some workers have in common. The fields are those of `bots.sandbox.Isolation`."""

    workers: int
    """Their processes, each of which plays a match at a time."""

    level: str
    memory: str
    layers: tuple[str, ...]


def nodes() -> list[WorkerNode]:
    """The workers that were heard of lately, by name; with what only the staff should read."""
    return list(WorkerNode.objects.filter(seen__gte=timezone.now() - HEARD).order_by("name"))


def summary(heard: list[WorkerNode]) -> list[Walls]:
    """The same without names and reasons: how many have which walls, the weakest first."""
    counts: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for node in heard:
        counts[node.level, node.memory, tuple(node.layers)] += node.processes
    found = [Walls(count, *walls) for walls, count in counts.items()]
    return sorted(found, key=lambda each: (each.level == "full", each.memory, each.layers))


def workers() -> int:
    """How many worker processes there are, as far as heard of lately."""
    return sum(node.processes for node in nodes())
