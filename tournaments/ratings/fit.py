"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals.

Model: Plackett–Luce, with two sides Bradley–Terry (`likelihood`), and a Gaussian prior on each
rating around the pool's average. A side's strength is the mean of its members, plus the *effect* of
its place at the table, plus the *interaction* of different members (on the site their bond).
Effects have a narrow prior; deal groups rotate the sides, so they hardly change the ratings. The
prior of interactions is estimated from all teams (`interactions`). Newton's method with line search
finds the unique maximum (`posterior`); the covariance is the inverse of the Hessian there.

The unit is the deal group. Its matches share cards, so they are less informative than independent
matches, or more, because rotations cancel luck; ties also vary less than coin tosses. The
*dispersion* measures this: the mean square of the groups' scores divided by that of independent
matches without ties, corrected for the fitted parameters (Pearson's estimate for a
quasi-likelihood, Wedderburn 1974; McCullagh & Nelder 1989, ch. 9, with groups as the clusters of
Liang & Zeger 1986). The likelihood is divided by it. It starts from 1 with the weight of
`PRIOR_GROUPS` groups.

Ratings are relative. The interval is that of the distance from the average of all entrants of the
same connected component. The number of that average is a convention (`scale`). Entrants that no
chain of matches connects cannot be compared (`Fit.parts`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import erf, log, sqrt

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings import intervals, scale
from tournaments.ratings.counting import PlayCounts, connected_components, count
from tournaments.ratings.dispersion import dispersion
from tournaments.ratings.elo import SCALE, Z95, expected
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.linear_solver import covariance_factors
from tournaments.ratings.misfit import misfit
from tournaments.ratings.posterior import TOLERANCE, Mode, find_mode
from tournaments.ratings.slopes import excess, slope_step
from tournaments.ratings.table import Floats, Ints, RatedMatch, RatingTable

PRIOR_SD = 350.0
"""Standard deviation of the prior of a rating, in Elo points."""

EFFECT_SD = 30.0
"""Standard deviation of the prior of a side's effect, in Elo points."""

_ELO = SCALE / log(10)
"""Elo points in one natural unit of θ."""

_SLOPE_STEPS = 8
"""Newton steps for the slopes at most; usually three suffice."""

_SLOPE_TOLERANCE = 1e-4
"""A step of the slopes' logarithms below this is the last."""

_ROUGH_TOLERANCE = 1e-5
"""`posterior.TOLERANCE` of intermediate maxima: two thousandths of an Elo point."""


@dataclass(frozen=True, slots=True)
class FittedRating:
    """An entrant's rating."""

    entrant: Entrant
    rating: float
    """Elo points."""

    low: float | None
    """Lower end of the 95 % interval; None if it is open: the entrant never won."""

    high: float | None
    """Upper end of the 95 % interval; None if it is open: the entrant never lost."""

    games: int
    """Matches counted."""

    groups: int
    """Deal groups counted."""

    component: int = 0
    """The number of its connected component (`Fit.parts`)."""

    averaged: int = 1
    """The number of games whose ratings it is the mean of (`overall`)."""


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
    """How results of a format tell about strengths."""

    name: str
    """The format."""

    slope: float
    """Strengths count so many times as in a standard match."""

    dispersion: float
    """Of its results."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted ratings of a pool."""

    ratings: dict[Entrant, FittedRating]
    """By entrant, best first."""

    entrants: tuple[Entrant, ...]
    """The order of the covariance's rows and columns."""

    covariance: Floats
    """Of the distances from the component's average, in Elo points squared."""

    log_posterior: float
    """At the maximum, up to a constant; the likelihood divided by the dispersion."""

    dispersion: float
    """Variance of a deal group's outcome over that of independent matches without ties."""

    forms: tuple["Form", ...] = ()
    """By format."""

    groups: int = 0
    """Deal groups counted."""

    parts: tuple[int, ...] = ()
    """By entrant: the number of its part of the pool; different parts never met."""

    teams: tuple[Team, ...] = ()
    """Best first."""

    effects: tuple[Effect, ...] = ()
    """By table form and side."""

    misfit: float | None = None
    """About 1 if the results follow the model (`misfit`); None if they are too few."""

    @property
    def averages(self) -> list[tuple[float, int]]:
        """By part: (average rating, number of entrants). Intervals are distances from it."""
        ratings = np.array([self.ratings[entrant].rating for entrant in self.entrants])
        sizes = np.bincount(self.parts)
        sums = np.bincount(self.parts, ratings)
        return list(zip((sums / sizes).tolist(), sizes.tolist(), strict=True))

    @property
    def components(self) -> int:
        """Number of parts; ratings in different parts cannot be compared."""
        return max(self.parts, default=0) + 1

    def difference(self, a: Entrant, b: Entrant) -> tuple[float, float]:
        """(Elo points by which a is above b, standard deviation)."""
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
    """The probability that a normal variable is above 0; one half if `sd` is 0."""
    if sd == 0:
        return 0.5
    return 0.5 * (1 + erf(points / sd / sqrt(2)))


def fit(
    games: Iterable[RatedMatch] | RatingTable,
    *,
    anchors: scale.Anchors | None = None,
    prior_sd: float = PRIOR_SD,
) -> Fit:
    """Fit all results; the order of the games does not matter.

    `anchors`: None for the usual ones, by name. Without games the fit is empty. Raises ValueError
    for a malformed game or prior.
    """
    if prior_sd <= 0:
        raise ValueError(f"The prior's standard deviation must be above 0; it is {prior_sd}.")
    table = games if isinstance(games, RatingTable) else RatingTable.from_games(games)
    if not table.entrants:
        return Fit({}, (), np.zeros((0, 0)), 0.0, 1.0)
    posterior = _posterior(table, prior_sd)
    table, played = posterior.mode.table, count(table)
    size = len(table.entrants)
    points = _ELO * posterior.mode.theta
    factor, variances = covariance_factors(
        posterior.mode.hessian(posterior.weight, posterior.precision)
    )
    factor = _ELO * table.jacobian.project(np.concatenate([factor, posterior.reactions]))
    parts = np.array(connected_components(table))
    average = _averages(factor[:, :size], parts)
    own = factor[:, :size] - average[:, parts]
    covariance = own.T @ own
    distances = points[:size] - _averages(points[None, :size], parts)[0, parts]
    known = scale.by_name() if anchors is None else anchors
    points[:size] += _shifts(points[:size], covariance, parts, _indices(table, known))[parts]
    ends = _intervals(posterior, factor / _ELO, own / _ELO, parts, distances / _ELO, played.groups)
    part_of_team = parts[table.jacobian.members[:, 0]]
    of_teams = factor[:, table.jacobian.base :] - average[:, part_of_team]
    return Fit(
        _ratings(table, points, ends, parts, played),
        table.entrants,
        covariance,
        posterior.mode.value,
        1 / posterior.weight,
        tuple(
            Form(name, float(slope), float(1 / (weight * posterior.weight)))
            for name, slope, weight in zip(table.forms, table.slopes, table.weights, strict=True)
        ),
        table.groups,
        tuple(parts.tolist()),
        _teams(table, points, (of_teams**2).sum(axis=0) + _ELO**2 * variances, played),
        _effects(table, points, factor),
        misfit(table, posterior.mode.theta, posterior.weight),
    )


def _averages(columns: Floats, parts: Ints) -> Floats:
    """[rows, components]: the mean of the columns of each component's entrants."""
    members = parts[:, None] == np.arange(parts.max() + 1)
    return np.asarray(columns @ (members / members.sum(axis=0)))


def _indices(table: RatingTable, anchors: scale.Anchors) -> dict[int, scale.Anchor]:
    return {i: anchors[name] for i, name in enumerate(table.entrants) if name in anchors}


def _shifts(
    points: Floats, covariance: Floats, parts: Ints, anchors: dict[int, scale.Anchor]
) -> Floats:
    """[components]: Elo points to add to the ratings of each component."""
    shifts = []
    for part in range(int(parts.max()) + 1):
        here = np.flatnonzero(parts == part)
        own = {place: anchors[i] for place, i in enumerate(here.tolist()) if i in anchors}
        shifts.append(scale.shift(points[here], covariance[np.ix_(here, here)], own))
    return np.array(shifts)


@dataclass(frozen=True, slots=True)
class _Posterior:
    """The result of a fit in natural units."""

    mode: Mode
    weight: float
    """The weight of the likelihood: 1 / dispersion."""
    precision: Floats
    """[parameters]: the prior's, with the estimated prior of the interactions."""
    reactions: Floats
    """[forms, parameters]: the uncertainty that comes from the slopes (`SlopeStep`)."""


def _posterior(table: RatingTable, prior_sd: float) -> _Posterior:
    """Find the mode again and again: with the dispersion, the slopes, the interactions' prior."""
    precision = _precision(table, prior_sd)
    mode = find_mode(table, 1.0, precision, tolerance=_ROUGH_TOLERANCE)
    mode = _with_slopes(mode, 1.0, precision)
    measured = dispersion(mode.table, mode.theta, mode.hessian(1.0, precision))
    weight = 1 / measured.common
    if len(table.forms) > 1:
        table = replace(mode.table, weights=measured.common / measured.by_form)
    tolerance = _ROUGH_TOLERANCE if table.teams else TOLERANCE
    mode = find_mode(table, weight, precision, near=mode, tolerance=tolerance)
    mode = _with_slopes(mode, weight, precision)
    if table.teams:
        sd = interaction_sd(mode.hessian(weight, precision), mode.theta, _ELO)
        precision[-len(table.teams) :] = (_ELO / sd) ** 2
        mode = find_mode(mode.table, weight, precision, near=mode)
    reactions = np.zeros((0, table.parameters))
    if len(table.forms) > 1:
        hessian = mode.hessian(weight, precision)
        none = np.zeros(len(table.forms))
        reactions = slope_step(mode.table, mode.theta, hessian, none).reactions
    return _Posterior(mode, weight, precision, reactions)


def _with_slopes(mode: Mode, weight: float, precision: Floats) -> Mode:
    """The mode with the best slopes; itself if there is one format."""
    if len(mode.table.forms) == 1:
        return mode
    bias = excess(mode.table, mode.theta, mode.hessian(weight, precision))
    for _ in range(_SLOPE_STEPS):
        step = slope_step(mode.table, mode.theta, mode.hessian(weight, precision), bias)
        table = replace(mode.table, slopes=step.slopes)
        mode = find_mode(table, weight, precision, near=mode)
        if step.length < _SLOPE_TOLERANCE:
            break
    return mode


def _precision(table: RatingTable, prior_sd: float) -> Floats:
    """[parameters]: the prior's precision in natural units."""
    widths = [prior_sd, EFFECT_SD, USUAL_SD]
    sizes = [len(table.entrants), len(table.effects), len(table.teams)]
    return np.repeat((_ELO / np.array(widths)) ** 2, sizes)


Ends = tuple[float | None, float | None]
"""Of an interval, relative to the rating; None: open."""


def _intervals(
    posterior: _Posterior,
    factor: Floats,
    own: Floats,
    parts: Ints,
    distances: Floats,
    groups: Ints,
) -> list[Ends]:
    """By entrant in Elo points: from the curvature, or from the profile (`intervals`).

    All arguments are in natural units.
    """
    halves = _ELO * Z95 * np.sqrt((own**2).sum(axis=0))
    ends: list[Ends] = [(-half, half) for half in halves.tolist()]
    table, record = posterior.mode.table, intervals.record(posterior.mode.table)
    few = groups[: len(parts)] < intervals.FEW_GROUPS
    few |= np.minimum(record.won, record.lost) < intervals.FEW_RESULTS
    entrants = np.flatnonzero(few)
    state = intervals.Posterior(
        table,
        posterior.weight,
        table.jacobian.terms(posterior.mode.theta),
        factor,
        own,
        float(posterior.precision[0]),
    )
    sizes = np.bincount(parts)[parts[entrants]]
    of_entrants = intervals.profiles(
        state, entrants.tolist(), distances[entrants], sizes.tolist(), record
    )
    for entrant, of_entrant in zip(entrants.tolist(), of_entrants, strict=True):
        low, high = (None if end is None else _ELO * end for end in of_entrant)
        ends[entrant] = low, high
    return ends


def _ratings(
    table: RatingTable, points: Floats, ends: list[Ends], parts: Ints, played: PlayCounts
) -> dict[Entrant, FittedRating]:
    best_first = sorted(range(len(table.entrants)), key=lambda i: (-points[i], i))
    return {
        table.entrants[i]: FittedRating(
            entrant=table.entrants[i],
            rating=float(points[i]),
            low=None if low is None else float(points[i] + low),
            high=None if high is None else float(points[i] + high),
            games=int(played.games[i]),
            groups=int(played.groups[i]),
            component=int(parts[i]),
        )
        for i in best_first
        for low, high in [ends[i]]
    }


def _teams(
    table: RatingTable, points: Floats, variances: Floats, played: PlayCounts
) -> tuple[Team, ...]:
    """The ratings of teams: mean of the members plus bond; `variances` [teams]."""
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


__all__ = ["Z95", "Effect", "Fit", "FittedRating", "RatedMatch", "RatingTable", "Team", "fit"]
