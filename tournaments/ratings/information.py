"""The observed information: minus the Hessian of a log-likelihood.

It is summed by terms, M, and converted to parameters, JᵀMJ (`jacobian`), on demand. If few of its
entries are filled, the part about teams is a list of coordinates (COO) beside a dense corner;
otherwise all of it is dense.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.coupling import Coo, Coupling, sum_by_place
from tournaments.ratings.jacobian import Jacobian

_SPARSE = 16
"""The matrix stays sparse if at most one entry in this many is filled."""

_FLUSH = 2
"""Entries are summed when there is one for this many of the matrix, as each sum scans all of it."""

_MIN_FLUSH = 1 << 18
"""Fewer entries than this are never summed early."""


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
        by_term = sum_by_place(coo.rows, coo.values * terms.take(coo.columns), self.size)
        by_term[: len(self.dense)] += self.dense @ terms[: len(self.dense)]
        return self.jacobian.gradient(by_term)

    def to_dense(self) -> Floats:
        """[parameters, parameters]"""
        teams = self.size - self.jacobian.base
        block, _ = self.eliminate_teams(np.arange(teams))
        return np.roll(block, -teams, axis=(0, 1))

    def eliminate_teams(self, teams: Ints) -> tuple[Floats, Coupling]:
        """([kept, kept], [eliminated, kept]).

        Kept are the interactions of `teams`, in this order, then the base; all others are
        eliminated.
        """
        base, count = self.jacobian.base, len(teams)
        is_kept = np.zeros(self.size - base, dtype=bool)
        is_kept[teams] = True
        if self.sparse is None:
            columns = self._dense_base_columns()
            rows = np.concatenate([self.dense[base:, base + teams], columns[base:]], axis=1)
            return _bordered(rows[teams], columns[:base]), Coupling.from_dense(rows[~is_kept])
        place = np.cumsum(~is_kept) - 1
        place[teams] = np.arange(count)
        below, corner = self._below(self.sparse)
        among = self._among(self.sparse)
        among = among.take(is_kept[among.columns])
        entries = Coo.concatenated(
            [
                Coo(among.rows, place[among.columns], among.values),
                Coo(below.rows, count + below.columns, below.values),
            ]
        )
        upper, lower = (
            entries.take(mask) for mask in (is_kept[entries.rows], ~is_kept[entries.rows])
        )
        rows = Coo(place[upper.rows], upper.columns, upper.values).to_dense(count, count + base)
        lower = Coo(place[lower.rows], lower.columns, lower.values)
        coupling = Coupling.from_entries(lower, len(is_kept) - count, count + base)
        return _bordered(rows, corner), coupling

    def _among(self, coo: Coo) -> Coo:
        """The interactions' block [teams, teams]."""
        base = self.jacobian.base
        entries = coo.take((coo.rows >= base) & (coo.columns >= base))
        return Coo(entries.rows - base, entries.columns - base, entries.values)

    def _below(self, coo: Coo) -> tuple[Coo, Floats]:
        """(the interactions' rows of the base [teams, base], the base's block)."""
        base, seats = self.jacobian.base, self.jacobian.seats()
        direct = coo.take((coo.rows >= base) & (coo.columns < base))
        direct = Coo(direct.rows - base, direct.columns, direct.values)
        among = self._among(coo)
        by_members = Coo.concatenated(
            [Coo(among.rows, m[among.columns], among.values * s[among.columns]) for m, s in seats]
        )
        corners = [
            Coo.concatenated([Coo(m[c.rows], c.columns, c.values * s[c.rows]) for m, s in seats])
            for c in (direct, by_members)
        ]
        once, both = (corner.to_dense(base, base) for corner in corners)
        return Coo.concatenated([direct, by_members]), self.dense + once + once.T + both

    def _dense_base_columns(self) -> Floats:
        """[parameters, base]"""
        base, entrants = self.jacobian.base, self.jacobian.entrants
        result = self.dense[:, :base].copy()
        if len(self.jacobian.members):
            shares = self.jacobian.dense_shares()
            result[:, :entrants] += self.dense[:, base:] @ shares
            result[:entrants] += shares.T @ result[base:]
        return result

    def met_pairs(self) -> tuple[Ints, Ints]:
        """Pairs of teams that met; each pair appears at least twice."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            rows, columns = np.nonzero(self.dense[base:, base:])
        else:
            among = self._among(coo)
            rows, columns = among.rows, among.columns
        off_diagonal = rows != columns
        return rows[off_diagonal], columns[off_diagonal]

    def interaction_row_sums(self) -> Floats:
        """[teams]: the sum of absolute values in each row of the interactions' block."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            return np.asarray(np.abs(self.dense[base:, base:]).sum(axis=1))
        among = self._among(coo)
        return sum_by_place(among.rows, np.abs(among.values), self.size - base)

    def interaction_diagonal(self) -> Floats:
        """[teams]: the diagonal of the interactions' block."""
        base, coo = self.jacobian.base, self.sparse
        if coo is None:
            return np.diag(self.dense)[base:].copy()
        on_diagonal = (coo.rows >= base) & (coo.rows == coo.columns)
        return sum_by_place(coo.rows[on_diagonal] - base, coo.values[on_diagonal], self.size - base)


