"""Convert parameters to the terms of sides, and derivatives back to parameters.

A side's strength is a sum of *terms*: an entrant's strength, a team's, an effect. A team's term is
the mean of its members' parameters plus their interaction. So a match between teams of two has four
terms instead of eight parameters. The likelihood is computed in terms, numbered like the
parameters; the chain rule is applied once for each team instead of once for each match.

The Jacobian of the terms is J = [[I, 0], [S, I]]: the upper rows are entrants and effects, S
[teams, entrants] holds each member's share of its team. Only S's few entries are stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import EMPTY, Floats, Ints


@dataclass(frozen=True, slots=True)
class Jacobian:
    """J of a table. Parameters and terms are the entrants, the effects, the teams, in this order.

    A team's parameter is its interaction.
    """

    entrants: int
    base: int
    """Number of parameters before the interactions: entrants and effects."""

    members: Ints
    """[teams, seats]: entrants; 0 where the share is 0."""

    shares: Floats
    """[teams, seats]: each row's sum is 1."""

    @classmethod
    def from_teams(cls, entrants: int, base: int, teams: Sequence[tuple[int, ...]]) -> "Jacobian":
        """The Jacobian of these teams; a member may be named more than once."""
        members = np.full((len(teams), max(map(len, teams), default=1)), EMPTY, dtype=np.int64)
        for number, team in enumerate(teams):
            members[number, : len(team)] = team
        is_seat = members != EMPTY
        shares = is_seat / np.maximum(is_seat.sum(axis=1, keepdims=True), 1)
        return cls(entrants, base, np.where(is_seat, members, 0), shares)

    def dense_shares(self) -> Floats:
        """[teams, base]: S, and 0 for effects."""
        result = np.zeros((len(self.members), self.base))
        for members, shares in self.seats():
            result[np.arange(len(members)), members] += shares
        return result

    def seats(self) -> list[tuple[Ints, Floats]]:
        """(members, shares) [teams] of the first seats, of the second, …"""
        return list(zip(self.members.T, self.shares.T, strict=True))

    def loadings(self) -> tuple[Ints, Floats]:
        """([terms, seats] parameters, [terms, seats] their shares) of each term.

        Interactions are omitted. A term of an entrant or an effect is that parameter itself. Empty
        places have a share of 0.
        """
        size = self.base + len(self.members)
        members = np.zeros((size, self.members.shape[1]), dtype=np.int64)
        shares = np.zeros(members.shape)
        members[: self.base, 0] = np.arange(self.base)
        shares[: self.base, 0] = 1.0
        members[self.base :], shares[self.base :] = self.members, self.shares
        return members, shares

    def terms(self, theta: Floats) -> Floats:
        """J θ: the terms' values."""
        result = theta.copy()
        result[self.base :] += (theta[self.members] * self.shares).sum(axis=1)
        return result

    def gradient(self, by_term: Floats) -> Floats:
        """Jᵀ g: the gradient by parameters from that by terms."""
        shared = by_term[self.base :, None] * self.shares
        members = self.members.reshape(-1)
        return by_term + np.bincount(members, shared.reshape(-1), minlength=len(by_term))

    def project(self, rows: Floats) -> Floats:
        """R Jᵀ: rows by parameters [rows, parameters] as rows by terms."""
        if not len(self.members):
            return rows
        result = rows.copy()
        for members, shares in self.seats():
            result[:, self.base :] += rows[:, members] * shares
        return result
