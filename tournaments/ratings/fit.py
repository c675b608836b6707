"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals.

Model: Plackett–Luce, with two sides Bradley–Terry (`likelihood`), and a Gaussian prior on each
rating around the pool's average. A side is as strong as the mean of its members, plus what its
place at the table gives (its *effect*, with a narrow prior: deal groups turn the sides round, so it
hardly touches the ratings), plus what different members are together (their *bond*, with a prior
as wide as the bonds of all teams turn out to be: `bonds`). Newton's method with line search finds
the one maximum (`posterior`); the covariance is the inverse of the Hessian there.

The unit is the deal group. Its matches share their cards, so they tell less (or, as rotating the
sides cancels luck, more) than as many independent matches, and ties are steadier than coin tosses.
The fit measures by how much: the *dispersion* is the mean square of the groups' slopes divided by
what independent matches without ties would give, corrected for the fitted parameters (Pearson's
estimate for a quasi-likelihood, Wedderburn 1974; McCullagh & Nelder 1989, ch. 9, with groups as the
clusters of Liang & Zeger 1986). The likelihood is divided by it. A few groups say little about it,
so it starts from 1 with the weight of `PRIOR_GROUPS` groups.

Ratings are relative. The interval tells how sure an entrant's distance from the pool's average is;
the anchor only decides which number the scale shows. Entrants that no chain of matches connects
cannot be compared at all: `Fit.parts` says which can.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import erf, log, sqrt

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings import bonds
from tournaments.ratings.counting import Played, count, parts
from tournaments.ratings.dispersion import dispersion
from tournaments.ratings.elo import SCALE, START, expected
from tournaments.ratings.posterior import CLOSE, maximum
from tournaments.ratings.solving import root
from tournaments.ratings.table import Floats, Game, Table

ANCHOR = "house:random"
"""Whose rating is `ANCHOR_RATING` wherever it has played."""

ANCHOR_RATING = 1000.0

PRIOR_SD = 350.0
"""Standard deviation of the prior of a rating, in Elo points."""

EFFECT_SD = 30.0
"""Standard deviation of the prior of a side's effect, in Elo points."""

Z95 = 1.959963984540054
"""Half the width of a 95 % interval in standard deviations."""

_ELO = SCALE / log(10)
"""Elo points in one natural unit of θ."""

_ROUGH = 1e-5
"""As `posterior.CLOSE`, for a maximum on the way: two thousandths of an Elo point."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One entrant's rating."""

    entrant: Entrant
    rating: float
    """Elo points."""

    low: float
    """Lower end of the 95 % interval."""

    high: float
    """Upper end of the 95 % interval."""

    games: int
    """Matches counted."""

    groups: int
    """Deal groups counted."""


@dataclass(frozen=True, slots=True)
class Team:
    """Different entrants as partners: how strong they are together."""

    members: tuple[Entrant, ...]
    rating: float
    """Elo points: the mean of the members' ratings and the bond."""

    low: float
    high: float
    """Ends of the 95 % interval of the rating."""

    bond: float
    """Elo points above the mean of the members."""

    groups: int
    """Deal groups they played together."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one side of a table form gains by its place, compared with the mean of its sides."""

    form: str
    side: int
    points: float
    """Elo points."""

    low: float
    high: float
    """Ends of the 95 % interval."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted ratings of a pool."""

    ratings: dict[Entrant, Rating]
    """By entrant, best first."""

    entrants: tuple[Entrant, ...]
    """The order of the covariance's rows and columns."""

    covariance: Floats
    """Of the distances from the pool's average, in Elo points squared."""

    log_posterior: float
    """At the maximum, up to a constant; the likelihood divided by the dispersion."""

    dispersion: float
    """Variance of a deal group's outcome over that of independent matches without ties."""

    groups: int = 0
    """Deal groups counted."""

    parts: tuple[int, ...] = ()
    """Of each entrant the part of the pool it lies in, 0, 1, …; parts never met each other."""

    teams: tuple[Team, ...] = ()
    """Best first."""

    effects: tuple[Effect, ...] = ()
    """By table form and side."""

    @property
    def components(self) -> int:
        """How many parts the pool falls into; ratings in different ones cannot be compared."""
        return max(self.parts, default=0) + 1

    def difference(self, a: Entrant, b: Entrant) -> tuple[float, float]:
        """How many Elo points a is above b, and the standard deviation of that."""
        i, j = self.entrants.index(a), self.entrants.index(b)
        points = self.ratings[a].rating - self.ratings[b].rating
        return points, deviation(self.covariance, i, j)

    def probability_better(self, a: Entrant, b: Entrant) -> float:
        """The probability that a's true rating is above b's."""
        return above_zero(*self.difference(a, b))

    def expected_score(self, a: Entrant, b: Entrant) -> float:
        """The expected score of a against b (win 1, tie ½) at the fitted ratings."""
        return expected(self.ratings[a].rating, self.ratings[b].rating)


