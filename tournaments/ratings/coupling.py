"""A matrix that couples two blocks of parameters, with sparse products.

A team with few matches meets a dozen entrants of hundreds, so its row has a dozen entries. Sums
over these entries are much faster than dense products.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import Floats, Ints

_SPARSE = 8
"""Products are sparse if at most one entry in this many is not 0."""


_SMALL = 16
"""Sorting an entry takes as long as scanning this many places of a dense matrix."""


@dataclass(frozen=True, slots=True)
class Coo:
    """Entries of a matrix in coordinate format; entries at the same place add up."""

    rows: Ints
    columns: Ints
    values: Floats

    @classmethod
    def concatenated(cls, parts: Sequence["Coo"]) -> "Coo":
        """The sum of matrices."""
        columns = zip(*((p.rows, p.columns, p.values) for p in [EMPTY_COO, *parts]), strict=True)
        return cls(*map(np.concatenate, columns))

    def transposed(self) -> "Coo":
        return Coo(self.columns, self.rows, self.values)

    def take(self, which: NDArray[np.bool_]) -> "Coo":
        """Some of the entries."""
        return Coo(self.rows[which], self.columns[which], self.values[which])

    def summed(self, columns: int) -> "Coo":
        """The same matrix, which has this many columns: each place once, row after row."""
        codes = self.rows * columns + self.columns
        order = np.argsort(codes)
        codes = codes[order]
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        values = np.add.reduceat(self.values[order], first) if len(first) else np.zeros(0)
        return Coo(*np.divmod(codes[first], columns), values)

    def to_dense(self, rows: int, columns: int) -> Floats:
        """[rows, columns]"""
        flat = sum_by_place(self.rows * columns + self.columns, self.values, rows * columns)
        return flat.reshape(rows, columns)


EMPTY_COO = Coo(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Coupling:
    """A matrix [rows, columns]."""

    shape: tuple[int, int]

    entries: Coo | Floats
    """The nonzero entries, each once, row after row; if there are many, the dense matrix."""

    @classmethod
    def from_dense(cls, dense: Floats) -> "Coupling":
        """The coupling with its entries, if they are few."""
        whole = cls((len(dense), dense.shape[1]), dense)
        if np.count_nonzero(dense) * _SPARSE > dense.size:
            return whole
        return cls(whole.shape, whole.to_coo())

    @classmethod
    def from_entries(cls, entries: Coo, rows: int, columns: int) -> "Coupling":
        """The coupling with these entries, in any order."""
        if rows * columns <= _SMALL * len(entries.values):
            return cls.from_dense(entries.to_dense(rows, columns))
        return cls((rows, columns), entries.summed(columns))

    def to_coo(self) -> Coo:
        """The nonzero entries, each once, row after row."""
        entries = self.entries
        if isinstance(entries, Coo):
            return entries
        places = np.flatnonzero(entries)
        return Coo(*np.divmod(places, self.shape[1]), entries.reshape(-1)[places])

    def to_dense(self) -> Floats:
        """[rows, columns]"""
        entries = self.entries
        return entries.to_dense(*self.shape) if isinstance(entries, Coo) else entries

    def scaled(self, rows: Floats) -> "Coupling":
        """Each row times its number."""
        entries = self.entries
        if isinstance(entries, Coo):
            values = entries.values * rows[entries.rows]
            return Coupling(self.shape, Coo(entries.rows, entries.columns, values))
        return Coupling(self.shape, entries * rows[:, None])

    def matvec(self, vector: Floats) -> Floats:
        """C v, [rows]."""
        entries = self.entries
        if not isinstance(entries, Coo):
            return entries @ vector
        return sum_by_place(
            entries.rows, entries.values * vector.take(entries.columns), self.shape[0]
        )

    def rmatvec(self, vector: Floats) -> Floats:
        """Cᵀ v, [columns]."""
        entries = self.entries
        if not isinstance(entries, Coo):
            return vector @ entries
        return sum_by_place(
            entries.columns, entries.values * vector.take(entries.rows), self.shape[1]
        )

    def gram(self) -> Floats:
        """CᵀC [columns, columns]."""
        entries = self.entries
        if not isinstance(entries, Coo):
            return entries.T @ entries  # numpy computes one half of a matrix times itself
        rows, columns, values = entries.rows, entries.columns, entries.values
        size = self.shape[1]
        parts = [Coo(columns, columns, values**2 / 2)]
        # Pairs of entries at this distance in each row; the other half mirrors them.
        for distance in range(1, int(np.bincount(rows, minlength=1).max())):
            first = np.flatnonzero(rows[distance:] == rows[:-distance])
            second = first + distance
            parts.append(Coo(columns[first], columns[second], values[first] * values[second]))
        half = Coo.concatenated(parts).to_dense(size, size)
        return half + half.T


def sum_by_place(places: Ints, values: Floats, size: int) -> Floats:
    """[size]: the sum of the values at each place."""
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)
