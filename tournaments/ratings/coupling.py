"""A matrix that couples two blocks of parameters: products with it, by the entries that are not 0.

A team that played little meets a dozen entrants of hundreds. Then all of its coupling is that
dozen, and sums over the entries take a small part of the time of products with all of the matrix.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats
from tournaments.ratings.information import Coo, summed

_SPARSE = 16
"""Up to one entry in so many that is not 0 the entries are gone through, else all of the matrix."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """A matrix [rows, columns]."""

    dense: Floats
    entries: Coo | None
    """Those that are not 0, row after row; None where they are many."""

    @classmethod
    def from_dense(cls, dense: Floats) -> "Coupling":
        """With its entries where they are few."""
        if np.count_nonzero(dense) * _SPARSE > dense.size:
            return cls(dense, None)
        places = np.flatnonzero(dense)
        rows, columns = np.divmod(places, dense.shape[1])
        return cls(dense, Coo(rows, columns, dense.reshape(-1)[places]))

    def divided(self, rows: Floats) -> "Coupling":
        """Each row divided by its number."""
        dense, entries = self.dense / rows[:, None], self.entries
        if entries is not None:
            values = entries.values / rows[entries.rows]
            entries = Coo(entries.rows, entries.columns, values)
        return Coupling(dense, entries)

    def matvec(self, vector: Floats) -> Floats:
        """C v, [rows]."""
        if self.entries is None:
            return self.dense @ vector
        values = self.entries.values * vector.take(self.entries.columns)
        return summed(self.entries.rows, values, len(self.dense))

    def rmatvec(self, vector: Floats) -> Floats:
        """Cᵀ v, [columns]."""
        if self.entries is None:
            return vector @ self.dense
        values = self.entries.values * vector.take(self.entries.rows)
        return summed(self.entries.columns, values, self.dense.shape[1])

    def gram(self) -> Floats:
        """CᵀC [columns, columns]."""
        if self.entries is None:
            return self.dense.T @ self.dense  # numpy computes one half of a matrix times itself
        rows, columns, values = self.entries.rows, self.entries.columns, self.entries.values
        size = self.dense.shape[1]
        squares = summed(columns, values**2, size)
        places, products = [columns[:0]], [values[:0]]
        # Of each row the pairs of entries that are so far apart: half of them, the rest mirrors it.
        for apart in range(1, int(np.bincount(rows, minlength=1).max())):
            first = np.flatnonzero(rows[apart:] == rows[:-apart])
            second = first + apart
            places.append(columns[first] * size + columns[second])
            products.append(values[first] * values[second])
        flat = summed(np.concatenate(places), np.concatenate(products), size**2)
        half = flat.reshape(size, size)
        result = half + half.T
        result.flat[:: size + 1] += squares
        return result
