"""Find how a refit shifted a pool's scale: how the mean rating of the versions of the last fit
changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from tournaments.models import ScaleChange
from tournaments.ratings.fit import Fit


@dataclass(frozen=True, slots=True)
class PastRating:
    """A version in the last fit of a pool."""

    fitted: float
    component: int
    games: int
    """`fitted` is the mean of the ratings in this many games."""


@dataclass(frozen=True, slots=True)
class PastFit:
    """The part of a pool's stored fit that shows how the next one shifts the scale."""

    ratings: dict[int, PastRating]
    """By version."""
    shifts: dict[int, float]
    """`RatingPoint.shift` by version."""
    anchors: dict[int, float]
    """By version: the nominal ratings of the anchors that had played."""
    withdrawn: bool
    """Whether results have been withdrawn since, in this pool or another."""


@dataclass(frozen=True, slots=True)
class ScaleShift:
    """A shift of the scale of a component of the last fit."""

    versions: list[int]
    points: float
    """Elo points."""
    reason: str


def scale_shifts(past: PastFit, fit: Fit, anchors: Mapping[int, float]) -> list[ScaleShift]:
    """The shifts of all components of the last fit.

    `anchors`: the nominal ratings of the anchors in this fit, by version. The average of the other
    bots is a convention (`ratings.scale`), so results alone hardly shift it. In the mean of several
    games this holds if each version counts as often as it has games.
    """
    by_component: dict[int, list[int]] = {}
    for version, past_rating in past.ratings.items():
        if version in fit.ratings:
            by_component.setdefault(past_rating.component, []).append(version)
    result = []
    for versions in by_component.values():
        counted = [
            version
            for version in versions
            if version not in anchors
            and past.ratings[version].games == fit.ratings[version].averaged
        ] or versions
        points = fmean(
            (fit.ratings[version].rating - past.ratings[version].fitted for version in counted),
            [fit.ratings[version].averaged for version in counted],
        )
        components = {fit.ratings[version].component for version in versions}
        members = [
            int(version)
            for version, rating in fit.ratings.items()
            if rating.component in components
        ]
        former_members = past.ratings.keys() & members
        if len({past.ratings[version].component for version in former_members}) > 1:
            reason = ScaleChange.Reason.CONNECTED
        elif any(anchors.get(version) != past.anchors.get(version) for version in members):
            reason = ScaleChange.Reason.ANCHORS
        elif any(version not in past.ratings for version in members):
            reason = ScaleChange.Reason.NEWCOMERS
        elif past.withdrawn:
            reason = ScaleChange.Reason.WITHDRAWN
        else:
            reason = ScaleChange.Reason.RESULTS
        result.append(ScaleShift(versions, points, reason))
    return result
