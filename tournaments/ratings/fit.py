"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals.

Model: Plackett–Luce, with two sides Bradley–Terry (`likelihood`), and a Gaussian prior on each
rating around the pool's average. Newton's method with line search finds the one maximum; the
covariance is the inverse of the Hessian there.

The unit is the deal group. Its matches share their cards, so they tell less (or, as rotating the
sides cancels luck, more) than as many independent matches, and ties are steadier than coin tosses.
The fit measures by how much: the *dispersion* is the mean square of the groups' slopes divided by
what independent matches without ties would give, corrected for the fitted parameters (Pearson's
estimate for a quasi-likelihood, Wedderburn 1974; McCullagh & Nelder 1989, ch. 9, with groups as the
clusters of Liang & Zeger 1986). The likelihood is divided by it. A few groups say little about it,
so it starts from 1 with the weight of `PRIOR_GROUPS` groups.

Ratings are relative. The interval tells how sure an entrant's distance from the pool's average is;
the anchor only decides which number the scale shows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import erf, log, sqrt

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings import likelihood
from tournaments.ratings.elo import SCALE, START, expected
from tournaments.ratings.table import Floats, Game, Ints, Table

ANCHOR = "house:random"
"""Whose rating is `ANCHOR_RATING` wherever it has played."""

ANCHOR_RATING = 1000.0

PRIOR_SD = 350.0
"""Standard deviation of the prior, in Elo points."""

PRIOR_GROUPS = 20
"""The weight, in deal groups, of the assumption that the dispersion is 1."""

Z95 = 1.959963984540054
"""Half the width of a 95 % interval in standard deviations."""

_ELO = SCALE / log(10)
"""Elo points in one natural unit of θ."""

_MAX_STEPS = 100
"""Newton steps at most; concave as the problem is, a dozen do."""

_CLOSE = 1e-6
"""In natural units of θ: a few ten-thousandths of an Elo point."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One entrant's rating."""

    entrant: Entrant
    rating: float
    """Elo points."""

    low: float
    """Lower end of the 95 % interval."""

    high: float
    """Upper end of the 95 % interval."""

    games: int
    """Matches counted."""

    groups: int
    """Deal groups counted."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted ratings of a pool."""

    ratings: dict[Entrant, Rating]
    """By entrant, best first."""

    entrants: tuple[Entrant, ...]
    """The order of the covariance's rows and columns."""

    covariance: Floats
    """Of the distances from the pool's average, in Elo points squared."""

    log_posterior: float
    """At the maximum, up to a constant; the likelihood divided by the dispersion."""

    dispersion: float
    """Variance of a deal group's outcome over that of independent matches without ties."""

    def difference(self, a: Entrant, b: Entrant) -> tuple[float, float]:
        """How many Elo points a is above b, and the standard deviation of that."""
        i, j = self.entrants.index(a), self.entrants.index(b)
        c = self.covariance
        variance = float(c[i, i] + c[j, j] - 2 * c[i, j])
        return self.ratings[a].rating - self.ratings[b].rating, sqrt(max(variance, 0.0))

    def probability_better(self, a: Entrant, b: Entrant) -> float:
        """The probability that a's true rating is above b's."""
        points, sd = self.difference(a, b)
        if sd == 0:
            return 0.5
        return 0.5 * (1 + erf(points / sd / sqrt(2)))

    def expected_score(self, a: Entrant, b: Entrant) -> float:
        """The expected score of a against b (win 1, tie ½) at the fitted ratings."""
        return expected(self.ratings[a].rating, self.ratings[b].rating)


def fit(
    games: Iterable[Game] | Table,
    *,
    anchor: Entrant = ANCHOR,
    anchor_rating: float = ANCHOR_RATING,
    prior_sd: float = PRIOR_SD,
) -> Fit:
    """Fit all results at once; the order of the games does not matter.

    Where `anchor` has played its rating is `anchor_rating`, else the average is `elo.START`.
    Nobody has played: an empty fit. Raises ValueError for a malformed game or prior.
    """
    if prior_sd <= 0:
        raise ValueError(f"The prior's standard deviation must be above 0; it is {prior_sd}.")
    table = games if isinstance(games, Table) else Table.of(games)
    size = len(table.entrants)
    if not size:
        return Fit({}, (), np.zeros((0, 0)), 0.0, 1.0)
    precision = (_ELO / prior_sd) ** 2
    theta, _, hessian = _maximum(table, np.zeros(size), 1.0, precision)
    inverse: Floats = np.linalg.inv(hessian).astype(np.float64)
    dispersion = _dispersion(table, theta, inverse)
    theta, value, hessian = _maximum(table, theta, 1 / dispersion, precision)
    centre = np.eye(size) - 1 / size
    covariance = _ELO**2 * (centre @ np.linalg.inv(hessian) @ centre)
    points = _ELO * (theta - theta.mean()) + START
    if anchor in table.entrants:
        points += anchor_rating - points[table.entrants.index(anchor)]
    ratings = _ratings(table, points, covariance)
    return Fit(ratings, table.entrants, covariance, value, dispersion)


