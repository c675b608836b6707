"""Estimate the dispersion: the variance of deal groups relative to independent matches."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.blocks import unique_inverse
from tournaments.ratings.information import InformationBuilder
from tournaments.ratings.linear_solver import Hessian, trace
from tournaments.ratings.subsampling import stride
from tournaments.ratings.table import Bucket, Floats, Ints, RatingTable

PRIOR_GROUPS = 20
"""The weight, in deal groups, of the assumption that the dispersion is 1."""


@dataclass(frozen=True, slots=True)
class _Loadings:
    """The entrants in the terms of a table (`jacobian`)."""

    members: Ints
    """[terms, seats]"""
    shares: Floats
    """[terms, seats]: 0 for a missing member."""
    squares: Floats
    """[terms]: the sum of the squared shares."""


def dispersion(table: RatingTable, theta: Floats, hessian: Hessian) -> float:
    """The dispersion; above 1 if groups vary more than independent matches without ties.

    Measured on the entrants' gradients (scores). `hessian`: minus the log posterior's at its
    maximum `theta`.
    """
    terms = table.jacobian.terms(theta)
    members, shares = table.jacobian.loadings()
    loadings = _Loadings(members, shares, (shares**2).sum(axis=1))
    lengths = np.zeros(table.groups)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
    information, fitted = 0.0, InformationBuilder(table.jacobian, table.parameters)
    gradients = []
    for bucket in table.buckets:
        # The leverage of a group is that of all its matches together.
        length = np.bincount(bucket.row_of, lengths[bucket.group_of], minlength=len(bucket.counts))
        of_rows = np.empty((len(bucket.members), len(bucket.counts)))
        for rows in likelihood.chunks(bucket):
            part = likelihood.row_derivatives(bucket, terms, rows)
            of_rows[:, rows] = part.gradient
            own = _squared_shares(bucket, rows, loadings)
            of_row = (_diagonal(part.cross, len(own)) * own).sum(axis=0)
            information += float(of_row @ bucket.counts[rows])
            step = stride(bucket)
            some, here = slice(rows.start, rows.stop, step), length[rows]
            times = here[::step] * (here.sum() / here[::step].sum())
            pairs = _followed(part.cross[:, ::step], own[:, ::step])
            likelihood.add_information(bucket, some, pairs * times, fitted)
        gradients.append(of_rows)
    squares = group_squares(table, gradients)
    leverage = trace(hessian, fitted.build())
    start = PRIOR_GROUPS * information / max(table.groups, 1)
    return float((squares + start) / (max(information - leverage, 0.0) + start))


def _squared_shares(bucket: Bucket, rows: slice, loadings: _Loadings) -> Floats:
    """[sides, rows]: the sum of the entrants' squared shares in each side."""
    players = bucket.members[:, : bucket.depth, rows]
    weights = bucket.weights[:, : bucket.depth, rows]
    return np.asarray((loadings.squares[players] * weights**2).sum(axis=1))


def _diagonal(cross: Floats, sides: int) -> Floats:
    """[sides, rows]: minus the second derivative with respect to each side's strength."""
    result = np.zeros((sides, cross.shape[1]))
    for value, (a, b) in zip(cross, likelihood.pairs(sides), strict=True):
        result[a] += value
        result[b] += value
    return result


def _followed(cross: Floats, own: Floats) -> Floats:
    """[pairs, rows]: HDH by pairs, as `cross` is H, a game's information by sides; D is `own`.

    Its trace with the covariance of the sides is the game's leverage.
    """
    sides = len(own)
    information = np.zeros((cross.shape[1], sides, sides))
    for value, (a, b) in zip(cross, likelihood.pairs(sides), strict=True):
        information[:, a, b] = information[:, b, a] = -value
        information[:, a, a] += value
        information[:, b, b] += value
    square = (information * own.T[:, None]) @ information
    return -np.stack([square[:, a, b] for a, b in likelihood.pairs(sides)])


def group_squares(table: RatingTable, gradients: list[Floats]) -> float:
    """The sum of squares of the entrants' gradients, summed by deal group before squaring.

    `gradients`: by bucket, those of the sides [sides, rows]. Sums follow the order of the rows, so
    that the order and numbering of games and groups do not change the last bits.
    """
    if table.games_apart:
        pairs = zip(table.buckets, gradients, strict=True)
        return float(sum((of_rows**2 @ bucket.counts).sum() for bucket, of_rows in pairs))
    members, shares = table.jacobian.loadings()
    cells, places, values = [], [], []
    before = 0
    for bucket, of_rows in zip(table.buckets, gradients, strict=True):
        players = bucket.members[:, : bucket.depth]
        by_player = of_rows[:, None] * bucket.weights[:, : bucket.depth]
        put = by_player[..., None] * shares[players]  # [sides, depth, rows, seats]
        place = before + np.arange(put.size).reshape(put.shape)
        entrants = members[players]
        real = (shares[players] > 0)[:, :, bucket.row_of]
        cell = bucket.group_of[:, None] * len(table.entrants) + entrants[:, :, bucket.row_of]
        cells.append(cell[real])
        places.append(place[:, :, bucket.row_of][real])
        values.append(put.reshape(-1))
        before += put.size
    sums = _sums(np.concatenate(cells), np.concatenate(places), np.concatenate(values))
    return float(np.sort(sums**2).sum())


def _sums(cells: Ints, places: Ints, values: Floats) -> Floats:
    """The sums of the values at `places` by cell, added in the order of the places."""
    bits = len(values).bit_length()
    if int(cells.max()) >> (62 - bits):
        cells = unique_inverse(cells)[1]
    # Cell and place in one number: sorting single numbers is several times faster than two keys.
    codes = np.sort(cells << bits | places)
    starts = np.flatnonzero(np.diff(codes >> bits, prepend=-1))
    return np.add.reduceat(values[codes & ((1 << bits) - 1)], starts)
