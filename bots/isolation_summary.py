"""Summarize the isolation that workers report; a web server has no sandbox of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bots.models import WorkerNode
from cardroom_base.db.db_time import Now

RECENT: Final = timedelta(minutes=5)
"""Workers that have been silent for longer do not count; they report every minute."""


@dataclass(frozen=True, slots=True)
class WorkerGroup:
    """Some workers with the same isolation, engine and libraries.

    Most fields are those of `bots.sandbox.Isolation`.
    """

    workers: int
    """Number of processes of these workers; each plays one match at a time."""
    level: str
    memory: str
    layers: tuple[str, ...]
    engine: str
    """How these workers run the rules: `compiled` or `interpreted`; empty if unknown."""
    runtimes: dict[str, str]
    """The versions of their bots' languages and libraries, by name."""


def recent_workers() -> list[WorkerNode]:
    """The workers that reported recently, by name, with details that only staff should read."""
    return list(WorkerNode.objects.filter(seen__gte=Now() - RECENT).order_by("name"))


def summary(workers: list[WorkerNode]) -> list[WorkerGroup]:
    """The workers that take work, without names, grouped by isolation, engine and libraries; the
    weakest isolation first."""
    counts: Counter[tuple[str, str, tuple[str, ...], str, tuple[tuple[str, str], ...]]] = Counter()
    for node in accepting_workers(workers):
        engine, runtimes = node.engine.partition(" ")[0], tuple(sorted(node.runtimes.items()))
        counts[node.level, node.memory, tuple(node.layers), engine, runtimes] += node.processes
    groups = sorted(counts, key=lambda group: (group[0] == "full", *group[1:]))
    return [WorkerGroup(counts[group], *group[:4], dict(group[4])) for group in groups]


def accepting_workers(workers: Sequence[WorkerNode]) -> list[WorkerNode]:
    """The workers that take work."""
    return [node for node in workers if node.draining is None]


def healthy_isolated_workers() -> list[WorkerNode]:
    """The workers that can play uploaded bots now: isolated, not ill, not draining."""
    return [
        node
        for node in accepting_workers(recent_workers())
        if node.level == "full" and not node.trouble
    ]


def ill_workers(workers: Sequence[WorkerNode]) -> list[WorkerNode]:
    """The workers that are ill (`bots.workers.health`)."""
    return [node for node in workers if node.trouble]


def clock_remarks(workers: list[WorkerNode], *, named: bool) -> list[str]:
    """A sentence on each clock that is wrong; `named`: whether to name the workers."""
    wrong_nodes = [node for node in workers if node.clock_remark]
    return [f"{node.name if named else 'A worker'}: {node.clock_remark}" for node in wrong_nodes]


def process_count() -> int:
    """Number of processes of workers that take work."""
    return sum(node.processes for node in accepting_workers(recent_workers()))
