"""Find the maximum of the posterior."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.information import Information
from tournaments.ratings.linear_solver import Hessian, Solver
from tournaments.ratings.subsampling import subsample
from tournaments.ratings.table import Floats, RatingTable

_MAX_STEPS = 100
"""Maximum number of steps; the problem is concave, so a dozen suffice."""

TOLERANCE = 1e-11
"""A step below this, in natural units of θ, ends the search."""

_NEAR = 0.1
"""Steps below this need no line search and no new Hessian."""

_SAME = 0.01
"""Over this distance, two Elo points, intervals change by at most half a per cent."""

_ARMIJO = 1e-4
"""The share of the gain predicted by the gradient that a step must reach."""

_SHORTEST = 1e-6
"""The shortest step of the line search."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The maximum of a posterior."""

    theta: Floats
    value: float
    """The log posterior there, up to a constant."""

    information: Information
    """Minus the Hessian of the log-likelihood there or very near, without the common weight."""

    table: RatingTable

    def hessian(self, weight: float, precision: Floats) -> Hessian:
        """Minus the Hessian of the log posterior."""
        return Hessian(self.information, weight, precision)


def find_mode(
    table: RatingTable,
    weight: float,
    precision: Floats,
    *,
    near: Mode | None = None,
    solver: Solver | None = None,
    tolerance: float = TOLERANCE,
) -> Mode:
    """The unique maximum, by Newton's method with line search, and near it by the chord method.

    Slopes and weights of formats are the table's. The likelihood counts `weight` times; `precision`
    is the prior's, by parameter. `near`: the maximum for other weights, slopes or another prior,
    where the search begins with its information matrix, or with a `solver` for nearly the same.
    Without it, large tables begin at the maximum of a subsample. The search ends with a step
    shorter than `tolerance`.
    """
    if near is None:
        theta = _first_guess(table, weight, precision)
        start, information, solver = _newton(table, theta, weight, precision)
    else:
        start, information = near.theta, near.information
        if near.table is not table and solver is None:  # its slopes or weights are others
            information = likelihood.derivatives(table, start)[2]
    chord = solver or Solver.factorize(Hessian(information, weight, precision))
    theta, value = _chord(table, start, chord, tolerance)
    if np.abs(theta - start).max() > _SAME or (solver and near and near.table is not table):
        information = likelihood.derivatives(table, theta)[2]
    return Mode(theta, value, information, table)


def _first_guess(table: RatingTable, weight: float, precision: Floats) -> Floats:
    """The maximum of a subsample, or 0."""
    sample = subsample(table)
    if sample is table:
        return np.zeros(table.parameters)
    share = _rows(table) / _rows(sample)
    return find_mode(sample, weight * share, precision, tolerance=_NEAR).theta


def _newton(
    table: RatingTable, theta: Floats, weight: float, precision: Floats
) -> tuple[Floats, Information, Solver]:
    """(a point near the maximum, the information there, a solver with the posterior's Hessian)."""
    value, gradient, information = likelihood.derivatives(table, theta)
    for _ in range(_MAX_STEPS):
        ascent = weight * gradient - precision * theta
        solver = Solver.factorize(Hessian(information, weight, precision))
        step = solver.solve(ascent)
        if np.abs(step).max() < _NEAR:
            break
        gain, length = float(ascent @ step), 1.0
        before = weight * value - _penalty(precision, theta)
        while True:
            trial = theta + length * step
            value, gradient, information = likelihood.derivatives(table, trial)
            after = weight * value - _penalty(precision, trial)
            if after >= before + _ARMIJO * length * gain or length < _SHORTEST:
                break
            length /= 2
        theta = trial
    return theta, information, solver


def _chord(
    table: RatingTable, theta: Floats, solver: Solver, tolerance: float
) -> tuple[Floats, float]:
    """(the maximum, its value) from a point near it.

    Newton's method with one Hessian for all steps; it is recomputed once if they shrink slowly.
    """
    weight, precision = solver.matrix.weight, solver.matrix.precision
    last, fresh = np.inf, False
    for _ in range(_MAX_STEPS):
        value, gradient = likelihood.value_and_gradient(table, theta)
        step = solver.solve(weight * gradient - precision * theta)
        size = np.abs(step).max()
        if size > last / 2 and size > tolerance:
            if fresh:
                break  # only rounding errors remain
            fresh = True
            information = likelihood.derivatives(table, theta)[2]
            solver = Solver.factorize(Hessian(information, weight, precision))
            step = solver.solve(weight * gradient - precision * theta)
        last = size
        theta = theta + step
        if size < tolerance:
            break
    return theta, weight * value - _penalty(precision, theta)


def _penalty(precision: Floats, theta: Floats) -> float:
    return float(precision @ theta**2) / 2


def _rows(table: RatingTable) -> int:
    return sum(len(bucket.counts) for bucket in table.buckets)
