"""How far apart teams of equal members are: the prior of the interactions, learnt from all teams.

A team's interaction (on the site: its bond) is what it is stronger than the mean of its members.
One team plays too little to say much about its own; all together say how large they are (empirical
Bayes). The prior's variance is the mean of its posterior, with Laplace's approximation of the
likelihood at its maximum, and with a Gamma(2) prior on the standard deviation, which keeps it off 0
(Chung et al. 2013).
"""

from math import sqrt

import numpy as np

from tournaments.ratings.table import Floats

USUAL_SD = 35.0
"""Elo points: the standard deviation as long as nothing is known."""

_MAX_TEAMS = 400
"""Teams that are looked at, those of which results say most: enough to know it well."""

_GRID = np.geomspace(1.0, 300.0, 571)
"""What the standard deviation can be, in Elo points: steps of one per cent."""


def interaction_sd(
    hessian: Floats, theta: Floats, precision: Floats, teams: int, elo: float
) -> float:
    """The interactions' standard deviation in Elo points.

    `hessian` is minus the log posterior's at its maximum `theta`, `precision` the prior's diagonal
    in it; the last `teams` parameters are the interactions; `elo` is the Elo points in one unit of
    θ.
    """
    known = np.diag(hessian)[-teams:]
    asked = np.sort(len(theta) - teams + np.argsort(-known, kind="stable")[:_MAX_TEAMS])
    others = np.setdiff1d(np.arange(len(theta)), asked)
    order = np.concatenate([others, asked])
    # The Schur complement of the other parameters, by the end of the Cholesky factor.
    factor = np.linalg.cholesky(hessian[np.ix_(order, order)])[len(others) :, len(others) :]
    marginal = factor @ factor.T
    # At the maximum the gradient of the likelihood is that of the prior.
    likelihood, gradient = marginal - np.diag(precision[asked]), marginal @ theta[asked]
    eigenvalues, axes = np.linalg.eigh((likelihood + likelihood.T) / 2)
    eigenvalues = np.maximum(eigenvalues, 0.0)[:, None]
    along = (axes.T @ gradient)[:, None]
    variance = (_GRID / elo) ** 2
    log_likelihoods = along**2 * variance / (1 + eigenvalues * variance)
    log_likelihoods -= np.log1p(eigenvalues * variance)
    # The mean square of a Gamma(2) is 6 scales squared. Steps of the grid are as wide as the
    # standard deviation itself, which gives a second logarithm.
    weights = log_likelihoods.sum(axis=0) / 2 + 2 * np.log(_GRID) - _GRID * sqrt(6) / USUAL_SD
    weights = np.exp(weights - weights.max())
    return float(np.sqrt(weights @ _GRID**2 / weights.sum()))
