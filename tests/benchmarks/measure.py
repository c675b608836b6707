"""What all measurements share: a figure, a peer's figure, and the ratio of one run."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Ratio:
    """One line of the report: our figure over the peer's, measured in the same run."""

    what: str
    unit: str
    ours: float
    peer: float
    peer_name: str
    must: str
    """What the design asks for, in words."""

    @property
    def ratio(self) -> float:
        return self.ours / self.peer


def alternate(
    ours: Callable[[], float], peer: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Medians of both figures, measured in turns, so that a busy minute troubles both alike."""
    pairs = [(ours(), peer()) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start
