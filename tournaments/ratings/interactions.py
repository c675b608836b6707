"""Estimate the prior of the interactions from all teams (empirical Bayes).

A team's interaction (on the site: its bond) is its strength above the mean of its members. A single
team has too few matches to estimate it, so the prior's width comes from all teams. The prior's
variance is the mean of its posterior, with Laplace's approximation of the likelihood at its
maximum, and a Gamma(2) prior on the standard deviation, which keeps it off 0 (Chung et al. 2013).
"""

from math import sqrt

import numpy as np

from tournaments.ratings.linear_solver import Hessian, Reduced, inverse_root
from tournaments.ratings.result_arrays import Floats, Ints

USUAL_SD = 35.0
"""The initial standard deviation, in Elo points."""

_MAX_TEAMS = 400
"""Teams used for the estimate: those with the most information."""

_GRID = np.geomspace(1.0, 300.0, 571)
"""Candidate standard deviations, in Elo points, in steps of one per cent."""


def interaction_sd(hessian: Hessian, theta: Floats, elo: float) -> float:
    """The interactions' standard deviation in Elo points.

    `hessian`: minus the log posterior's at its maximum `theta`. `elo`: Elo points per unit of θ.
    """
    parameters, marginal = _marginal(hessian)
    precision, theta = hessian.precision[parameters], theta[parameters]
    # At the maximum the gradient of the likelihood is that of the prior.
    likelihood, gradient = marginal - np.diag(precision), marginal @ theta
    eigenvalues, axes = np.linalg.eigh((likelihood + likelihood.T) / 2)
    eigenvalues = np.maximum(eigenvalues, 0.0)[:, None]
    along = (axes.T @ gradient)[:, None]
    variance = (_GRID / elo) ** 2
    log_likelihoods = along**2 * variance / (1 + eigenvalues * variance)
    log_likelihoods -= np.log1p(eigenvalues * variance)
    # The mean square of a Gamma(2) is 6 scales squared. Grid steps are proportional to the
    # standard deviation, which gives a second logarithm.
    weights = log_likelihoods.sum(axis=0) / 2 + 2 * np.log(_GRID) - _GRID * sqrt(6) / USUAL_SD
    weights = np.exp(weights - weights.max())
    return float(np.sqrt(weights @ _GRID**2 / weights.sum()))


def _marginal(hessian: Hessian) -> tuple[Ints, Floats]:
    """(parameters of the teams used, Schur complement of all other parameters)."""
    base = len(hessian.information.base)
    precisions = hessian.weight * hessian.information.diagonal + hessian.precision[base:]
    teams = np.sort(np.argsort(-precisions, kind="stable")[:_MAX_TEAMS])
    reduced = Reduced.eliminate(hessian, teams)
    block, others = reduced.block, len(reduced.block) - len(teams)
    below = (inverse_root(reduced.corner) @ reduced.columns.T).astype(block.dtype)
    block -= below.T @ below
    below = inverse_root(block[:others, :others]) @ block[:others, others:]
    return base + teams, np.asarray(block[others:, others:] - below.T @ below, np.float64)
