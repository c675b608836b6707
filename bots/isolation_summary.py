"""Which walls the site's bots stand behind, as the workers tell; a web server knows of none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bots.models import WorkerNode
from cardroom_base.db.db_time import Now

HEARD: Final = timedelta(minutes=5)
"""A worker that has been silent for longer is not counted; it tells every minute."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What some workers have in common. Most fields are those of `bots.sandbox.Isolation`."""

    workers: int
    """Their processes, each of which plays a match at a time."""

    level: str
    memory: str
    layers: tuple[str, ...]
    engine: str
    """`compiled` or `interpreted`: how the rules run there; empty: they have not said."""


def nodes() -> list[WorkerNode]:
    """The workers that were heard of lately, by name; with what only the staff should read."""
    return list(WorkerNode.objects.filter(seen__gte=Now() - HEARD).order_by("name"))


def summary(heard: list[WorkerNode]) -> list[Walls]:
    """The same without names and reasons: how many have which walls, the weakest first.

    Workers that take no work are left out.
    """
    counts: Counter[tuple[str, str, tuple[str, ...], str]] = Counter()
    for node in able(heard):
        engine = node.engine.partition(" ")[0]
        counts[node.level, node.memory, tuple(node.layers), engine] += node.processes
    groups = [Walls(count, *walls) for walls, count in counts.items()]
    return sorted(
        groups, key=lambda group: (group.level == "full", group.memory, group.layers, group.engine)
    )


def able(heard: Sequence[WorkerNode]) -> list[WorkerNode]:
    """Those of them that take work."""
    return [node for node in heard if node.draining is None]


def well() -> list[WorkerNode]:
    """Those of them that play strangers' bots now: isolated, not ill, not told to take no more."""
    return [node for node in able(nodes()) if node.level == "full" and not node.trouble]


def ill(heard: Sequence[WorkerNode]) -> list[WorkerNode]:
    """Those of them that play nothing now because they found that they cannot."""
    return [node for node in heard if node.trouble]


def clocks(heard: list[WorkerNode], *, named: bool) -> list[str]:
    """What is to be said of these workers' clocks, a sentence each; `named`: with their names."""
    wrong = [node for node in heard if node.clock_remark]
    return [f"{node.name if named else 'A worker'}: {node.clock_remark}" for node in wrong]


def workers() -> int:
    """How many worker processes take work, as far as heard of lately."""
    return sum(node.processes for node in able(nodes()))
