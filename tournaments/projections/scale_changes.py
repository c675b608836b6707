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


@dataclass(frozen=True, slots=True)
class ScaleShift:
    """A shift of the scale of a component of the last fit."""

    versions: list[int]
    points: float
    """Elo points."""
    reason: str


def scale_shifts(
    past_ratings: Mapping[int, PastRating],
    fit: Fit,
    before_anchors: Mapping[int, float],
    anchors: Mapping[int, float],
) -> list[ScaleShift]:
    """The shifts of all components of the last fit.

    `past_ratings`: by version. `before_anchors`, `anchors`: by version, the nominal ratings of the
    anchors in the last fit and in this one. The average of the other bots is a convention
    (`ratings.scale`), so results alone hardly shift it.
    """
    by_component: dict[int, list[int]] = {}
    for version, past_rating in past_ratings.items():
        if version in fit.ratings:
            by_component.setdefault(past_rating.component, []).append(version)
    result = []
    for versions in by_component.values():
        counted_versions = [version for version in versions if version not in anchors] or versions
        points = fmean(
            fit.ratings[version].rating - past_ratings[version].fitted
            for version in counted_versions
        )
        components = {fit.ratings[version].component for version in versions}
        members = [
            int(version)
            for version, rating in fit.ratings.items()
            if rating.component in components
        ]
        former_members = past_ratings.keys() & members
        if len({past_ratings[version].component for version in former_members}) > 1:
            reason = ScaleChange.Reason.CONNECTED
        elif any(anchors.get(version) != before_anchors.get(version) for version in members):
            reason = ScaleChange.Reason.ANCHORS
        elif any(version not in past_ratings for version in members):
            reason = ScaleChange.Reason.NEWCOMERS
        else:
            reason = ScaleChange.Reason.RESULTS
        result.append(ScaleShift(versions, points, reason))
    return result
