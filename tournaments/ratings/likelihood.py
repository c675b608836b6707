"""The likelihood of results under Plackett–Luce, with its gradient and Hessian.

Strengths θ are natural logarithms of Luce's (1959) weights. A ranking of sides is a sequence of
choices: the best among all, the next among the rest, … (Plackett 1975); with two sides that is
Bradley–Terry (1952). A side's θ is the mean of its members', plus effects and interactions if they
are estimated (`result_arrays`), times the slope of its format (`slopes`). Results count with the
weight of their format (`dispersion`).

Ties: the mean of the log-likelihood over all orders of the tied sides. With two sides a tie is half
a win for each, which keeps the likelihood concave and the expected score on the Elo scale (Hunter
2004; in Davidson 1970 ties have their own parameter, so that a rating difference would mean another
score in every pool). The mean over orders needs only the mean over subsets of the tie: with k of m
tied sides still to place, each subset of k remains in the same share 1 / C(m, k) of the orders.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np

from tournaments.ratings.coupling import sum_by_place
from tournaments.ratings.information import Information, InformationBuilder
from tournaments.ratings.result_arrays import Bucket, Floats, Ints, RatingTable

_CHUNK = 1 << 14
"""Rows per chunk, so that their arrays fit in the processor's cache."""


@dataclass(frozen=True, slots=True)
class RowDerivatives:
    """Derivatives of some rows of a bucket, not multiplied by their counts."""

    value: Floats
    """[rows]: log-likelihood."""

    gradient: Floats
    """[sides, rows]: derivative by each side's θ before the slope."""

    cross: Floats
    """[pairs, rows]: minus the mixed second derivative of each pair of sides, never negative.

    Pairs in the order of `combinations`. Only differences of θ count, so minus the Hessian is the
    sum of cross × (a - b)(a - b)ᵀ over the pairs."""


@functools.lru_cache(maxsize=256)
def choices(tie_sizes: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], float], ...]:
    """The choices of a ranking: (places to choose from, weight)."""
    result: list[tuple[tuple[int, ...], float]] = []
    start = 0
    for size in tie_sizes:
        tied = range(start, start + size)
        others = tuple(range(start + size, sum(tie_sizes)))
        for size_left in range(size, 0, -1):
            share = 1 / comb(size, size_left)
            result.extend(((*subset, *others), share) for subset in combinations(tied, size_left))
        start += size
    return tuple(result)


def pairs(sides: int) -> list[tuple[int, int]]:
    """The pairs of sides in the order of `RowDerivatives.cross`."""
    return list(combinations(range(sides), 2))


def row_derivatives(
    bucket: Bucket, terms: Floats, rows: slice, slope: float = 1.0, *, hessian: bool = True
) -> RowDerivatives:
    """Value, gradient and information of some rows of a bucket.

    `terms`: the values of the terms (`jacobian`). `slope`: of the bucket's format. Without
    `hessian` the information is 0.
    """
    strength = strengths(bucket, terms, rows)
    if slope == 1:
        return ranking_derivatives(bucket.tie_sizes, strength, hessian=hessian)
    part = ranking_derivatives(bucket.tie_sizes, slope * strength, hessian=hessian)
    return RowDerivatives(part.value, slope * part.gradient, slope**2 * part.cross)


def ranking_derivatives(
    tie_sizes: tuple[int, ...], strength: Floats, *, hessian: bool = True
) -> RowDerivatives:
    """Derivatives by the strengths [sides, rows] of rankings with these ties."""
    if tie_sizes == (1, 1):
        return _two_sided_derivatives(strength)
    strength = strength - strength.max(axis=0)  # only differences count; exp stays finite
    odds = np.exp(strength)
    sides, count = strength.shape
    number = {pair: i for i, pair in enumerate(pairs(sides))}
    value = strength.sum(axis=0)
    gradient = np.ones((sides, count))
    cross = np.zeros((len(number), count))
    for places, weight in choices(tie_sizes):
        if len(places) == 1:
            value -= weight * strength[places[0]]
            gradient[places[0]] -= weight
            continue
        total = functools.reduce(np.add, (odds[a] for a in places))
        value -= weight * np.log(total)
        chance = {a: odds[a] / total for a in places}
        for a in places:
            gradient[a] -= weight * chance[a]
        for a, b in combinations(places, 2) if hessian else ():
            cross[number[a, b]] += weight * chance[a] * chance[b]
    return RowDerivatives(value, gradient, cross)


def strengths(bucket: Bucket, terms: Floats, rows: slice | Ints) -> Floats:
    """[sides, rows]: before the slope."""
    members = bucket.members[:, :, rows]
    if bucket.depth > 1:
        return np.asarray((terms[members] * bucket.weights[:, :, rows]).sum(axis=1))
    return functools.reduce(np.add, (terms.take(column) for column in members.swapaxes(0, 1)))


