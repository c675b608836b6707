"""Estimate the slope of each format: how much a difference of strengths shows in its results.

In a match of four deals the better side wins more often than in a match of one. So strengths count
s_f times in results of format f, with log s_f ~ N(0, SLOPE_SD²). The unit is the standard match,
the format without options: its slope is 1. If a pool has several standard matches, the mean
logarithm of their slopes is 0; if it has none, that of all slopes is 0.

The slopes maximize the profile of the posterior. If a slope changes, the strengths react by H⁻¹b
and absorb a part of the change; a Newton step subtracts this part from the expected Hessian (Schur
complement). Through these reactions, the covariance of the slopes widens the ratings' intervals.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.information import InformationBuilder
from tournaments.ratings.linear_solver import Solver, traces
from tournaments.ratings.result_arrays import Floats, RatingTable

SLOPE_SD = 0.7
"""Standard deviation of the prior of a slope's logarithm."""

_FIXED = 1e8
"""Precision of the prior that fixes the unit."""

_MAX_STEP = 0.7
"""Maximum step of a logarithm."""


@dataclass(frozen=True, slots=True)
class SlopeStep:
    """A Newton step towards the best slopes."""

    slopes: Floats
    """[forms]: after the step."""

    length: float
    """The largest change of a logarithm in the step."""

    shift: Floats
    """[parameters]: the change of the strengths, to first order."""

    reactions: Floats
    """[forms, parameters]: RᵀR is the covariance that unknown slopes add to the strengths."""

    factor: Floats
    """[forms, forms]: FᵀF is the covariance of the slopes' logarithms; row i of `reactions` is the
    strengths' reaction to row i."""


def slope_bias(table: RatingTable, theta: Floats, solver: Solver) -> Floats:
    """[forms]: the expected derivative of the log-likelihood by the slopes' logarithms.

    Even at the true slopes it is not 0, because fitted strengths follow the prior: it is r times
    the leverage of the format's results, where r is the variance of strengths over that of their
    prior.
    """
    entrants, hessian = len(table.entrants), solver.matrix
    fitted = [InformationBuilder(table.jacobian, table.parameters) for _ in table.forms]
    for bucket, rows, part, counts in likelihood.weighted_derivatives(table, theta):
        information = part.cross * counts * hessian.weight
        likelihood.add_information(bucket, rows, information, fitted[bucket.form])
    leverage = traces(solver, [builder.build() for builder in fitted])
    ratio = float((hessian.precision * theta**2)[:entrants].mean())
    return leverage * min(ratio, 1.0)


def slope_step(table: RatingTable, theta: Floats, solver: Solver, bias: Floats) -> SlopeStep:
    """A step from the table's slopes; `solver`: of the Hessian at the mode `theta`."""
    forms = len(table.forms)
    terms = table.jacobian.terms(theta)
    score, curvature = -bias, np.zeros(forms)
    mixed = np.zeros((forms, table.parameters))
    for bucket in table.buckets:
        form, slope = bucket.form, float(table.slopes[bucket.form])
        for rows in likelihood.row_chunks(bucket):
            strength = slope * likelihood.strengths(bucket, terms, rows)
            part = likelihood.ranking_derivatives(bucket.tie_sizes, strength)
            counts = solver.matrix.weight * table.weights[form] * bucket.counts[rows]
            bend = np.zeros_like(strength)
            for value, (a, b) in zip(part.cross, likelihood.pairs(len(strength)), strict=True):
                difference = value * (strength[a] - strength[b])
                bend[a] += difference
                bend[b] -= difference
            score[form] += ((part.gradient * strength) @ counts).sum()
            curvature[form] += ((bend * strength) @ counts).sum()
            likelihood.add_gradient(bucket, rows, -slope * bend * counts, mixed[form])
    mixed = np.array([table.jacobian.gradient(row) for row in mixed])
    reactions = np.array([solver.solve(row) for row in mixed])
    logs, unit = np.log(table.slopes), _unit(table.forms)
    precision = np.eye(forms) / SLOPE_SD**2 + _FIXED * np.outer(unit, unit)
    covariance = np.linalg.inv(np.diag(curvature) - mixed @ reactions.T + precision)
    covariance = (covariance + covariance.T) / 2
    step = np.clip(covariance @ (score - precision @ logs), -_MAX_STEP, _MAX_STEP)
    factor = np.asarray(np.linalg.cholesky(covariance + 1e-12 * np.eye(forms)).T, np.float64)
    return SlopeStep(
        np.exp(logs + step), float(np.abs(step).max()), step @ reactions, factor @ reactions, factor
    )


def _unit(forms: tuple[str, ...]) -> Floats:
    """[forms]: the weights of the logarithms in the mean that is 0."""
    standard = np.array(["?" not in form for form in forms])
    weights = standard if standard.any() else np.ones(len(forms))
    return np.asarray(weights / weights.sum(), dtype=np.float64)
