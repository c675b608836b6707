"""The observed information: minus the Hessian of a log-likelihood.

It is summed by terms, M, and converted to parameters, JᵀMJ (`jacobian`), on demand. If few of its
entries are filled, the part about teams is a list of coordinates (COO) beside a dense corner;
otherwise all of it is dense.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.jacobian import Jacobian

_SPARSE = 16
"""The matrix stays sparse if at most one entry in this many is filled."""

_FLUSH = 2
"""Entries are summed when there is one for this many of the matrix, as each sum scans all of it."""

_LEAST_FLUSH = 1 << 18
"""Fewer entries than this are never summed early."""


@dataclass(frozen=True, slots=True)
class Coo:
    """Entries of a matrix in coordinate format; entries at the same place add up."""

    rows: Ints
    columns: Ints
    values: Floats

    def plus_transpose(self) -> "Coo":
        """The sum of the matrix and its transpose."""
        return Coo(
            np.concatenate([self.rows, self.columns]),
            np.concatenate([self.columns, self.rows]),
            np.concatenate([self.values, self.values]),
        )


@dataclass(frozen=True, slots=True)
class Information:
    """JᵀMJ, symmetric.

    The *base* are the parameters before the interactions: entrants and effects.
    """

    jacobian: Jacobian
    size: int
    """Number of terms, and of parameters."""
    dense: Floats
    """M [terms, terms], or with `sparse` only its corner [base, base]."""
    sparse: Coo | None
    """The rest of M; None if `dense` is all of it."""

    def matvec(self, theta: Floats) -> Floats:
        """The product with a vector of parameters."""
        terms = self.jacobian.terms(theta)
        coo = self.sparse
        if coo is None:
            return self.jacobian.gradient(self.dense @ terms)
        by_term = summed(coo.rows, coo.values * terms.take(coo.columns), self.size)
        by_term[: len(self.dense)] += self.dense @ terms[: len(self.dense)]
        return self.jacobian.gradient(by_term)

    def to_dense(self) -> Floats:
        """[parameters, parameters]"""
        teams = self.size - self.jacobian.base
        return np.roll(self.columns(np.arange(teams)), -teams, axis=1)

    def columns(self, teams: Ints) -> Floats:
        """[parameters, teams + base]: columns of these teams' interactions, then the base's."""
        base = self.jacobian.base
        of_base = self.base_columns()
        of_teams = np.concatenate([of_base[base + teams].T, self._interactions(teams)])
        return np.concatenate([of_teams, of_base], axis=1)

    def _interactions(self, teams: Ints) -> Floats:
        """[all teams, teams]: columns of the interactions' block."""
        base = self.jacobian.base
        coo, count = self.sparse, self.size - base
        if coo is None:
            return self.dense[base:, base + teams]
        place = np.full(self.size, -1)
        place[base + teams] = np.arange(len(teams))
        here = (coo.rows >= base) & (place[coo.columns] >= 0)
        places = (coo.rows[here] - base) * len(teams) + place[coo.columns[here]]
        return summed(places, coo.values[here], count * len(teams)).reshape(count, len(teams))

    def acquaintances(self) -> tuple[Ints, Ints]:
        """Pairs of teams that met; each pair appears at least twice."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            rows, columns = np.nonzero(self.dense[base:, base:])
        else:
            here = (coo.rows >= base) & (coo.columns >= base)
            rows, columns = coo.rows[here] - base, coo.columns[here] - base
        apart = rows != columns
        return rows[apart], columns[apart]

    def trace(self, root: Floats) -> float:
        """The trace of R JᵀMJ Rᵀ, with R `root` [rows, parameters]."""
        projected = self.jacobian.project(root)
        gram = projected.T @ projected
        corner = float((gram[: len(self.dense), : len(self.dense)] * self.dense).sum())
        if self.sparse is None:
            return corner
        return corner + float(gram[self.sparse.rows, self.sparse.columns] @ self.sparse.values)

    def base_columns(self) -> Floats:
        """[parameters, base]"""
        base, entrants = self.jacobian.base, self.jacobian.entrants
        if self.sparse is not None:
            return self._sparse_base_columns(self.sparse)
        result = self.dense[:, :base].copy()
        if len(self.jacobian.members):
            shares = self.jacobian.dense_shares()
            result[:, :entrants] += self.dense[:, base:] @ shares
            result[:entrants] += shares.T @ result[base:]
        return result

    def _sparse_base_columns(self, coo: Coo) -> Floats:
        """Distribute each entry to the parameters of its row's term and its column's term."""
        base, terms = self.jacobian.base, np.arange(self.size)
        columns = list(zip(*(loading.T for loading in self.jacobian.loadings()), strict=True))
        places, values = [], []
        for row, row_share in [*columns, (terms, (terms >= base) * 1.0)]:
            for column, column_share in columns:
                share = row_share.take(coo.rows) * column_share.take(coo.columns)
                real = np.flatnonzero(share)
                at = row.take(coo.rows[real]) * base + column.take(coo.columns[real])
                places.append(at)
                values.append(coo.values[real] * share[real])
        flat = summed(np.concatenate(places), np.concatenate(values), self.size * base)
        result = flat.reshape(self.size, base)
        result[:base] += self.dense
        return result

    def interaction_row_sums(self) -> Floats:
        """[teams]: the sum of absolute values in each row of the interactions' block."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            return np.asarray(np.abs(self.dense[base:, base:]).sum(axis=1))
        here = (coo.rows >= base) & (coo.columns >= base)
        return summed(coo.rows[here] - base, np.abs(coo.values[here]), self.size - base)

    def interaction_diagonal(self) -> Floats:
        """[teams]: the diagonal of the interactions' block."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            return np.diag(self.dense)[base:].copy()
        here = (coo.rows >= base) & (coo.rows == coo.columns)
        return summed(coo.rows[here] - base, coo.values[here], self.size - base)


@dataclass(frozen=True, slots=True)
class WeightedProduct:
    """J Rᵀ W R Jᵀ for traces with several M, where few entries of J Rᵀ are not 0."""

    reach: Floats
    """[terms, n]: J Rᵀ W."""
    counts: Ints
    """[terms]: entries of J Rᵀ other than 0."""
    columns: Ints
    values: Floats
    """These entries, row by row."""
    corner: Floats
    """The product at the corner where M is dense."""

    @classmethod
    def from_rows(cls, like: Information, weight: Floats, rows: Floats) -> "WeightedProduct":
        """W `weight` [n, n], R `rows` [n, parameters]; J of `like`, and the size of its corner."""
        few = np.ascontiguousarray(like.jacobian.project(rows).T)
        reach, size = few @ weight, len(like.dense)
        places = np.flatnonzero(few)
        terms, columns = np.divmod(places, few.shape[1])
        counts = np.bincount(terms, minlength=len(few))
        values = few.reshape(-1).take(places)
        return cls(reach, counts, columns, values, reach[:size] @ few[:size].T)

    def trace(self, other: Information) -> float:
        """The trace of W R JᵀMJ Rᵀ, with M `other`, sparse where that of `like` is."""
        corner = float((self.corner * other.dense).sum())
        if other.sparse is None:
            return corner
        # Each entry of M meets the entries of J Rᵀ in its column.
        met = self.counts.take(other.sparse.columns)
        before = np.cumsum(self.counts) - self.counts
        skipped = before.take(other.sparse.columns) - np.cumsum(met) + met
        at = np.arange(met.sum()) + np.repeat(skipped, met)
        start = np.repeat(other.sparse.rows * self.reach.shape[1], met)
        products = self.reach.reshape(-1).take(start + self.columns.take(at))
        products *= self.values.take(at)
        return corner + float(np.repeat(other.sparse.values, met) @ products)


class InformationBuilder:
    """Sums up M from one half; each added value also counts at the transposed place."""

    def __init__(self, jacobian: Jacobian, size: int) -> None:
        self._jacobian = jacobian
        self._size = size
        # Values without teams go to the same few entries.
        self._base = _Accumulator(jacobian.base)
        self._rest = _Accumulator(size)

    def add(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Add values at these entries and at the transposed ones."""
        base = self._jacobian.base
        teamless = (rows < base) & (columns < base)
        if teamless.all():
            self._base.add(Coo(rows, columns, values))
            return
        self._base.add(Coo(rows[teamless], columns[teamless], values[teamless]))
        self._rest.add(Coo(rows[~teamless], columns[~teamless], values[~teamless]))

    def build(self) -> Information:
        """The information matrix of the added values."""
        base = self._jacobian.base
        block = self._base.dense()
        block = block + block.T
        if self._rest.stays_sparse(int(np.count_nonzero(block)) // 2):
            sparse = self._rest.pending().plus_transpose()
            return Information(self._jacobian, self._size, block, sparse)
        half = self._rest.dense()
        full = half + half.T
        full[:base, :base] += block
        return Information(self._jacobian, self._size, full, None)


class _Accumulator:
    """Sums up entries, many at a time, because each sum scans the whole matrix."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._sum: Floats | None = None
        self._pending: list[Coo] = []
        self._count = 0

    def stays_sparse(self, more: int) -> bool:
        """Whether these and `more` entries are few for the matrix, and none has been summed."""
        return self._sum is None and self._count + more <= self._size**2 // _SPARSE

    def add(self, entries: Coo) -> None:
        self._pending.append(entries)
        self._count += len(entries.values)
        if self._count > max(_LEAST_FLUSH, self._size**2 // _FLUSH):
            self._flush()

    def pending(self) -> Coo:
        """Remove and return the entries that have not been summed."""
        pending, self._pending, self._count = self._pending, [], 0
        none = Coo(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
        return Coo(
            np.concatenate([none.rows, *(entries.rows for entries in pending)]),
            np.concatenate([none.columns, *(entries.columns for entries in pending)]),
            np.concatenate([none.values, *(entries.values for entries in pending)]),
        )

    def dense(self) -> Floats:
        """The sum as a dense matrix."""
        self._flush()
        flat = np.zeros(self._size**2) if self._sum is None else self._sum
        return flat.reshape(self._size, self._size)

    def _flush(self) -> None:
        if self._pending:
            new = self.pending()
            flat = summed(new.rows * self._size + new.columns, new.values, self._size**2)
            self._sum = flat if self._sum is None else np.add(self._sum, flat, out=self._sum)


def summed(places: Ints, values: Floats, size: int) -> Floats:
    """[size]: the sum of the values at each place."""
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)