def _maximum(
    table: Table, theta: Floats, weight: float, precision: float
) -> tuple[Floats, float, Floats]:
    """(θ, log posterior, minus its Hessian) at the maximum, by Newton with line search.

    Once a step is below `_CLOSE` the next would be of its square: taking it ends the search.
    """
    value, gradient, hessian = _posterior(table, theta, weight, precision)
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(hessian, gradient)
        gain = float(gradient @ step)
        if np.abs(step).max() < _CLOSE:
            return theta + step, value + gain / 2, hessian
        length = 1.0
        while True:
            trial = theta + length * step
            new = _posterior(table, trial, weight, precision)
            if new[0] >= value + 1e-4 * length * gain or length < 1e-6:
                break
            length /= 2
        theta, (value, gradient, hessian) = trial, new
    return theta, value, hessian


def _posterior(
    table: Table, theta: Floats, weight: float, precision: float
) -> tuple[float, Floats, Floats]:
    value, gradient, hessian = likelihood.total(table, theta)
    hessian = weight * hessian
    hessian.flat[:: len(theta) + 1] += precision
    return (
        weight * value - precision / 2 * float(theta @ theta),
        weight * gradient - precision * theta,
        hessian,
    )


def _dispersion(table: Table, theta: Floats, covariance: Floats) -> float:
    """How much more (above 1) or less groups vary than independent matches without ties."""
    size = len(table.entrants)
    lengths = np.zeros(table.groups)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
    cells, slopes = [], []
    information = leverage = 0.0
    for bucket in table.buckets:
        # A game's part of what its group tells: the group's matches pull the fit together.
        pull = np.bincount(bucket.row_of, lengths[bucket.group_of], minlength=len(bucket.counts))
        row_slopes = np.empty(bucket.members.shape)
        for rows in likelihood.chunks(bucket):
            part = likelihood.local(bucket, theta, rows)
            members, weights = bucket.members[:, :, rows], bucket.weights[:, :, rows]
            row_slopes[:, :, rows] = part.slope[:, None] * weights
            curve, own = _curve(part.bonds, len(weights)), (weights**2).sum(axis=1).T
            information += float(np.einsum("nss,ns->n", curve, own) @ bucket.counts[rows])
            fitted = curve @ _between_sides(members, weights, covariance) @ curve
            leverage += float(np.einsum("nss,ns->n", fitted, own) @ pull[rows])
        cells.append((bucket.group_of * size + bucket.members[:, :, bucket.row_of]).reshape(-1))
        slopes.append(row_slopes[:, :, bucket.row_of].reshape(-1))
    squares = _group_squares(np.concatenate(cells), np.concatenate(slopes), apart=table.games_apart)
    start = PRIOR_GROUPS * information / max(table.groups, 1)
    return float((squares + start) / (max(information - leverage, 0.0) + start))


def _curve(bonds: Floats, sides: int) -> Floats:
    """[rows, sides, sides]: minus the second derivatives by the sides' strengths."""
    result = np.zeros((bonds.shape[1], sides, sides))
    for bond, (a, b) in zip(bonds, likelihood.pairs(sides), strict=True):
        result[:, a, b] = result[:, b, a] = -bond
        result[:, a, a] += bond
        result[:, b, b] += bond
    return result


def _between_sides(members: Ints, weights: Floats, covariance: Floats) -> Floats:
    """[rows, sides, sides]: covariance of the sides' strengths."""
    sides, depth, count = members.shape
    result = np.zeros((count, sides, sides))
    for a in range(sides):
        for b in range(sides):
            for i in range(depth):
                for j in range(depth):
                    share = weights[a, i] * weights[b, j]
                    result[:, a, b] += share * covariance[members[a, i], members[b, j]]
    return result


def _group_squares(cells: Ints, slopes: Floats, *, apart: bool) -> float:
    """Sum of squares of the slopes added up by cell (deal group and entrant).

    Sorted before summing, so that the order and numbering of the groups do not touch the last bits.
    """
    if not apart:
        order = np.lexsort((slopes, cells))
        starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
        slopes = np.add.reduceat(slopes[order], starts)
    return float(np.sort(slopes**2).sum())


def _ratings(table: Table, points: Floats, covariance: Floats) -> dict[Entrant, Rating]:
    size = len(table.entrants)
    games = np.zeros(size, dtype=np.int64)
    met: list[Ints] = []
    for bucket in table.buckets:
        real = bucket.weights > 0
        times = np.broadcast_to(bucket.counts, real.shape)
        games += np.bincount(bucket.members[real], times[real], minlength=size).astype(np.int64)
        codes = bucket.group_of * size + bucket.members[:, :, bucket.row_of]
        met.append(codes[real[:, :, bucket.row_of]])
    groups = games
    if not table.games_apart:
        cells = np.sort(np.concatenate(met))
        groups = np.bincount(cells[np.diff(cells, prepend=-1) > 0] % size, minlength=size)
    half = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    best_first = sorted(range(size), key=lambda i: (-points[i], i))
    return {
        table.entrants[i]: Rating(
            entrant=table.entrants[i],
            rating=float(points[i]),
            low=float(points[i] - half[i]),
            high=float(points[i] + half[i]),
            games=int(games[i]),
            groups=int(groups[i]),
        )
        for i in best_first
    }


__all__ = ["Fit", "Game", "Rating", "Table", "fit"]