def deviation(covariance: Floats, i: int, j: int) -> float:
    """The standard deviation of the difference of two ratings."""
    variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
    return sqrt(max(float(variance), 0.0))


def above_zero(points: float, sd: float) -> float:
    """The probability that a normal number is above 0; one half where nothing is known."""
    if sd == 0:
        return 0.5
    return 0.5 * (1 + erf(points / sd / sqrt(2)))


def fit(
    games: Iterable[Game] | Table,
    *,
    anchor: Entrant = ANCHOR,
    anchor_rating: float = ANCHOR_RATING,
    prior_sd: float = PRIOR_SD,
) -> Fit:
    """Fit all results at once; the order of the games does not matter.

    Where `anchor` has played its rating is `anchor_rating`, else the average is `elo.START`.
    Nobody has played: an empty fit. Raises ValueError for a malformed game or prior.
    """
    if prior_sd <= 0:
        raise ValueError(f"The prior's standard deviation must be above 0; it is {prior_sd}.")
    table = games if isinstance(games, Table) else Table.of(games)
    if not table.entrants:
        return Fit({}, (), np.zeros((0, 0)), 0.0, 1.0)
    precision = _precision(table, prior_sd)
    peak = maximum(table, 1.0, precision, close=_ROUGH)
    weight = 1 / dispersion(table, peak.theta, peak.hessian(1.0, precision))
    peak = maximum(table, weight, precision, peak, _ROUGH if table.teams else CLOSE)
    if teams := len(table.teams):
        hessian = peak.hessian(weight, precision).full()
        width = bonds.spread(hessian, peak.theta, precision, teams, _ELO)
        precision[-teams:] = (_ELO / width) ** 2
        peak = maximum(table, weight, precision, peak)
    points = _ELO * peak.theta
    size = len(table.entrants)
    if anchor in table.entrants:
        points[:size] = points[:size] - points[table.entrants.index(anchor)] + anchor_rating
    else:
        points[:size] = points[:size] - points[:size].mean() + START
    # The covariance's root, by units: columns times columns give what is between two of them.
    seen = _ELO * table.units.seen(root(peak.hessian(weight, precision).full()))
    average = seen[:, :size].mean(axis=1, keepdims=True)
    own = seen[:, :size] - average
    covariance = own.T @ own
    played = count(table)
    return Fit(
        _ratings(table, points, covariance, played),
        table.entrants,
        covariance,
        peak.value,
        1 / weight,
        table.groups,
        parts(table),
        _teams(table, points, seen[:, table.units.first :] - average, played),
        _effects(table, points, seen),
    )


def _precision(table: Table, prior_sd: float) -> Floats:
    """The prior's, by parameter, in natural units."""
    widths = [prior_sd, EFFECT_SD, bonds.USUAL]
    sizes = [len(table.entrants), len(table.effects), len(table.teams)]
    return np.repeat((_ELO / np.array(widths)) ** 2, sizes)


def _ratings(
    table: Table, points: Floats, covariance: Floats, played: Played
) -> dict[Entrant, Rating]:
    half = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    best_first = sorted(range(len(table.entrants)), key=lambda i: (-points[i], i))
    return {
        table.entrants[i]: Rating(
            entrant=table.entrants[i],
            rating=float(points[i]),
            low=float(points[i] - half[i]),
            high=float(points[i] + half[i]),
            games=int(played.games[i]),
            groups=int(played.groups[i]),
        )
        for i in best_first
    }


def _teams(table: Table, points: Floats, seen: Floats, played: Played) -> tuple[Team, ...]:
    """A team is the mean of its members and its bond; `seen` is the root of its covariance."""
    first = table.units.first
    ratings = table.units.strengths(points)[first:]
    halves = Z95 * np.sqrt((seen**2).sum(axis=0))
    result = [
        Team(
            members=tuple(table.entrants[i] for i in members),
            rating=float(rating),
            low=float(rating - half),
            high=float(rating + half),
            bond=float(points[bond]),
            groups=int(played.groups[bond]),
        )
        for bond, (members, rating, half) in enumerate(
            zip(table.teams, ratings, halves, strict=True), first
        )
    ]
    return tuple(sorted(result, key=lambda team: -team.rating))


def _effects(table: Table, points: Floats, seen: Floats) -> tuple[Effect, ...]:
    result: list[Effect] = []
    first = len(table.entrants)
    for form in dict.fromkeys(form for form, _ in table.effects):
        sides = [side for other, side in table.effects if other == form]
        here = slice(first, first + len(sides))
        first += len(sides)
        own = seen[:, here] - seen[:, here].mean(axis=1, keepdims=True)
        half = Z95 * np.sqrt((own**2).sum(axis=0))
        values = points[here] - points[here].mean()
        result += (
            Effect(form, side, float(value), float(value - width), float(value + width))
            for side, value, width in zip(sides, values, half, strict=True)
        )
    return tuple(result)


__all__ = ["Effect", "Fit", "Game", "Rating", "Table", "Team", "fit"]
