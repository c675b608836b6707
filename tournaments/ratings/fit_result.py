"""The outcome of a batch fit."""

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings.blocks import Floats, Ints


@dataclass(frozen=True, slots=True)
class FittedRating:
    """An entrant's rating."""

    entrant: Entrant
    rating: float
    """Elo points."""

    low: float | None
    """Lower end of the 95 % interval; None if it is open: the entrant never won or
    drew."""

    high: float | None
    """Upper end of the 95 % interval; None if it is open: the entrant never lost or
    drew."""

    games: int
    """Matches counted."""

    groups: int
    """Deal groups counted."""

    component: int = 0
    """The number of its connected component."""

    averaged: int = 1
    """`rating` is the mean of the ratings in this many games (`overall`)."""

    def contains(self, points: float) -> bool:
        """Whether a rating lies in the interval."""
        above = self.low is None or self.low <= points
        return above and (self.high is None or points <= self.high)


@dataclass(frozen=True, slots=True)
class Team:
    """The rating of different entrants as partners."""

    members: tuple[Entrant, ...]
    rating: float
    """Elo points: the mean of the members' ratings and the bond."""

    low: float
    high: float
    """Ends of the 95 % interval of the rating."""

    bond: float
    """Elo points above the mean of the members."""

    groups: int
    """Deal groups played together."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The advantage of a side of a table form, relative to the mean of its sides."""

    form: str
    side: int
    points: float
    """Elo points."""

    low: float
    high: float
    """Ends of the 95 % interval."""


@dataclass(frozen=True, slots=True)
class Form:
    """How results of a format depend on strengths."""

    name: str
    """The format."""

    slope: float
    """The factor of strengths in its results; 1 for a standard match."""

    dispersion: float
    """Variance of a deal group's outcome over that of independent matches without ties."""

    games: int = 1
    """Matches counted."""

    groups: int = 1
    """Deal groups counted."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted ratings of a pool."""

    ratings: dict[Entrant, FittedRating]
    """By entrant, best first."""

    entrants: tuple[Entrant, ...]
    """The order of the covariance's rows and columns."""

    covariance: Floats
    """Covariance of the distances from the components' averages, in Elo points squared."""

    log_posterior: float
    """The maximum of the log posterior, up to a constant; the log likelihood is divided by the
    dispersion."""

    dispersion: float
    """Variance of a deal group's outcome over that of independent matches without ties."""

    forms: tuple["Form", ...] = ()
    """The formats of the pool; for several games, the formats of all of them."""

    groups: int = 0
    """Deal groups counted."""

    teams: tuple[Team, ...] = ()
    """Best first."""

    effects: tuple[Effect, ...] = ()
    """By table form and side."""

    misfit: float | None = None
    """About 1 if the results follow the model (`misfit`); None if they are too few."""

    styles: bool = False
    """Whether `misfit` is above 1 by more than chance."""

    @property
    def parts(self) -> Ints:
        """[entrants]: the number of each entrant's component."""
        return np.array(
            [self.ratings[entrant].component for entrant in self.entrants], dtype=np.int64
        )

    @property
    def averages(self) -> list[tuple[float, int]]:
        """By component: (average rating, number of entrants). Intervals are those of the distance
        from the average; in a mean of several games each entrant has its own, so this is empty."""
        if any(rating.averaged > 1 for rating in self.ratings.values()):
            return []
        ratings = np.array([self.ratings[entrant].rating for entrant in self.entrants])
        sizes = np.bincount(self.parts)
        sums = np.bincount(self.parts, ratings)
        return list(zip((sums / sizes).tolist(), sizes.tolist(), strict=True))

    @property
    def components(self) -> int:
        """Number of components; ratings in different ones cannot be compared."""
        return int(self.parts.max(initial=0)) + 1

    def difference(self, a: Entrant, b: Entrant) -> tuple[float, float]:
        """(Elo points by which a is above b, standard deviation)."""
        i, j = self.entrants.index(a), self.entrants.index(b)
        points = self.ratings[a].rating - self.ratings[b].rating
        return points, deviation(self.covariance, i, j)


def deviation(covariance: Floats, i: int, j: int) -> float:
    """The standard deviation of the difference of two ratings."""
    variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
    return sqrt(max(float(variance), 0.0))


def chance_above_zero(points: float, sd: float) -> float:
    """The probability that a normal variable with mean `points` is above 0; ½ if `sd` is 0."""
    if sd == 0:
        return 0.5
    return 0.5 * (1 + erf(points / sd / sqrt(2)))
