"""How much deal groups vary around the maximum, compared with independent matches without ties."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings import likelihood
from tournaments.ratings.blocks import numbered
from tournaments.ratings.sampling import stride
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


def dispersion(table: Table, theta: Floats, covariance: Floats) -> float:
    """The factor, above 1 where groups vary more.

    Measured on the entrants' slopes; `covariance` is that of the strengths of all units.
    """
    units = table.units.strengths(theta)
    members, parts = table.units.people
    people = _People(members, parts, (parts**2).sum(axis=1))
    lengths = np.zeros(table.groups)
    for bucket in table.buckets:
        lengths += np.bincount(bucket.group_of, minlength=table.groups)
    information = leverage = 0.0
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
            few, here = slice(None, None, stride(bucket)), pull[rows]
            fitted = _fitted(bucket, rows, part.bonds[:, few], own[:, few], covariance)
            leverage += float(fitted @ here[few]) * float(here.sum() / here[few].sum())
        slopes.append(of_rows)
    squares = group_squares(table, slopes)
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


def _fitted(bucket: Bucket, rows: slice, bonds: Floats, own: Floats, covariance: Floats) -> Floats:
    """[some of the rows]: how much of what each tells is fitted; as many as `bonds` has."""
    few = slice(None, None, stride(bucket))
    members, weights = bucket.members[:, :, rows][:, :, few], bucket.weights[:, :, rows][:, :, few]
    curve = _curve(bonds, len(members))
    spread = _between_sides(members, weights, covariance)
    return np.asarray(np.einsum("nss,sn->n", curve @ spread @ curve, own))


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
