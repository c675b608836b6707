"""Intervals of entrants with few results, few wins or few losses.

For them the likelihood is skewed, and the prior of strengths pulls estimates to the average, which
hides how strong an unbeaten entrant may be. The interval holds the ratings whose profile likelihood
is at most χ²/2 below its maximum (Wilks 1938), with only a part of the prior (`_PRIOR_SHARE`). An
entrant that never lost or drew has only a lower bound of 95 %, one that never won or drew only an
upper one.

If the entrant's strength changes, the covariance determines how the others react; the profile
follows this line. Along it, the entrant's own results are evaluated exactly, and the others' by
their curvature:

    ℓ(t) = g t - t² / 2v + Σ own results [ℓᵣ(t) - ℓᵣ(0) - ℓᵣ'(0) t - ℓᵣ''(0) t² / 2]

Let C be the covariance of the distances d from the average, Q the precision of the removed part of
the prior, e the entrant's unit vector, and y the solution of (1 - Q C) y = e. Then C y is the
entrant's column of the covariance without the removed part, v the entrant's own element of this
column, and g = dᵀQ C y / v the pull of the removed part. The dispersion is estimated, so χ² is the
square of Student's t (McCullagh & Nelder 1989).

Results without any loss (or win) seem to have no variance, so the estimated dispersion may be far
too small for them. Their number of losses in a group has a mean m near 0, so its variance is at
least m - m², nearly that of independent matches. Therefore the own results of an entrant with an
open end count as independent matches if the dispersion is below 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.elo import Z95
from tournaments.ratings.result_arrays import Bucket, Floats, RatingTable

FEW_GROUPS = 10
"""Entrants with fewer deal groups get an interval of this module."""

FEW_RESULTS = 10
"""Entrants with fewer wins or fewer losses get an interval of this module, too."""

_PRIOR_SHARE = 1 / 3
"""The share of the prior's precision that these intervals keep, for a standard deviation of 600 Elo
points. Without a prior, estimates of few results lie too far out."""

_Z95_ONE_SIDED = 1.6448536269514722
"""Quantile of a bound of 95 % in standard deviations."""

_GRID = np.linspace(-12.0, 12.0, 385)
"""Distances from the maximum in natural units of θ: up to 2,000 Elo points."""


@dataclass(frozen=True, slots=True)
class WinsAndLosses:
    """Each entrant's wins, losses and ties [entrants]."""

    losses: Floats
    """Number of games in which another side ranked before its side."""
    wins: Floats
    """Number of games in which another side ranked behind its side."""
    ties: Floats
    """Number of games in which another side ranked level: half a win and half a loss."""


def count_wins_and_losses(table: RatingTable) -> WinsAndLosses:
    size, base = len(table.entrants), table.jacobian.base
    sums = np.zeros((3, table.parameters))
    for bucket in table.buckets:
        times = np.where(bucket.weights > 0, bucket.counts, 0)[:, : bucket.depth]
        players, rank = bucket.members[:, : bucket.depth], np.arange(len(times))
        is_tied = np.repeat(np.array(bucket.tie_sizes) > 1, bucket.tie_sizes)
        lost, won = rank >= bucket.tie_sizes[0], rank < len(times) - bucket.tie_sizes[-1]
        for counts, sides in zip(sums, (lost, won, is_tied), strict=True):
            new_counts = np.bincount(players[sides].ravel(), times[sides].ravel(), len(counts))
            counts += new_counts
    for members, shares in table.jacobian.seats():
        for counts in sums:
            counts += np.bincount(members, counts[base:] * (shares > 0), len(counts))
    return WinsAndLosses(*sums[:, :size])


@dataclass(frozen=True, slots=True)
class Posterior:
    """The input of the profiles, in natural units."""

    table: RatingTable
    weight: float
    """The common weight of the likelihood."""
    terms: Floats
    """[terms] at the mode."""
    factor: Floats
    """[rows, terms]: FᵀF is the terms' covariance."""
    slopes: Floats
    """[rows, forms]: the factor of the slopes' logarithms."""
    distance_factor: Floats
    """[rows, entrants]: the factor of the entrants' distances from the average."""
    distances: Floats
    """[entrants]: from the average of the component."""
    prior: Floats
    """[entrants, entrants]: precision of the prior of these distances."""
    degrees_of_freedom: float
    """Degrees of freedom of the dispersion."""


