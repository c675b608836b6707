"""Who plays a side, as one number: an entrant, or a team that has a parameter of its own.

A match between teams of two names eight parameters: four members, two effects, two bonds. Seen as
*units* it names four: a team's unit is as strong as the mean of its members and its bond together.
The likelihood is computed in units, which are numbered as the parameters are, and only what comes
out is put to the members: once for each team instead of once for each match.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import EMPTY, Floats, Ints


@dataclass(frozen=True, slots=True)
class Units:
    """The teams' members. Parameters and units are the entrants, the effects, the teams."""

    entrants: int
    first: int
    """The number of the first team."""

    members: Ints
    """[teams, seats]: entrants; `EMPTY` where a team has fewer."""

    shares: Floats
    """[teams, entrants]: an entrant's part in a team; each team's sum to 1."""

    @classmethod
    def of(cls, entrants: int, first: int, teams: Sequence[tuple[int, ...]]) -> "Units":
        """Of these teams; a member may be named more than once."""
        members = np.full((len(teams), max(map(len, teams), default=1)), EMPTY, dtype=np.int64)
        shares = np.zeros((len(teams), entrants))
        for number, team in enumerate(teams):
            members[number, : len(team)] = team
            for member in team:
                shares[number, member] += 1 / len(team)
        return cls(entrants, first, members, shares)

    @property
    def people(self) -> tuple[Ints, Floats]:
        """[units, seats] of all units the entrants behind them and their parts, 0 without one.

        An effect stands for itself.
        """
        width = self.members.shape[1]
        members = np.zeros((self.first + len(self.members), width), dtype=np.int64)
        weights = np.zeros(members.shape)
        members[: self.first, 0] = np.arange(self.first)
        weights[: self.first, 0] = 1.0
        real = self.members != EMPTY
        members[self.first :] = np.where(real, self.members, 0)
        weights[self.first :] = real / real.sum(axis=1, keepdims=True)
        return members, weights

    def strengths(self, theta: Floats) -> Floats:
        """[units] from parameters."""
        result = theta.copy()
        result[self.first :] += self.shares @ theta[: self.entrants]
        return result

    def gathered(self, slope: Floats) -> Floats:
        """The derivatives by parameters, from those by units [units]."""
        result = slope.copy()
        result[: self.entrants] += slope[self.first :] @ self.shares
        return result

    def curved(self, square: Floats) -> Floats:
        """The second derivatives by parameters, from those by units; `square` is overwritten."""
        if len(self.shares):
            square[:, : self.entrants] += square[:, self.first :] @ self.shares
            square[: self.entrants] += self.shares.T @ square[self.first :]
        return square

    def seen(self, rows: Floats) -> Floats:
        """[rows, units] from [rows, parameters]: each row times the strengths' derivatives."""
        if not len(self.shares):
            return rows
        result = rows.copy()
        result[:, self.first :] += rows[:, : self.entrants] @ self.shares.T
        return result
