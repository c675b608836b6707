"""A matrix that couples two blocks of parameters, with sparse products.

A team with few matches meets a dozen entrants of hundreds, so its row has a dozen entries. Sums
over these entries are much faster than dense products.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats
from tournaments.ratings.information import Coo, summed

_SPARSE = 16
"""Products are sparse if at most one entry in this many is not 0."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """A matrix [rows, columns]."""

    dense: Floats
    entries: Coo | None
    """The nonzero entries, row after row; None if there are many."""

    @classmethod
    def from_dense(cls, dense: Floats) -> "Coupling":
        """The coupling with its entries, if they are few."""
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
        # Pairs of entries at this distance in each row; the other half mirrors them.
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
