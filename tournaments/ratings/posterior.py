"""The maximum of the posterior."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.curvature import Curvature
from tournaments.ratings.sampling import sampled
from tournaments.ratings.solving import Hessian, Solver
from tournaments.ratings.table import Floats, Table

_MAX_STEPS = 100
"""Steps at most; concave as the problem is, a dozen do."""

CLOSE = 1e-11
"""Steps below this, in natural units of θ, end the search: far less than any digit shown."""

_NEAR = 0.1
"""A step below this needs no line search, and the curvature before it is good enough for more."""

_SAME = 0.01
"""Over such a way the curvature stays the same for all that intervals show."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The maximum of a posterior."""

    theta: Floats
    value: float
    """The log posterior there, up to a constant."""

    curvature: Curvature
    """Minus the Hessian of the log-likelihood there, not weighted."""

    def hessian(self, weight: float, precision: Floats) -> Hessian:
        """Minus the Hessian of the log posterior."""
        return Hessian(self.curvature, weight, precision)


def maximum(
    table: Table,
    weight: float,
    precision: Floats,
    start: Peak | None = None,
    close: float = CLOSE,
) -> Peak:
    """The one maximum, by Newton with line search until it is near, then with curvature kept.

    The likelihood counts `weight` times; `precision` is the prior's, by parameter. `start` is a
    maximum for another weight or prior. Large tables start from that of a sample of theirs. The
    search ends with a step shorter than `close`.
    """
    theta = np.zeros(table.parameters)
    curvature = None
    if start is not None:
        theta, curvature = start.theta, start.curvature
    elif (sample := sampled(table)) is not table:
        share = _rows(table) / _rows(sample)
        theta = maximum(sample, weight * share, precision, close=_NEAR).theta
    if curvature is None:
        theta, curvature = _approach(table, theta, weight, precision)
    origin = theta
    theta, value = _settle(table, theta, curvature, weight, precision, close)
    if np.abs(theta - origin).max() > _SAME:
        curvature = likelihood.total(table, theta)[2]
    return Peak(theta, value, curvature)


def _approach(
    table: Table, theta: Floats, weight: float, precision: Floats
) -> tuple[Floats, Curvature]:
    """(a place near the maximum, minus the Hessian of the log-likelihood there)."""
    value, gradient, curvature = likelihood.total(table, theta)
    for _ in range(_MAX_STEPS):
        slope = weight * gradient - precision * theta
        step = Solver.of(Hessian(curvature, weight, precision)).solve(slope)
        if np.abs(step).max() < _NEAR:
            break
        gain, length = float(slope @ step), 1.0
        before = weight * value - _penalty(precision, theta)
        while True:
            trial = theta + length * step
            value, gradient, curvature = likelihood.total(table, trial)
            after = weight * value - _penalty(precision, trial)
            if after >= before + 1e-4 * length * gain or length < 1e-6:
                break
            length /= 2
        theta = trial
    return theta, curvature


def _settle(
    table: Table,
    theta: Floats,
    curvature: Curvature,
    weight: float,
    precision: Floats,
    close: float,
) -> tuple[Floats, float]:
    """(the maximum, its value) from a place near it; the curvature is taken anew if that helps."""
    solver = Solver.of(Hessian(curvature, weight, precision))
    last, fresh = np.inf, False
    for _ in range(_MAX_STEPS):
        value, gradient = likelihood.slope(table, theta)
        step = solver.solve(weight * gradient - precision * theta)
        size = np.abs(step).max()
        if size > last / 2 and size > close:
            if fresh:
                break  # what is left is rounding
            fresh = True
            curvature = likelihood.total(table, theta)[2]
            solver = Solver.of(Hessian(curvature, weight, precision))
            step = solver.solve(weight * gradient - precision * theta)
        last = size
        theta = theta + step
        if size < close:
            break
    return theta, weight * value - _penalty(precision, theta)


def _penalty(precision: Floats, theta: Floats) -> float:
    return float(precision @ theta**2) / 2


def _rows(table: Table) -> int:
    return sum(len(bucket.counts) for bucket in table.buckets)
