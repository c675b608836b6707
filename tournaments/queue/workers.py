"""The state of each worker, for staff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bots import isolation_summary
from bots.models import Check, WorkerNode
from tournaments.models import Attempt

State = Literal["ill", "draining", "drained", "at work", "idle"]


@dataclass(frozen=True, slots=True)
class UnfinishedWork:
    """A worker's unfinished work."""

    matches: int = 0
    checks: int = 0

    def __bool__(self) -> bool:
        return bool(self.matches or self.checks)

    @property
    def words(self) -> str:
        """`2 matches, 1 check`, or `nothing`."""
        counts = (self.matches, "match", "matches"), (self.checks, "check", "checks")
        parts = [
            f"{count} {singular if count == 1 else plural}"
            for count, singular, plural in counts
            if count
        ]
        return ", ".join(parts) or "nothing"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker and its work."""

    node: WorkerNode
    held: UnfinishedWork

    @property
    def state(self) -> State:
        """`drained`: it has seen the request to drain, and has no work left."""
        node = self.node
        if node.draining is not None:
            acknowledged = node.seen >= node.draining
            return "drained" if acknowledged and not self.held else "draining"
        if node.trouble:
            return "ill"
        return "at work" if self.held else "idle"


def workers(nodes: Sequence[WorkerNode] | None = None) -> list[Worker]:
    """The given workers, or all recent ones, with their unfinished work."""
    work = _work_by_worker()
    rows = isolation_summary.recent_workers() if nodes is None else nodes
    return [Worker(node, work.get(node.name, UnfinishedWork())) for node in rows]


def work_of(name: str) -> UnfinishedWork:
    """The unfinished work of the worker with this name."""
    return _work_by_worker().get(name, UnfinishedWork())


def _work_by_worker() -> dict[str, UnfinishedWork]:
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).order_by()
    processes = running.values_list("worker", flat=True)  # node/process
    matches = Counter(process.rpartition("/")[0] for process in processes)
    checking = Check.objects.filter(finished__isnull=True, lease_until__isnull=False)
    checks = Counter(checking.values_list("worker", flat=True))
    return {name: UnfinishedWork(matches[name], checks[name]) for name in {*matches, *checks}}
