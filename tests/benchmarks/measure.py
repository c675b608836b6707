"""Ratios between our figure and a peer's figure in one run."""

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
    """The requirement of the design, as text."""

    @property
    def ratio(self) -> float:
        return self.ours / self.peer


def alternate(
    ours: Callable[[], float], peer: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Medians of both figures, measured alternately, so that other load affects both equally."""
    pairs = [(ours(), peer()) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start
