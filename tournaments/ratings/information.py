"""The observed information: minus the Hessian of a log-likelihood.

It is summed by terms, M, and then converted to parameters, JᵀMJ (`jacobian`).
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.coupling import Coo, Coupling, sum_by_place
from tournaments.ratings.jacobian import Jacobian

Matrix: TypeAlias = NDArray[Any]
"""In single or double precision."""

_FLUSH = 1 << 18
"""Entries of the base are summed when there are this many, as each sum scans the whole block."""


@dataclass(frozen=True, slots=True)
class Information:
    """JᵀMJ, symmetric, in blocks.

    The *base* are the parameters before the interactions: entrants and effects.
    """

    base: Floats
    """[base, base]"""

    coupling: Coupling
    """[teams, base]: the interactions' rows of the base's columns."""

    diagonal: Floats
    """[teams]: of the interactions' block."""

    met: Coo
    """The entries of this block above its diagonal, each once: pairs of teams that met."""

    def matvec(self, theta: Floats) -> Floats:
        """The product with a vector of parameters."""
        upper, lower = np.split(theta, [len(self.base)])
        rows, columns, values = self.met.rows, self.met.columns, self.met.values
        by_team = self.coupling.matvec(upper) + self.diagonal * lower
        by_team += sum_by_place(rows, values * lower.take(columns), len(lower))
        by_team += sum_by_place(columns, values * lower.take(rows), len(lower))
        return np.concatenate([self.base @ upper + self.coupling.rmatvec(lower), by_team])

    def to_dense(self) -> Floats:
        """[parameters, parameters]"""
        block, columns, _ = self.eliminate_teams(np.arange(len(self.diagonal)))
        return np.block([[self.base, columns.T], [columns, block]])

    def eliminate_teams(
        self, teams: Ints, dtype: type[np.floating[Any]] = np.float64
    ) -> tuple[Matrix, Floats, Coupling]:
        """([kept, kept] in `dtype`, [kept, base], [eliminated, kept and base]).

        Kept are the interactions of `teams`, in this order; all others are eliminated.
        """
        base, count = len(self.base), len(teams)
        is_kept = np.zeros(len(self.diagonal), dtype=bool)
        is_kept[teams] = True
        place = np.cumsum(~is_kept) - 1
        place[teams] = np.arange(count)
        among = self.met.take(is_kept[self.met.rows] & is_kept[self.met.columns])
        rows, columns = place[among.rows], place[among.columns]
        block = np.zeros((count, count), dtype)
        block[rows, columns] = block[columns, rows] = among.values
        block.flat[:: count + 1] = self.diagonal[teams]
        met, coupling = Coo.concatenated([self.met, self.met.transposed()]), self.coupling.to_coo()
        met = met.take(~is_kept[met.rows] & is_kept[met.columns])
        coupling = coupling.take(~is_kept[coupling.rows])
        below = [
            Coo(place[met.rows], place[met.columns], met.values),
            Coo(place[coupling.rows], count + coupling.columns, coupling.values),
        ]
        eliminated = Coupling.from_entries(
            Coo.concatenated(below), len(is_kept) - count, count + base
        )
        return block, self.coupling.to_dense()[teams], eliminated

    def interaction_row_sums(self) -> Floats:
        """[teams]: the sum of absolute values in each row of the interactions' block."""
        teams = np.concatenate([self.met.rows, self.met.columns])
        values = np.tile(np.abs(self.met.values), 2)
        return self.diagonal + sum_by_place(teams, values, len(self.diagonal))


class InformationBuilder:
    """Sums up M."""

    def __init__(self, jacobian: Jacobian, size: int) -> None:
        self._jacobian = jacobian
        self._size = size
        # Values without teams go to the same few entries.
        self._base = np.zeros((jacobian.base, jacobian.base))
        self._teamless: list[Coo] = []
        self._teamless_count = 0
        self._rest: list[Coo] = []
        self._diagonal = np.zeros(size)
        self._effects = np.zeros((jacobian.base - jacobian.entrants) * size)

    def add(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Add values at these entries and at the transposed ones."""
        entries = Coo(np.minimum(rows, columns), np.maximum(rows, columns), values)
        if len(self._base) < self._size:
            is_teamless = entries.columns < len(self._base)
            self._rest.append(entries.take(~is_teamless))
            entries = entries.take(is_teamless)
        self._teamless.append(entries)
        self._teamless_count += len(entries.values)
        if self._teamless_count > max(_FLUSH, self._base.size // 2):
            self._sum_teamless()

    def _sum_teamless(self) -> None:
        self._base += Coo.concatenated(self._teamless).to_dense(*self._base.shape)
        self._teamless, self._teamless_count = [], 0

    def add_diagonal(self, terms: Ints, values: Floats) -> None:
        """Add values on the diagonal."""
        self._diagonal += sum_by_place(terms, values, self._size)

    def add_effects(self, effects: Ints, terms: Ints, values: Floats) -> None:
        """Add values in the rows of `effects` at `terms` and transposed."""
        places = effects * self._size
        places += terms
        places -= self._jacobian.entrants * self._size
        self._effects += sum_by_place(places, values, len(self._effects))

    def build(self) -> Information:
        """The information matrix of the added values."""
        base, entrants = self._jacobian.base, self._jacobian.entrants
        self._sum_teamless()
        block = self._base + self._base.T + np.diag(self._diagonal[:base])
        by_effect = self._effects.reshape(base - entrants, self._size)
        block[entrants:] += by_effect[:, :base]
        block[:, entrants:] += by_effect[:, :base].T
        # Entries with a team: between teams, of a team and itself, of a team and the base.
        rest = Coo.concatenated(self._rest).summed(self._size)
        among, is_own = rest.rows >= base, rest.rows == rest.columns
        met, same, direct = (rest.take(mask) for mask in (among & ~is_own, is_own, ~among))
        met = Coo(met.rows - base, met.columns - base, met.values)
        diagonal = self._diagonal[base:].copy()
        diagonal[same.rows - base] += 2 * same.values
        effects, terms = np.nonzero(by_effect[:, base:])
        direct = Coo.concatenated(
            [
                Coo(direct.columns - base, direct.rows, direct.values),
                Coo(terms, entrants + effects, by_effect[effects, base + terms]),
            ]
        )
        # The chain rule for the members of teams.
        own = np.arange(len(diagonal))
        square = Coo.concatenated([met, met.transposed(), Coo(own, own, diagonal)])
        by_members = [
            Coo(square.rows, members[square.columns], square.values * shares[square.columns])
            for members, shares in self._jacobian.seats()
        ]
        entries = Coo.concatenated([direct, *by_members])
        coupling = Coupling.from_entries(entries, len(diagonal), base)
        block += self._by_members(coupling) + self._by_members(Coupling(coupling.shape, direct)).T
        return Information(block, coupling, diagonal, met)

    def _by_members(self, coupling: Coupling) -> Floats:
        """[base, base]: the sum of the rows of teams by their members."""
        entries = coupling.entries
        if not isinstance(entries, Coo):
            return self._jacobian.dense_shares().T @ entries
        by_seat = [
            Coo(members[entries.rows], entries.columns, entries.values * shares[entries.rows])
            for members, shares in self._jacobian.seats()
        ]
        return Coo.concatenated(by_seat).to_dense(*self._base.shape)
