"""Estimate the dispersion: the variance of deal groups relative to independent matches.

Matches of a group share cards, so they are less informative than independent matches, or more,
because rotations cancel luck; ties also vary less than coin tosses. The dispersion of a format is
the sum of the squares of its groups' scores, divided by that expected of independent matches
without ties, less the leverage of the fitted parameters (Pearson's estimate for a quasi-likelihood,
Wedderburn 1974; McCullagh & Nelder 1989, ch. 9, with groups as the clusters of Liang & Zeger 1986).
The common one starts from 1 with the weight of `PRIOR_GROUPS` groups, a format's from the common
one. The likelihood of a format is divided by its dispersion.

The prior pulls strengths to their average, where results seem to vary more than they do. So scores
are those of the strengths without this pull, to first order: θ + H⁻¹ P θ.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.coupling import sum_by_place
from tournaments.ratings.information import InformationBuilder
from tournaments.ratings.linear_solver import Solver, traces
from tournaments.ratings.result_arrays import Floats, Ints, RatingTable
from tournaments.ratings.subsampling import stride

PRIOR_GROUPS = 20
"""The weight, in deal groups, of the dispersion from which an estimate starts."""

_MIN_WEIGHT = 2.0
"""The minimum of this weight as information: that of four even matches of two sides. Groups with a
nearly certain outcome have hardly any, so 20 of them would not keep an estimate off 0."""


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Above 1 if groups vary more than independent matches without ties."""

    common: float
    by_form: Floats
    """[forms]"""


def dispersion(table: RatingTable, theta: Floats, solver: Solver) -> Dispersion:
    """The dispersion of all results and of each format.

    Measured on the entrants' gradients (scores). `solver`: of minus the log posterior's
    Hessian at its maximum `theta`.
    """
    pull = np.where(
        np.arange(len(theta)) < len(table.entrants), solver.matrix.precision * theta, 0.0
    )
    terms = table.jacobian.terms(theta + solver.solve(pull))
    squared_shares = (table.jacobian.loadings()[1] ** 2).sum(axis=1)
    lengths, form_of = np.zeros(table.groups), np.zeros(table.groups, dtype=np.int64)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
        form_of[bucket.group_of] = bucket.form
    information = np.zeros(len(table.forms))
    builders = [InformationBuilder(table.jacobian, table.parameters) for _ in table.forms]
    gradients = []
    for bucket in table.buckets:
        # The leverage of a group is that of all its matches together.
        length = np.bincount(bucket.row_of, lengths[bucket.group_of], minlength=len(bucket.counts))
        row_gradients = np.empty((len(bucket.members), len(bucket.counts)))
        for rows in likelihood.row_chunks(bucket):
            slope = float(table.slopes[bucket.form])
            derivatives = likelihood.row_derivatives(bucket, terms, rows, slope)
            row_gradients[:, rows] = derivatives.gradient
            players = bucket.members[:, : bucket.depth, rows]
            weights = bucket.weights[:, : bucket.depth, rows]
            own_variances = (squared_shares[players] * weights**2).sum(axis=1)
            diagonal = _diagonal(derivatives.cross, len(own_variances))
            leverages = (diagonal * own_variances).sum(axis=0)
            information[bucket.form] += float(leverages @ bucket.counts[rows])
            step = stride(bucket)
            sample, sample_lengths = slice(rows.start, rows.stop, step), length[rows]
            times = sample_lengths[::step] * (sample_lengths.sum() / sample_lengths[::step].sum())
            pairs = _propagated_information(derivatives.cross[:, ::step], own_variances[:, ::step])
            likelihood.add_information(bucket, sample, pairs * times, builders[bucket.form])
        gradients.append(row_gradients)
    squares = group_squares(table, gradients)
    leverage = traces(solver, [builder.build() for builder in builders])
    return _estimates(squares, information, leverage, np.bincount(form_of))


def _estimates(squares: Floats, information: Floats, leverage: Floats, groups: Ints) -> Dispersion:
    """Each [forms]."""
    start = max(PRIOR_GROUPS * information.sum() / groups.sum(), _MIN_WEIGHT)
    freedom = max(information.sum() - leverage.sum(), 0.0)
    common = float((squares.sum() + start) / (freedom + start))
    if len(groups) == 1:
        return Dispersion(common, np.array([common]))
    starts = np.maximum(PRIOR_GROUPS * information / groups, _MIN_WEIGHT)
    free_by_form = np.maximum(information - leverage, 0.0)
    return Dispersion(common, (squares + common * starts) / (free_by_form + starts))


def _diagonal(cross: Floats, sides: int) -> Floats:
    """[sides, rows]: minus the second derivative with respect to each side's strength."""
    result = np.zeros((sides, cross.shape[1]))
    for value, (a, b) in zip(cross, likelihood.pairs(sides), strict=True):
        result[a] += value
        result[b] += value
    return result


def _propagated_information(cross: Floats, variances: Floats) -> Floats:
    """[pairs, rows]: HDH by pairs of sides; H is a game's information (`cross`), D = `variances`.

    Its trace with the covariance of the sides is the game's leverage.
    """
    sides = len(variances)
    information = np.zeros((cross.shape[1], sides, sides))
    for value, (a, b) in zip(cross, likelihood.pairs(sides), strict=True):
        information[:, a, b] = information[:, b, a] = -value
        information[:, a, a] += value
        information[:, b, b] += value
    square = (information * variances.T[:, None]) @ information
    return -np.stack([square[:, a, b] for a, b in likelihood.pairs(sides)])


def group_squares(table: RatingTable, gradients: list[Floats]) -> Floats:
    """[forms]: sums of squares of the entrants' gradients, summed by deal group before squaring.

    `gradients`: by bucket, those of the sides [sides, rows].
    """
    form_of = np.zeros(table.groups, dtype=np.int64)
    values = []
    for bucket, row_gradients in zip(table.buckets, gradients, strict=True):
        form_of[bucket.group_of] = bucket.form
        sides, _, shares = bucket.seats(table.jacobian)
        values.append((row_gradients[sides] * shares)[:, bucket.row_of])
    squares = table.cells.sums(values) ** 2
    return sum_by_place(form_of[table.cells.groups], squares, len(table.forms))
