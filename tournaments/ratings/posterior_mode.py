"""Find the maximum of the posterior."""

from dataclasses import dataclass, replace

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.linear_solver import Hessian, Solver
from tournaments.ratings.result_arrays import Floats, RatingTable
from tournaments.ratings.subsampling import subsample

_MAX_STEPS = 100
"""Maximum number of steps; the problem is concave, so a dozen suffice."""

TOLERANCE = 1e-9
"""A step below this, in natural units of θ, ends the search: two ten-millionths of an Elo point."""

_NEAR = 0.1
"""Steps below this need no line search and no new Hessian."""

_SAME = 0.01
"""The Hessians at two points closer than this (two Elo points) give nearly equal intervals: they
differ by at most half a per cent."""

_CLOSE = 1e-3
"""After a step below this, the Hessian at the new point is as good as that at the maximum."""

_ARMIJO = 1e-4
"""A step must gain at least this share of what the gradient predicts."""

_MANY = 1 << 17
"""Tables with more distinct results begin at the maximum of a subsample."""

_SHORTEST = 1e-6
"""The shortest step of the line search."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The maximum of a posterior."""

    theta: Floats
    value: float
    """The log posterior at `theta`, up to a constant and the effect of the last step."""

    table: RatingTable

    near: Solver
    """A solver whose matrix holds the information matrix of the likelihood, computed at `theta` or
    very near it."""

    def hessian(self, weight: float, precision: Floats) -> Hessian:
        """Minus the Hessian of the log posterior, for any weight and prior."""
        return Hessian(self.near.matrix.information, weight, precision)

    def solver(self, weight: float, precision: Floats) -> Solver:
        """A solver for this Hessian."""
        return self.near.with_matrix(self.hessian(weight, precision))

    def refactorized(self, weight: float, precision: Floats) -> "Mode":
        """A copy with a new preconditioner, which pays before many systems with this Hessian or
        similar ones are solved."""
        return replace(self, near=Solver.factorize(self.hessian(weight, precision)))


def find_mode(
    table: RatingTable,
    weight: float,
    precision: Floats,
    *,
    near: Mode | None = None,
    tolerance: float = TOLERANCE,
) -> Mode:
    """The unique maximum, by Newton's method with line search, and near it by the chord method.

    The table holds the slope and the weight of each format. `weight` multiplies the log likelihood,
    and `precision` is the precision of the prior for each parameter. `near` is a mode found with
    other weights, slopes or another prior: the search begins at its `theta`, with its information
    matrix. Without it, the search in a large table begins at the maximum of a subsample. The search
    ends with a step shorter than `tolerance`, or when only rounding errors remain.
    """
    if near is not None:
        start = near.theta if near.table is table else None
        return _chord(table, start, near.theta, near.solver(weight, precision), tolerance)
    theta = np.zeros(table.parameters)
    if _rows(table) > _MANY:
        _, theta, _ = _newton(subsample(table), theta, weight, precision)
    return _chord(table, *_newton(table, theta, weight, precision), tolerance)


def _newton(
    table: RatingTable, theta: Floats, weight: float, precision: Floats
) -> tuple[Floats, Floats, Solver]:
    """(a point near the maximum, the point after one more step, a solver with the information)."""
    value, gradient, information = likelihood.derivatives(table, theta)
    solver = Solver.factorize(Hessian(information, weight, precision))
    for _ in range(_MAX_STEPS):
        ascent = weight * gradient - precision * theta
        solver = solver.with_matrix(Hessian(information, weight, precision))
        step = solver.solve(ascent)
        if np.abs(step).max() < _NEAR:
            break
        gain, length = float(ascent @ step), 1.0
        last_value = weight * value - _penalty(precision, theta)
        while True:
            trial = theta + length * step
            value, gradient, information = likelihood.derivatives(table, trial)
            value_after = weight * value - _penalty(precision, trial)
            if value_after >= last_value + _ARMIJO * length * gain or length < _SHORTEST:
                break
            length /= 2
        theta = trial
    return theta, theta + step, solver


def _chord(
    table: RatingTable, start: Floats | None, theta: Floats, solver: Solver, tolerance: float
) -> Mode:
    """The maximum, from a point near it: Newton's method with one Hessian for several steps.

    `start` is the point at which the solver's information was computed; None if it was computed for
    another table. The function computes the information again if the steps shrink slowly, and close
    to the maximum if that is far from `start`.
    """
    weight, precision = solver.matrix.weight, solver.matrix.precision
    last_size, recompute = np.inf, False
    for _ in range(_MAX_STEPS):
        if recompute:
            value, gradient, information = likelihood.derivatives(table, theta)
            start, solver = theta, solver.with_matrix(Hessian(information, weight, precision))
        else:
            value, gradient = likelihood.value_and_gradient(table, theta)
        step = solver.solve(weight * gradient - precision * theta)
        size = float(np.abs(step).max())
        if size > last_size / 2 and size > tolerance:
            if not recompute:
                recompute = True
                continue
            if size < _CLOSE:
                break  # only rounding errors remain
        theta, last_size = theta + step, size
        is_far = start is None or np.abs(theta - start).max() > _SAME
        recompute = is_far and size < _CLOSE
        if size < tolerance:
            break
    if recompute:
        information = likelihood.derivatives(table, theta)[2]
        solver = solver.with_matrix(Hessian(information, weight, precision))
    return Mode(theta, weight * value - _penalty(precision, theta), table, solver)


def _penalty(precision: Floats, theta: Floats) -> float:
    return float(precision @ theta**2) / 2


def _rows(table: RatingTable) -> int:
    return sum(len(bucket.counts) for bucket in table.buckets)
