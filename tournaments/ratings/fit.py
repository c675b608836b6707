"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals.

The package's docstring describes the model. This module combines its parts: the posterior, the
shift of each component, intervals, and the results in Elo points.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log

import numpy as np

from tournaments.deal_groups import Entrant
from tournaments.ratings import profile_likelihood, scale
from tournaments.ratings.counting import (
    PlayCounts,
    connected_components,
    count_plays,
    counts_by_form,
)
from tournaments.ratings.dispersion import PRIOR_GROUPS, dispersion
from tournaments.ratings.elo import SCALE, Z95
from tournaments.ratings.fit_result import (
    Effect,
    Fit,
    FittedRating,
    Form,
    Team,
    chance_above_zero,
    deviation,
)
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.linear_solver import covariance_factors
from tournaments.ratings.misfit import misfit
from tournaments.ratings.posterior_mode import TOLERANCE, Mode, find_mode
from tournaments.ratings.result_arrays import Floats, Ints, RatedMatch, RatingTable
from tournaments.ratings.slopes import slope_bias, slope_step

PRIOR_SD = 350.0
"""Standard deviation of the prior of a rating, in Elo points."""

ANCHOR_PRIOR = 1 / 9
"""Share of the prior's precision for anchors, whose strengths were chosen far apart."""

EFFECT_SD = 30.0
"""Standard deviation of the prior of a side's effect, in Elo points."""

_ELO = SCALE / log(10)
"""Elo points in one natural unit of θ."""

_SLOPE_STEPS = 8
"""Maximum Newton steps for the slopes; usually three suffice."""

_SLOPE_TOLERANCE = 1e-3
"""A step of the slopes' logarithms below this is the last."""

