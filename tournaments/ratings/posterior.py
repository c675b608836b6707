"""The maximum of the posterior, and how much deal groups vary around it."""

from dataclasses import dataclass, replace

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.table import Bucket, Floats, Ints, Table

PRIOR_GROUPS = 20
"""The weight, in deal groups, of the assumption that the dispersion is 1."""

_MAX_STEPS = 100
"""Steps at most; concave as the problem is, a dozen do."""

_CLOSE = 1e-11
"""Steps below this, in natural units of θ, end the search: far less than any digit shown."""

_NEAR = 0.1
"""A step below this needs no line search, and the curvature before it is good enough for more."""

_SAME = 0.01
"""Over such a way the curvature stays the same for all that intervals show."""

_SAMPLE = 1 << 15
"""Distinct results of one shape from which the search starts, and the leverage is estimated."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The maximum of a posterior."""

    theta: Floats
    value: float
    """The log posterior there, up to a constant."""

    curvature: Floats
    """Minus the Hessian of the log-likelihood there, not weighted."""

    def hessian(self, weight: float, precision: Floats) -> Floats:
        """Minus the Hessian of the log posterior."""
        return _plus(self.curvature, weight, precision)


def maximum(table: Table, weight: float, precision: Floats, start: Peak | None = None) -> Peak:
    """The one maximum, by Newton with line search until it is near, then with curvature kept.

    The likelihood counts `weight` times; `precision` is the prior's, by parameter. `start` is a
    maximum for another weight or prior. Large tables start from that of a sample of theirs.
    """
    theta = np.zeros(table.parameters)
    curvature = None
    if start is not None:
        theta, curvature = start.theta, start.curvature
    elif (sample := sampled(table, _SAMPLE)) is not table:
        share = _rows(table) / _rows(sample)
        theta = maximum(sample, weight * share, precision).theta
    if curvature is None:
        theta, curvature = _approach(table, theta, weight, precision)
    origin = theta
    theta, value = _settle(table, theta, curvature, weight, precision)
    if np.abs(theta - origin).max() > _SAME:
        curvature = likelihood.total(table, theta)[2]
    return Peak(theta, value, curvature)


def _approach(
    table: Table, theta: Floats, weight: float, precision: Floats
) -> tuple[Floats, Floats]:
    """(a place near the maximum, minus the Hessian of the log-likelihood there)."""
    value, gradient, curvature = likelihood.total(table, theta)
    for _ in range(_MAX_STEPS):
        slope = weight * gradient - precision * theta
        step = np.linalg.solve(_plus(curvature, weight, precision), slope)
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
    table: Table, theta: Floats, curvature: Floats, weight: float, precision: Floats
) -> tuple[Floats, float]:
    """(the maximum, its value) from a place near it; the curvature is taken anew if that helps."""
    inverse = np.linalg.inv(_plus(curvature, weight, precision))
    last, fresh = np.inf, False
    for _ in range(_MAX_STEPS):
        value, gradient = likelihood.slope(table, theta)
        step = inverse @ (weight * gradient - precision * theta)
        size = np.abs(step).max()
        if size > last / 2 and size > _CLOSE:
            if fresh:
                break  # what is left is rounding
            curvature, fresh = likelihood.total(table, theta)[2], True
            inverse = np.linalg.inv(_plus(curvature, weight, precision))
            step = inverse @ (weight * gradient - precision * theta)
        last = size
        theta = theta + step
        if size < _CLOSE:
            break
    return theta, weight * value - _penalty(precision, theta)


def _plus(curvature: Floats, weight: float, precision: Floats) -> Floats:
    hessian = weight * curvature
    hessian.flat[:: len(precision) + 1] += precision
    return hessian


def _penalty(precision: Floats, theta: Floats) -> float:
    return float(precision @ theta**2) / 2


def sampled(table: Table, most: int) -> Table:
    """The table with at most so many rows of each bucket, evenly taken; itself if it has no more.

    Only good for the likelihood: what games and groups there were is not in it.
    """
    if all(len(bucket.counts) <= most for bucket in table.buckets):
        return table
    none = np.zeros(0, dtype=np.int64)
    return replace(
        table,
        buckets=tuple(
            replace(
                bucket,
                members=bucket.members[:, :, :: _stride(bucket, most)],
                weights=bucket.weights[:, :, :: _stride(bucket, most)],
                counts=bucket.counts[:: _stride(bucket, most)],
                row_of=none,
                group_of=none,
            )
            for bucket in table.buckets
        ),
    )


def _stride(bucket: Bucket, most: int) -> int:
    return max(1, -(-len(bucket.counts) // most))


def _rows(table: Table) -> int:
    return sum(len(bucket.counts) for bucket in table.buckets)


def dispersion(table: Table, theta: Floats, covariance: Floats) -> float:
    """How much more (above 1) or less groups vary than independent matches without ties.

    Measured on the entrants' slopes; `covariance` is that of all parameters.
    """
    size = len(table.entrants)
    lengths = np.zeros(table.groups)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
    cells, slopes = [], []
    information = leverage = 0.0
    for bucket in table.buckets:
        # A game's part of what its group tells: the group's matches pull the fit together.
        pull = np.bincount(bucket.row_of, lengths[bucket.group_of], minlength=len(bucket.counts))
        entrants = bucket.members[:, : bucket.depth]
        row_slopes = np.empty(entrants.shape)
        for rows in likelihood.chunks(bucket):
            part = likelihood.local(bucket, theta, rows)
            members, weights = bucket.members[:, :, rows], bucket.weights[:, :, rows]
            shares = weights[:, : bucket.depth]
            row_slopes[:, :, rows] = part.slope[:, None] * shares
            curve, own = _curve(part.bonds, len(weights)), (shares**2).sum(axis=1).T
            information += float(np.einsum("nss,ns->n", curve, own) @ bucket.counts[rows])
            few = slice(None, None, _stride(bucket, _SAMPLE))
            spread = _between_sides(members[:, :, few], weights[:, :, few], covariance)
            fitted = np.einsum("nss,ns->n", curve[few] @ spread @ curve[few], own[few])
            here = pull[rows]
            leverage += float(fitted @ here[few]) * float(here.sum() / here[few].sum())
        cells.append((bucket.group_of * size + entrants[:, :, bucket.row_of]).reshape(-1))
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
