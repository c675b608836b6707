"""How much deal groups vary around the maximum, compared with independent matches without ties."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.blocks import numbered
from tournaments.ratings.curvature import Adding
from tournaments.ratings.sampling import stride
from tournaments.ratings.solving import Hessian, trace
from tournaments.ratings.table import Bucket, Floats, Ints, Table

PRIOR_GROUPS = 20
"""The weight, in deal groups, of the assumption that the dispersion is 1."""


@dataclass(frozen=True, slots=True)
class _People:
    """The entrants behind the units of a table."""

    members: Ints
    """[units, seats]"""
    parts: Floats
    """[units, seats]: 0 where there is none."""
    alone: Floats
    """[units]: the squares of the parts, summed."""


def dispersion(table: Table, theta: Floats, hessian: Hessian) -> float:
    """The factor, above 1 where groups vary more.

    Measured on the entrants' slopes; `hessian` is minus the log posterior's at its maximum `theta`.
    """
    units = table.units.strengths(theta)
    members, parts = table.units.people
    people = _People(members, parts, (parts**2).sum(axis=1))
    lengths = np.zeros(table.groups)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
    information, fitted = 0.0, Adding(table.units, table.parameters)
    slopes = []
    for bucket in table.buckets:
        # A game's part of what its group tells: the group's matches pull the fit together.
        pull = np.bincount(bucket.row_of, lengths[bucket.group_of], minlength=len(bucket.counts))
        of_rows = np.empty((len(bucket.members), len(bucket.counts)))
        for rows in likelihood.chunks(bucket):
            part = likelihood.local(bucket, units, rows)
            of_rows[:, rows] = part.slope
            own = _own(bucket, rows, people)
            told = (_steepness(part.bonds, len(own)) * own).sum(axis=0)
            information += float(told @ bucket.counts[rows])
            step = stride(bucket)
            few, here = slice(rows.start, rows.stop, step), pull[rows]
            times = here[::step] * (here.sum() / here[::step].sum())
            pairs = _pairs(part.bonds[:, ::step], own[:, ::step])
            likelihood.spread(bucket, few, pairs * times, fitted)
        slopes.append(of_rows)
    squares = group_squares(table, slopes)
    leverage = trace(hessian, fitted.done())
    start = PRIOR_GROUPS * information / max(table.groups, 1)
    return float((squares + start) / (max(information - leverage, 0.0) + start))


def _own(bucket: Bucket, rows: slice, people: _People) -> Floats:
    """[sides, rows]: the squares of the entrants' parts in each side, summed."""
    players = bucket.members[:, : bucket.depth, rows]
    weights = bucket.weights[:, : bucket.depth, rows]
    return np.asarray((people.alone[players] * weights**2).sum(axis=1))


def _steepness(bonds: Floats, sides: int) -> Floats:
    """[sides, rows]: minus the second derivative by each side's strength."""
    result = np.zeros((sides, bonds.shape[1]))
    for bond, (a, b) in zip(bonds, likelihood.pairs(sides), strict=True):
        result[a] += bond
        result[b] += bond
    return result


def _pairs(bonds: Floats, own: Floats) -> Floats:
    """[pairs, rows]: a game's curve times its sides' `own` times the curve, as `bonds` is one.

    The sum of its products with the covariance of the sides is how much of what the game tells the
    fit follows.
    """
    sides = len(own)
    curve = np.zeros((bonds.shape[1], sides, sides))
    for bond, (a, b) in zip(bonds, likelihood.pairs(sides), strict=True):
        curve[:, a, b] = curve[:, b, a] = -bond
        curve[:, a, a] += bond
        curve[:, b, b] += bond
    square = (curve * own.T[:, None]) @ curve
    return -np.stack([square[:, a, b] for a, b in likelihood.pairs(sides)])


def group_squares(table: Table, slopes: list[Floats]) -> float:
    """Sum of squares of the entrants' slopes, those of a deal group first added up.

    `slopes` are by bucket those of the sides: [sides, rows]. Everything is added in the order of
    the rows, so that the order and numbering of games and groups do not touch the last bits.
    """
    if table.games_apart:
        pairs = zip(table.buckets, slopes, strict=True)
        return float(sum((of_rows**2 @ bucket.counts).sum() for bucket, of_rows in pairs))
    members, parts = table.units.people
    cells, places, values = [], [], []
    before = 0
    for bucket, of_rows in zip(table.buckets, slopes, strict=True):
        players = bucket.members[:, : bucket.depth]
        shares = of_rows[:, None] * bucket.weights[:, : bucket.depth]
        put = shares[..., None] * parts[players]  # [sides, depth, rows, seats]
        place = before + np.arange(put.size).reshape(put.shape)
        entrants = members[players]
        real = (parts[players] > 0)[:, :, bucket.row_of]
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
        cells = numbered(cells)[1]
    # Cell and place in one number: sorting plain numbers is several times quicker than two keys.
    codes = np.sort(cells << bits | places)
    starts = np.flatnonzero(np.diff(codes >> bits, prepend=-1))
    return np.add.reduceat(values[codes & ((1 << bits) - 1)], starts)