@dataclass(frozen=True, slots=True)
class WeightedProduct:
    """A W Aᵀ for traces with several M, where few entries of A are not 0."""

    reach: Floats
    """[terms, n]: A W."""
    counts: Ints
    """[terms]: entries of A other than 0."""
    columns: Ints
    values: Floats
    """These entries, row by row."""
    corner: Floats
    """The product at the corner where M is dense."""

    @classmethod
    def from_terms(cls, terms: Floats, weight: Floats, like: Information) -> "WeightedProduct":
        """A `terms` [terms, n], W `weight` [n, n], symmetric; the corner is that of `like`."""
        places = np.flatnonzero(terms)
        rows, columns = np.divmod(places, terms.shape[1])
        counts = np.bincount(rows, minlength=len(terms))
        reach, size = terms @ weight, len(like.dense)
        values = terms.reshape(-1).take(places)
        return cls(reach, counts, columns, values, reach[:size] @ terms[:size].T)

    def trace(self, other: Information) -> float:
        """The trace of W AᵀMA, with M `other`, sparse where that of `like` is."""
        corner = float((self.corner * other.dense).sum())
        if other.sparse is None:
            return corner
        # Each entry of M meets the entries of A in its column.
        entry_counts = self.counts.take(other.sparse.columns)
        before = np.cumsum(self.counts) - self.counts
        skipped = before.take(other.sparse.columns) - np.cumsum(entry_counts) + entry_counts
        places = np.arange(entry_counts.sum()) + np.repeat(skipped, entry_counts)
        start = np.repeat(other.sparse.rows * self.reach.shape[1], entry_counts)
        products = self.reach.reshape(-1).take(start + self.columns.take(places))
        products *= self.values.take(places)
        return corner + float(np.repeat(other.sparse.values, entry_counts) @ products)


class InformationBuilder:
    """Sums up M."""

    def __init__(self, jacobian: Jacobian, size: int) -> None:
        self._jacobian = jacobian
        self._size = size
        # Values without teams go to the same few entries.
        self._base = _Accumulator(jacobian.base)
        self._rest = _Accumulator(size)
        self._diagonal = np.zeros(size)
        self._effects = np.zeros((jacobian.base - jacobian.entrants, size))

    def add(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Add values at these entries and at the transposed ones."""
        base = self._jacobian.base
        teamless = (rows < base) & (columns < base) if self._size > base else np.True_
        if teamless.all():
            self._base.add(Coo(rows, columns, values))
            return
        self._base.add(Coo(rows[teamless], columns[teamless], values[teamless]))
        self._rest.add(Coo(rows[~teamless], columns[~teamless], values[~teamless]))

    def add_diagonal(self, terms: Ints, values: Floats) -> None:
        """Add values on the diagonal."""
        self._diagonal += sum_by_place(terms, values, self._size)

    def add_effects(self, effects: Ints, terms: Ints, values: Floats) -> None:
        """Add values in the rows of `effects` [n], at `terms` [..., n], and transposed.

        Entries of two effects come from both of their rows, so they are not transposed.
        """
        places = terms + (effects - self._jacobian.entrants) * self._size
        flat = sum_by_place(places.reshape(-1), values.reshape(-1), self._effects.size)
        self._effects += flat.reshape(self._effects.shape)

    def build(self) -> Information:
        """The information matrix of the added values."""
        base, entrants = self._jacobian.base, self._jacobian.entrants
        effects, teams = np.nonzero(self._effects[:, base:])
        self._rest.add(Coo(entrants + effects, base + teams, self._effects[effects, base + teams]))
        team_terms = np.arange(base, self._size)
        self._rest.add(Coo(team_terms, team_terms, self._diagonal[base:] / 2))
        block = self._base.dense()
        block = block + block.T + np.diag(self._diagonal[:base])
        block[entrants:] += self._effects[:, :base]
        block[:entrants, entrants:] += self._effects[:, :entrants].T
        if self._rest.stays_sparse(int(np.count_nonzero(block)) // 2):
            entries = self._rest.pending()
            sparse = Coo.concatenated([entries, entries.transposed()])
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

    def stays_sparse(self, new_entries: int) -> bool:
        """Whether all entries are few for the matrix, and none has been summed."""
        return self._sum is None and self._count + new_entries <= self._size**2 // _SPARSE

    def add(self, entries: Coo) -> None:
        self._pending.append(entries)
        self._count += len(entries.values)
        if self._count > max(_MIN_FLUSH, self._size**2 // _FLUSH):
            self._flush()

    def pending(self) -> Coo:
        """Remove and return the entries that have not been summed."""
        pending, self._pending, self._count = self._pending, [], 0
        return Coo.concatenated(pending)

    def dense(self) -> Floats:
        """The sum as a dense matrix."""
        self._flush()
        flat = np.zeros(self._size**2) if self._sum is None else self._sum
        return flat.reshape(self._size, self._size)

    def _flush(self) -> None:
        if self._pending:
            pending = self.pending()
            flat = sum_by_place(
                pending.rows * self._size + pending.columns, pending.values, self._size**2
            )
            self._sum = flat if self._sum is None else np.add(self._sum, flat, out=self._sum)


def _bordered(rows: Floats, corner: Floats) -> Floats:
    """The symmetric matrix with these first rows, and this last block."""
    count = len(rows)
    result = np.empty((rows.shape[1], rows.shape[1]))
    result[:count], result[count:, :count] = rows, rows[:, count:].T
    result[count:, count:] = corner
    return result
