"""The overall rating: the mean of an entrant's ratings in the games it plays.

Each game counts once, however much of it was played. Fits of different games are independent, so
covariances add up.

A rating is a distance from the average of a component. The average bots of two components of a game
may differ in strength, so an entrant's games count only where it is in the largest component;
if it is in none of these, its ratings count, but it is in another component of the result.
"""

from collections.abc import Iterable, Sequence
from math import hypot

import numpy as np
from numpy.typing import NDArray

from tournaments.deal_groups import Entrant
from tournaments.ratings.blocks import Ints, unique_inverse
from tournaments.ratings.counting import components
from tournaments.ratings.fit import Fit, FittedRating, Team
from tournaments.ratings.result_arrays import sort_entrants


def overall(fits: Sequence[Fit]) -> Fit:
    """The mean of fits, one for each game; a single one is returned as it is.

    Intervals are those of the mean of the distances from the games' averages. Entrants are
    connected if their ratings in a game count and are in one component.
    """
    if len(fits) == 1:
        return fits[0]
    entrants = sort_entrants({entrant for fit in fits for entrant in fit.entrants})
    number = {entrant: i for i, entrant in enumerate(entrants)}
    numbers = [np.array([number[e] for e in fit.entrants], dtype=np.int64) for fit in fits]
    counted = _counted(fits, numbers, len(entrants))
    places = [indices[mask] for indices, mask in zip(numbers, counted, strict=True)]
    counts = np.bincount(np.concatenate(places), minlength=len(entrants))
    covariance = np.zeros((len(entrants), len(entrants)))
    ratings_of: list[list[FittedRating]] = [[] for _ in entrants]
    firsts = []
    for fit, indices, mask in zip(fits, places, counted, strict=True):
        share = 1 / counts[indices]
        own = fit.covariance[np.ix_(mask, mask)]
        covariance[np.ix_(indices, indices)] += share[:, None] * own * share
        first, part, _ = unique_inverse(fit.parts[mask])
        firsts.append(indices[first][part])
        for i in indices.tolist():
            ratings_of[i].append(fit.ratings[entrants[i]])
    parts = components(len(entrants), np.concatenate(places), np.concatenate(firsts))
    ratings = [_mean(rows, part) for rows, part in zip(ratings_of, parts, strict=True)]
    groups = np.array([fit.groups for fit in fits])
    return Fit(
        {rating.entrant: rating for rating in sorted(ratings, key=lambda rating: -rating.rating)},
        entrants,
        covariance,
        sum(fit.log_posterior for fit in fits),
        float(np.average([fit.dispersion for fit in fits], weights=groups)),
        forms=tuple(form for fit in fits for form in fit.forms),
        groups=int(groups.sum()),
        teams=_teams(fits),
    )


def _counted(fits: Sequence[Fit], numbers: Sequence[Ints], size: int) -> list[NDArray[np.bool_]]:
    """By fit [entrants]: whether the rating counts; `numbers`: of the fit's entrants, below
    `size`."""
    largest = [fit.parts == np.bincount(fit.parts).argmax() for fit in fits]
    is_in_any = np.zeros(size, dtype=bool)
    for indices, mask in zip(numbers, largest, strict=True):
        is_in_any[indices[mask]] = True
    return [mask | ~is_in_any[indices] for indices, mask in zip(numbers, largest, strict=True)]


def _mean(ratings: Sequence[FittedRating], part: int) -> FittedRating:
    points = sum(rating.rating for rating in ratings) / len(ratings)
    below, above = (_error(ratings, side) for side in ("low", "high"))
    return FittedRating(
        ratings[0].entrant,
        points,
        None if below is None else points - below,
        None if above is None else points + above,
        games=sum(rating.games for rating in ratings),
        groups=sum(rating.groups for rating in ratings),
        component=part,
        averaged=len(ratings),
    )


def _error(ratings: Sequence[FittedRating], side: str) -> float | None:
    """The error of the mean on this side; None if an interval is open there."""
    ends = [getattr(rating, side) for rating in ratings]
    if None in ends:
        return None
    errors = (end - rating.rating for end, rating in zip(ends, ratings, strict=True))
    return hypot(*errors) / len(ratings)


def _teams(fits: Iterable[Fit]) -> tuple[Team, ...]:
    """The mean ratings of teams."""
    by_members: dict[tuple[Entrant, ...], list[Team]] = {}
    for fit in fits:
        for team in fit.teams:
            by_members.setdefault(team.members, []).append(team)
    result = []
    for members, teams in by_members.items():
        count = len(teams)
        points = sum(team.rating for team in teams) / count
        half_width = hypot(*(team.high - team.rating for team in teams)) / count
        bond = sum(team.bond for team in teams) / count
        groups = sum(team.groups for team in teams)
        result.append(Team(members, points, points - half_width, points + half_width, bond, groups))
    return tuple(sorted(result, key=lambda team: -team.rating))
