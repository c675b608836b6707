"""How far apart teams of equal members are: the spread of the bonds, learnt from all teams.

A team's bond is what it is stronger than the mean of its members. One team plays too little to say
much about its own; all together say how large bonds are. The variance of their prior is the mean of
its posterior, with the log-likelihood taken as the parabola that it is near the maximum, and with a
Gamma(2) prior on the standard deviation, which keeps it off 0 (Chung et al. 2013).
"""

from math import sqrt

import numpy as np

from tournaments.ratings.table import Floats

USUAL = 35.0
"""Elo points: the spread as long as nothing is known."""

_ASKED = 400
"""Teams that are asked at most, those of which results say most: enough to know it well."""

_GRID = np.geomspace(1.0, 300.0, 571)
"""What the spread can be, in Elo points: steps of one per cent."""


def spread(hessian: Floats, theta: Floats, precision: Floats, teams: int, elo: float) -> float:
    """The bonds' standard deviation in Elo points.

    `hessian` is minus the log posterior's at its maximum `theta`, `precision` the prior's diagonal
    in it; the last `teams` parameters are the bonds; `elo` is the Elo points in one unit of θ.
    """
    known = np.diag(hessian)[-teams:]
    asked = np.sort(len(theta) - teams + np.argsort(-known, kind="stable")[:_ASKED])
    others = np.setdiff1d(np.arange(len(theta)), asked)
    cross = hessian[np.ix_(others, asked)]
    solved = np.linalg.solve(hessian[np.ix_(others, others)], cross)
    # What results and priors say of these bonds, the others being as they come out best; at the
    # maximum the slope of the results is that of the priors.
    left = hessian[np.ix_(asked, asked)] - cross.T @ solved
    told, slope = left - np.diag(precision[asked]), left @ theta[asked]
    lengths, axes = np.linalg.eigh((told + told.T) / 2)
    lengths = np.maximum(lengths, 0.0)[:, None]
    along = (axes.T @ slope)[:, None]
    variance = (_GRID / elo) ** 2
    fits = along**2 * variance / (1 + lengths * variance) - np.log1p(lengths * variance)
    # The mean square of a Gamma(2) is 6 scales squared. Steps of the grid are as wide as the spread
    # itself, which gives a second logarithm.
    weights = fits.sum(axis=0) / 2 + 2 * np.log(_GRID) - _GRID * sqrt(6) / USUAL
    weights = np.exp(weights - weights.max())
    return float(np.sqrt(weights @ _GRID**2 / weights.sum()))