def profiles(
    posterior: Posterior, entrants: list[int], counts: WinsAndLosses
) -> Iterator[tuple[float | None, float | None]]:
    """(low, high) of each of these entrants, relative to the mode; None: open."""
    own_table, distance_factor = _results_of(posterior.table, entrants), posterior.distance_factor
    removed_prior = (1 - _PRIOR_SHARE) * posterior.prior
    units = np.eye(len(removed_prior))
    columns = distance_factor @ np.linalg.solve(
        units - (removed_prior @ distance_factor.T) @ distance_factor, units[:, entrants]
    )
    for entrant, column in zip(entrants, columns.T, strict=True):
        has_wins, has_losses = (
            number[entrant] + counts.ties[entrant] > 0 for number in (counts.wins, counts.losses)
        )
        variance = float(distance_factor[:, entrant] @ column)
        if variance <= 0:
            yield None, None
            continue
        path, bends = (
            factor.T @ column / variance for factor in (posterior.factor, posterior.slopes)
        )
        pull = float(posterior.distances @ removed_prior @ (distance_factor.T @ column)) / variance
        values = pull * _GRID - _GRID**2 / (2 * variance)
        max_weight = np.inf if has_wins and has_losses else 1.0
        for bucket in _results_of(own_table, [entrant]).buckets:
            bend = float(bends[bucket.form])
            values += _deviations_from_parabola(posterior, bucket, path, bend, max_weight)
        normal = Z95 if has_wins and has_losses else _Z95_ONE_SIDED
        quantile = _student(normal, posterior.degrees_of_freedom)
        low, high = _interval_ends(values, quantile)
        yield low if has_wins else None, high if has_losses else None


def _student(normal: float, freedom: float) -> float:
    """The quantile of Student's t for one of the normal distribution (Cornish & Fisher 1938)."""
    first = (normal**3 + normal) / 4
    second = (5 * normal**5 + 16 * normal**3 + 3 * normal) / 96
    return normal + first / freedom + second / freedom**2


def _results_of(table: RatingTable, entrants: list[int]) -> RatingTable:
    """A table with only the results of these entrants, which suffices for their likelihood."""
    is_term = np.zeros(table.parameters, dtype=bool)
    is_term[entrants] = True
    for members, shares in table.jacobian.seats():
        is_term[table.jacobian.base :] |= is_term[members] & (shares > 0)
    buckets = []
    for bucket in table.buckets:
        players, weights = bucket.members[:, : bucket.depth], bucket.weights[:, : bucket.depth]
        rows = np.flatnonzero((is_term[players] & (weights > 0)).any(axis=(0, 1)))
        if len(rows):
            buckets.append(bucket.likelihood_of(rows))
    return replace(table, buckets=tuple(buckets))


def _deviations_from_parabola(
    posterior: Posterior, bucket: Bucket, path: Floats, bend: float, max_weight: float
) -> Floats:
    """[grid]: the log-likelihood of results minus its parabola at the mode.

    Along the path terms change by `path`, and the logarithm of the slope by `bend`. `max_weight`:
    the maximum weight of the log-likelihood, but not of the parabola.
    """
    table = posterior.table
    slope, all_rows = float(table.slopes[bucket.form]), slice(None)
    start = slope * likelihood.strengths(bucket, posterior.terms, all_rows)
    pace = slope * likelihood.strengths(bucket, path, all_rows) + bend * start
    weight = float(posterior.weight * table.weights[bucket.form])
    part = likelihood.ranking_derivatives(bucket.tie_sizes, start)
    rise = (part.gradient * pace).sum(axis=0)
    pairs = likelihood.pairs(len(start))
    curve = sum(
        weight * (pace[a] - pace[b]) ** 2 for weight, (a, b) in zip(part.cross, pairs, strict=True)
    )
    along = start[:, :, None] + pace[:, :, None] * _GRID
    moved = likelihood.ranking_derivatives(
        bucket.tie_sizes, along.reshape(len(start), -1), hessian=False
    )
    exact = moved.value.reshape(-1, len(_GRID)) - part.value[:, None]
    parabola = rise[:, None] * _GRID - curve[:, None] * _GRID**2 / 2
    return np.asarray(bucket.counts @ (min(weight, max_weight) * exact - weight * parabola))


def _interval_ends(values: Floats, quantile: float) -> tuple[float | None, float | None]:
    """The two ends, half of the quantile's square below the maximum; None: outside the grid."""
    best = int(values.argmax())
    fall = values - values[best] + quantile**2 / 2
    below, above = np.flatnonzero(fall[:best] < 0), np.flatnonzero(fall[best:] < 0)
    low = _root(fall, int(below[-1])) if len(below) else None
    high = _root(fall, best + int(above[0]) - 1) if len(above) else None
    return low, high


def _root(fall: Floats, index: int) -> float:
    """The zero of `fall` between the points `index` and `index` + 1 of the grid."""
    share = fall[index] / (fall[index] - fall[index + 1])
    return float(_GRID[index] + share * (_GRID[index + 1] - _GRID[index]))
