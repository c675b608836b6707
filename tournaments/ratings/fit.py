"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals.

Model: Plackett–Luce, with two sides Bradley–Terry (`likelihood`), and a Gaussian prior on each
rating around the pool's average. A side is as strong as the mean of its members, plus what its
place at the table gives (its *effect*, with a narrow prior: deal groups turn the sides round, so it
hardly touches the ratings), plus what different members are together (their *interaction*, on
the site their bond, with a prior as wide as those of all teams turn out to be: `interactions`).
Newton's method with line search finds the one maximum (`posterior`); the covariance is the inverse
of the Hessian there.

The unit is the deal group. Its matches share their cards, so they tell less (or, as rotating the
sides cancels luck, more) than as many independent matches, and ties are steadier than coin tosses.
The fit measures by how much: the *dispersion* is the mean square of the groups' scores divided by
what independent matches without ties would give, corrected for the fitted parameters (Pearson's
estimate for a quasi-likelihood, Wedderburn 1974; McCullagh & Nelder 1989, ch. 9, with groups as the
clusters of Liang & Zeger 1986). The likelihood is divided by it. A few groups say little about it,
so it starts from 1 with the weight of `PRIOR_GROUPS` groups.

Ratings are relative. The interval tells how sure an entrant's distance from the pool's average is;
the anchors only decide which numbers the scale shows (`anchors`). Entrants that no chain of matches
connects cannot be compared at all: `Fit.parts` says which can.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import erf, log, sqrt

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings.anchors import BY_NAME, Anchors
from tournaments.ratings.counting import Played, connected_components, count
from tournaments.ratings.dispersion import dispersion
from tournaments.ratings.elo import SCALE, START, Z95, expected
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.linear_solver import covariance_factors
from tournaments.ratings.posterior import TOLERANCE, Mode, find_mode
from tournaments.ratings.table import Floats, Game, RatingTable

PRIOR_SD = 350.0
"""Standard deviation of the prior of a rating, in Elo points."""

EFFECT_SD = 30.0
"""Standard deviation of the prior of a side's effect, in Elo points."""

_ELO = SCALE / log(10)
"""Elo points in one natural unit of θ."""

_ROUGH_TOLERANCE = 1e-5
"""As `posterior.TOLERANCE`, for a maximum on the way: two thousandths of an Elo point."""


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
    games: Iterable[Game] | RatingTable,
    *,
    anchors: Anchors = BY_NAME,
    prior_sd: float = PRIOR_SD,
) -> Fit:
    """Fit all results at once; the order of the games does not matter.

    Where no anchor has played the average is `elo.START`.
    Nobody has played: an empty fit. Raises ValueError for a malformed game or prior.
    """
    if prior_sd <= 0:
        raise ValueError(f"The prior's standard deviation must be above 0; it is {prior_sd}.")
    table = games if isinstance(games, RatingTable) else RatingTable.from_games(games)
    if not table.entrants:
        return Fit({}, (), np.zeros((0, 0)), 0.0, 1.0)
    found = _posterior(table, prior_sd)
    played = count(table)
    size = len(table.entrants)
    points = _ELO * found.mode.theta
    points[:size] += _offset(table, points[:size], played, anchors)
    factor, variances = covariance_factors(found.mode.hessian(found.weight, found.precision))
    factor = _ELO * table.jacobian.project(factor)
    average = factor[:, :size].mean(axis=1, keepdims=True)
    own = factor[:, :size] - average
    covariance = own.T @ own
    of_teams = ((factor[:, table.jacobian.base :] - average) ** 2).sum(axis=0)
    return Fit(
        _ratings(table, points, covariance, played),
        table.entrants,
        covariance,
        found.mode.value,
        1 / found.weight,
        table.groups,
        connected_components(table),
        _teams(table, points, of_teams + _ELO**2 * variances, played),
        _effects(table, points, factor),
    )


def _offset(table: RatingTable, points: Floats, played: Played, anchors: Anchors) -> float:
    """Elo points to add to all ratings, so that the anchors stand where they belong."""
    for fixed in anchors:
        there = [i for i, entrant in enumerate(table.entrants) if entrant in fixed]
        if there:
            wanted = np.array([fixed[table.entrants[i]] for i in there])
            groups = played.groups[there]
            return float(groups / groups.sum() @ (wanted - points[there]))
    return START - float(points.mean())


@dataclass(frozen=True, slots=True)
class _Posterior:
    """What a fit has found before it is put into Elo points."""

    mode: Mode
    weight: float
    """Of the likelihood: 1 / dispersion."""
    precision: Floats
    """[parameters]: the prior's, with what was learnt about the interactions."""


def _posterior(table: RatingTable, prior_sd: float) -> _Posterior:
    """Find the mode thrice: for the dispersion, for the interactions' prior, and with both."""
    precision = _precision(table, prior_sd)
    mode = find_mode(table, 1.0, precision, tolerance=_ROUGH_TOLERANCE)
    weight = 1 / dispersion(table, mode.theta, mode.hessian(1.0, precision))
    tolerance = _ROUGH_TOLERANCE if table.teams else TOLERANCE
    mode = find_mode(table, weight, precision, near=mode, tolerance=tolerance)
    if table.teams:
        sd = interaction_sd(mode.hessian(weight, precision), mode.theta, _ELO)
        precision[-len(table.teams) :] = (_ELO / sd) ** 2
        mode = find_mode(table, weight, precision, near=mode)
    return _Posterior(mode, weight, precision)


def _precision(table: RatingTable, prior_sd: float) -> Floats:
    """The prior's, by parameter, in natural units."""
    widths = [prior_sd, EFFECT_SD, USUAL_SD]
    sizes = [len(table.entrants), len(table.effects), len(table.teams)]
    return np.repeat((_ELO / np.array(widths)) ** 2, sizes)


def _ratings(
    table: RatingTable, points: Floats, covariance: Floats, played: Played
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


def _teams(
    table: RatingTable, points: Floats, variances: Floats, played: Played
) -> tuple[Team, ...]:
    """A team's rating is the mean of its members' and its bond; `variances` [teams] are its own."""
    first = table.jacobian.base
    ratings = table.jacobian.terms(points)[first:]
    halves = Z95 * np.sqrt(variances)
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


def _effects(table: RatingTable, points: Floats, factor: Floats) -> tuple[Effect, ...]:
    result: list[Effect] = []
    first = len(table.entrants)
    for form in dict.fromkeys(form for form, _ in table.effects):
        sides = [side for other, side in table.effects if other == form]
        here = slice(first, first + len(sides))
        first += len(sides)
        own = factor[:, here] - factor[:, here].mean(axis=1, keepdims=True)
        half = Z95 * np.sqrt((own**2).sum(axis=0))
        values = points[here] - points[here].mean()
        result += (
            Effect(form, side, float(value), float(value - width), float(value + width))
            for side, value, width in zip(sides, values, half, strict=True)
        )
    return tuple(result)


__all__ = ["Z95", "Effect", "Fit", "Game", "Rating", "RatingTable", "Team", "fit"]