def _two_sided_derivatives(strength: Floats) -> RowDerivatives:
    """Bradley–Terry, as a faster special case."""
    lead = strength[0] - strength[1]
    odds = np.exp(-np.abs(lead))
    value = np.minimum(lead, 0) - np.log1p(odds)
    surprise = np.where(lead > 0, odds, 1.0) / (1 + odds)  # probability of the opposite result
    return RowDerivatives(value, np.stack([surprise, -surprise]), (surprise * (1 - surprise))[None])


def row_chunks(bucket: Bucket) -> list[slice]:
    """The rows of a bucket in chunks."""
    return [slice(i, i + _CHUNK) for i in range(0, len(bucket.counts), _CHUNK)]


def weighted_derivatives(
    table: RatingTable, theta: Floats, *, hessian: bool = True
) -> Iterator[tuple[Bucket, slice, RowDerivatives, Floats]]:
    """(bucket, some of its rows, their derivatives, their counts times the format's weight)."""
    terms = table.jacobian.terms(theta)
    for bucket in table.buckets:
        slope, weight = float(table.slopes[bucket.form]), table.weights[bucket.form]
        for rows in row_chunks(bucket):
            part = row_derivatives(bucket, terms, rows, slope, hessian=hessian)
            yield bucket, rows, part, weight * bucket.counts[rows]


def derivatives(table: RatingTable, theta: Floats) -> tuple[float, Floats, Information]:
    """(log-likelihood of all results, gradient, minus its Hessian)."""
    builder = InformationBuilder(table.jacobian, table.parameters)
    value, gradient = value_and_gradient(table, theta, builder)
    return value, gradient, builder.build()


def value_and_gradient(
    table: RatingTable, theta: Floats, builder: InformationBuilder | None = None
) -> tuple[float, Floats]:
    """(log-likelihood, gradient). Adds the information to `builder`, if any, which is slower."""
    value, gradient = 0.0, np.zeros(table.parameters)
    for bucket, rows, row_part, counts in weighted_derivatives(
        table, theta, hessian=builder is not None
    ):
        value += float(row_part.value @ counts)
        add_gradient(bucket, rows, row_part.gradient * counts, gradient)
        if builder is not None:
            add_information(bucket, rows, row_part.cross * counts, builder)
    return value, table.jacobian.gradient(gradient)


def add_gradient(bucket: Bucket, rows: slice, by_side: Floats, gradient: Floats) -> None:
    """Add derivatives by the sides of some rows, `by_side` [sides, rows], to those by terms."""
    for side, column in np.ndindex(bucket.members.shape[:2]):
        values = by_side[side]
        if bucket.depth > 1:
            values = values * bucket.weights[side, column, rows]
        gradient += sum_by_place(bucket.members[side, column, rows], values, len(gradient))


def add_information(
    bucket: Bucket, rows: slice, cross: Floats, builder: InformationBuilder
) -> None:
    """Add the information of some rows, `cross` [pairs, rows], by terms."""
    members, weights = bucket.members[:, :, rows], bucket.weights[:, :, rows]
    sides, depth = len(members), bucket.depth
    players = range(depth)
    # [a][b]: minus the derivative by the strengths of sides a and b
    between: list[list[Floats]] = [[cross[0]] * sides for _ in range(sides)]
    for amount, (a, b) in zip(cross, pairs(sides), strict=True):
        between[a][b] = between[b][a] = -amount

    def add_entry(value: Floats, first: tuple[int, int], second: tuple[int, int]) -> None:
        if depth > 1:
            value = value * weights[first] * weights[second]
        builder.add(members[first], members[second], value)

    for a in range(sides):
        between[a][a] = -functools.reduce(np.add, between[a][:a] + between[a][a + 1 :])
        for i in players:
            builder.add_diagonal(members[a, i], between[a][a] * weights[a, i] ** 2)
        for i, j in combinations(players, 2):
            add_entry(between[a][a], (a, i), (a, j))
    for a, b in pairs(sides):
        for i, j in product(players, repeat=2):
            add_entry(between[a][b], (a, i), (b, j))
    if members.shape[1] > depth:
        _add_effects(members, weights, between, builder)


def _add_effects(
    members: Ints, weights: Floats, between: list[list[Floats]], builder: InformationBuilder
) -> None:
    """Add the information about effects, the last column of `members`."""
    effects, players = members[:, -1], range(members.shape[1] - 1)
    for a, row in enumerate(between):
        for b, value in enumerate(row):
            for i in players:
                builder.add_effects(effects[b], members[a, i], value * weights[a, i])
            if a < b:
                builder.add_effects(effects[a], effects[b], value)
        builder.add_diagonal(effects[a], row[a])
