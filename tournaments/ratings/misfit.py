"""Goodness of fit: do pairings deviate from the model more than chance explains?

A rating is one number, so styles that beat each other in a circle do not follow it. For each pair
of opponents R is the sum of the scores (1, ½, 0) less the expected ones. Without such styles the
mean of R² over its variance is about 1: Pearson's χ² over its degrees of freedom, one for each pair
less one for each difference of strengths that the pairs determine. Pairs with few results or an
almost certain outcome do not count. Wilson and Hilferty (1931) show whether it is larger than by
chance: the cube root is nearly normal.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.blocks import unique_inverse
from tournaments.ratings.counting import components
from tournaments.ratings.result_arrays import Bucket, Floats, Ints, RatingTable

_OPEN = 0.5
"""The minimum variance of a pair's score; with less, there are few results, or the outcome is
almost certain."""


_SURE = 3.0902323061678132
"""A normal variable exceeds its mean by this many standard deviations once in a thousand times."""


class Misfit(NamedTuple):
    """How results deviate from the model."""

    value: float | None
    """The statistic; None if there are not more pairs than strengths."""
    styles: bool
    """Whether `value` is above 1 by more than chance."""


def misfit(table: RatingTable, theta: Floats, weight: float) -> Misfit:
    """Test the fit at the maximum `theta`; `weight`: the common weight of the likelihood."""
    terms = table.jacobian.terms(theta)
    codes, residuals, variances = zip(
        *(
            _of_rows(table, bucket, rows, terms, weight)
            for bucket in table.buckets
            for rows in likelihood.row_chunks(bucket)
        ),
        strict=True,
    )
    pair = np.concatenate(codes)
    distinct = np.arange(pair.max() + 1)
    if pair.max() > 4 * len(pair):
        firsts, numbers, _ = unique_inverse(pair)
        distinct, pair = pair[firsts], numbers
    sums = np.bincount(pair, np.concatenate(residuals))
    expected = np.bincount(pair, np.concatenate(variances))
    is_counted = expected >= _OPEN
    freedom = int(is_counted.sum()) - _count_differences(table, distinct[is_counted])
    if freedom <= 0:
        return Misfit(None, styles=False)
    value = float((sums[is_counted] ** 2 / expected[is_counted]).sum() / freedom)
    variance = 2 / (9 * freedom)
    return Misfit(value, styles=value ** (1 / 3) > 1 - variance + _SURE * sqrt(variance))


def _count_differences(table: RatingTable, pairs: Ints) -> int:
    """The number of differences of strengths that these pairs of sides determine."""
    members, shares = table.jacobian.loadings()
    members = np.where(shares > 0, members, members[:, :1])
    first, second = np.divmod(pairs, table.parameters)
    ends = np.concatenate([members[first], members[second]], axis=1).T
    starts = np.tile(members[first, 0], len(ends))
    size = len(table.entrants)
    return size - len(set(components(size, starts, ends.reshape(-1))))


def _of_rows(
    table: RatingTable, bucket: Bucket, rows: slice, terms: Floats, weight: float
) -> tuple[Ints, Floats, Floats]:
    """(pair, residual, variance) of each pair of sides in each row."""
    slope = float(table.slopes[bucket.form])
    strength, counts = slope * likelihood.strengths(bucket, terms, rows), bucket.counts[rows]
    rank = np.repeat(np.arange(len(bucket.tie_sizes)), bucket.tie_sizes)
    codes, residuals, variances = [], [], []
    for a, b in likelihood.pairs(len(strength)):
        chance = 1 / (1 + np.exp(strength[b] - strength[a]))
        first, second = bucket.members[a, 0, rows], bucket.members[b, 0, rows]
        sign = np.where(first < second, 1.0, -1.0)
        codes.append(np.minimum(first, second) * table.parameters + np.maximum(first, second))
        score = 1.0 if rank[a] < rank[b] else 0.5
        residuals.append(sign * counts * (score - chance))
        spread = counts * chance * (1 - chance)
        variances.append(spread / (weight * table.weights[bucket.form]))
    return np.concatenate(codes), np.concatenate(residuals), np.concatenate(variances)