_ROUGH_TOLERANCE = 1e-5
"""`posterior_mode.TOLERANCE` of intermediate maxima: two thousandths of an Elo point."""


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
    used_anchors = scale.anchors_by_name() if anchors is None else anchors
    posterior = _posterior(table, _precision(table, prior_sd, used_anchors))
    table, plays = posterior.mode.table, count_plays(table)
    size = len(table.entrants)
    points = _ELO * posterior.mode.theta
    factor, variances = covariance_factors(
        posterior.mode.hessian(posterior.weight, posterior.precision)
    )
    factor = _ELO * table.jacobian.project(np.concatenate([factor, posterior.reactions]))
    parts = np.array(connected_components(table))
    average = _averages(factor[:, :size], parts)
    distance_factor = factor[:, :size] - average[:, parts]
    covariance = distance_factor.T @ distance_factor
    distances = points[:size] - _averages(points[None, :size], parts)[0, parts]
    points[:size] += _shifts(points[:size], covariance, parts, _indices(table, used_anchors))[parts]
    ends = _intervals(
        posterior, factor / _ELO, distance_factor / _ELO, parts, distances / _ELO, plays.groups
    )
    part_of_team = parts[table.jacobian.members[:, 0]]
    team_factor = factor[:, table.jacobian.base :] - average[:, part_of_team]
    return Fit(
        _ratings(table, points, ends, parts, plays),
        table.entrants,
        covariance,
        posterior.mode.value,
        1 / posterior.weight,
        _forms(table, posterior.weight),
        table.groups,
        _teams(table, points, (team_factor**2).sum(axis=0) + _ELO**2 * variances, plays),
        _effects(table, points, factor),
        *misfit(table, posterior.mode.theta, posterior.weight),
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
        members = np.flatnonzero(parts == part)
        own_anchors = {
            place: anchors[i] for place, i in enumerate(members.tolist()) if i in anchors
        }
        own_covariance = covariance[np.ix_(members, members)]
        shifts.append(scale.scale_shift(points[members], own_covariance, own_anchors))
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
    slopes: Floats
    """[forms, forms]: the uncertainty of the slopes' logarithms."""


def _posterior(table: RatingTable, precision: Floats) -> _Posterior:
    """Find the mode, and again with the estimated slopes, dispersion and interactions' prior."""
    no_slopes = np.zeros((0, table.parameters)), np.zeros((0, len(table.forms)))
    several_forms = len(table.forms) > 1
    mode = find_mode(table, 1.0, precision, tolerance=_ROUGH_TOLERANCE)
    if several_forms:
        mode, _ = _with_slopes(mode, 1.0, precision, steps=1)
    mode = mode.refactorized(1.0, precision)
    dispersions = dispersion(mode.table, mode.theta, mode.near)
    weight = 1 / dispersions.common
    if several_forms:
        table = replace(mode.table, weights=dispersions.common / dispersions.by_form)
    tolerance = _ROUGH_TOLERANCE if table.teams or several_forms else TOLERANCE
    mode = find_mode(table, weight, precision, near=mode, tolerance=tolerance)
    mode, (reactions, slopes) = (
        _with_slopes(mode, weight, precision) if several_forms else (mode, no_slopes)
    )
    if table.teams:
        sd = interaction_sd(mode.hessian(weight, precision), mode.theta, _ELO)
        precision[-len(table.teams) :] = (_ELO / sd) ** 2
    if table.teams or several_forms:
        mode = find_mode(mode.table, weight, precision, near=mode)
    return _Posterior(mode, weight, precision, reactions, slopes)


def _with_slopes(
    mode: Mode, weight: float, precision: Floats, steps: int = _SLOPE_STEPS
) -> tuple[Mode, tuple[Floats, Floats]]:
    """(the mode with better slopes, (reactions, factor) of the last step)."""
    bias = np.zeros(len(mode.table.forms))
    if steps > 1:  # else the dispersion is not known yet, and this is no more than a start
        mode = mode.refactorized(weight, precision)
        bias = slope_bias(mode.table, mode.theta, mode.near)
    while True:
        step = slope_step(mode.table, mode.theta, mode.solver(weight, precision), bias)
        mode = replace(mode, theta=mode.theta + step.shift)
        table = replace(mode.table, slopes=step.slopes)
        steps -= 1
        if step.length < _SLOPE_TOLERANCE:
            return replace(mode, table=table), (step.reactions, step.factor)
        mode = find_mode(table, weight, precision, near=mode, tolerance=_ROUGH_TOLERANCE)
        if not steps:
            return mode, (step.reactions, step.factor)


def _precision(table: RatingTable, prior_sd: float, anchors: scale.Anchors) -> Floats:
    """[parameters]: the prior's precision in natural units."""
    widths = [prior_sd, EFFECT_SD, USUAL_SD]
    sizes = [len(table.entrants), len(table.effects), len(table.teams)]
    precision = np.repeat((_ELO / np.array(widths)) ** 2, sizes)
    precision[list(_indices(table, anchors))] *= ANCHOR_PRIOR
    return precision


Ends = tuple[float | None, float | None]
"""Ends of an interval, relative to the rating; None: open."""


def _intervals(
    posterior: _Posterior,
    factor: Floats,
    distance_factor: Floats,
    parts: Ints,
    distances: Floats,
    groups: Ints,
) -> list[Ends]:
    """By entrant in Elo points: from the curvature, or from the profile (`profile_likelihood`).

    All arguments are in natural units.
    """
    half_widths = _ELO * Z95 * np.sqrt((distance_factor**2).sum(axis=0))
    ends: list[Ends] = [(-half_width, half_width) for half_width in half_widths.tolist()]
    table = posterior.mode.table
    record = profile_likelihood.count_wins_and_losses(table)
    skewed = groups[: len(parts)] < profile_likelihood.FEW_GROUPS
    skewed |= np.minimum(record.wins, record.losses) < profile_likelihood.FEW_RESULTS
    state = profile_likelihood.Posterior(
        table,
        posterior.weight,
        table.jacobian.terms(posterior.mode.theta),
        factor,
        np.pad(posterior.slopes, ((len(factor) - len(posterior.slopes), 0), (0, 0))),
        distance_factor,
        distances,
        _prior_of_distances(posterior.precision[: len(parts)], parts),
        PRIOR_GROUPS + max(0, table.groups - len(parts)),
    )
    entrants = np.flatnonzero(skewed).tolist()
    profiles = profile_likelihood.profiles(state, entrants, record)
    for entrant, profile in zip(entrants, profiles, strict=True):
        low, high = (None if end is None else _ELO * end for end in profile)
        ends[entrant] = low, high
    return ends


def _prior_of_distances(precision: Floats, parts: Ints) -> Floats:
    """[entrants, entrants]: the prior's precision of distances from the averages of components."""
    by_component = np.where(parts[:, None] == np.arange(parts.max() + 1), precision[:, None], 0.0)
    shares = by_component / by_component.sum(axis=0)
    return np.asarray(np.diag(precision) - shares @ by_component.T)


def _ratings(
    table: RatingTable, points: Floats, ends: list[Ends], parts: Ints, plays: PlayCounts
) -> dict[Entrant, FittedRating]:
    best_first = sorted(range(len(table.entrants)), key=lambda i: (-points[i], i))
    return {
        table.entrants[i]: FittedRating(
            entrant=table.entrants[i],
            rating=float(points[i]),
            low=None if low is None else float(points[i] + low),
            high=None if high is None else float(points[i] + high),
            games=int(plays.games[i]),
            groups=int(plays.groups[i]),
            component=int(parts[i]),
        )
        for i in best_first
        for low, high in [ends[i]]
    }


def _forms(table: RatingTable, common: float) -> tuple[Form, ...]:
    games, groups = counts_by_form(table)
    numbers = zip(table.slopes, 1 / (table.weights * common), games, groups, strict=True)
    return tuple(
        Form(name, float(slope), float(dispersion), int(matches), int(deal_groups))
        for name, (slope, dispersion, matches, deal_groups) in zip(
            table.forms, numbers, strict=True
        )
    )


def _teams(
    table: RatingTable, points: Floats, variances: Floats, plays: PlayCounts
) -> tuple[Team, ...]:
    """The ratings of teams: mean of the members plus bond; `variances` [teams]."""
    first = table.jacobian.base
    ratings = table.jacobian.terms(points)[first:]
    half_widths = Z95 * np.sqrt(variances)
    result = [
        Team(
            members=tuple(table.entrants[i] for i in members),
            rating=float(rating),
            low=float(rating - half_width),
            high=float(rating + half_width),
            bond=float(points[bond]),
            groups=int(plays.groups[bond]),
        )
        for bond, (members, rating, half_width) in enumerate(
            zip(table.teams, ratings, half_widths, strict=True), first
        )
    ]
    return tuple(sorted(result, key=lambda team: -team.rating))


def _effects(table: RatingTable, points: Floats, factor: Floats) -> tuple[Effect, ...]:
    result: list[Effect] = []
    first = len(table.entrants)
    for form in dict.fromkeys(form for form, _ in table.effects):
        sides = [side for other, side in table.effects if other == form]
        columns = slice(first, first + len(sides))
        first += len(sides)
        deviations = factor[:, columns] - factor[:, columns].mean(axis=1, keepdims=True)
        half_widths = Z95 * np.sqrt((deviations**2).sum(axis=0))
        values = points[columns] - points[columns].mean()
        result += (
            Effect(form, side, float(value), float(value - width), float(value + width))
            for side, value, width in zip(sides, values, half_widths, strict=True)
        )
    return tuple(result)


__all__ = [
    "Effect",
    "Fit",
    "FittedRating",
    "Form",
    "RatedMatch",
    "RatingTable",
    "Team",
    "chance_above_zero",
    "deviation",
    "fit",
]
