"""Notice when a refit moves the scale of a pool: the average of the versions that were in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from tournaments.models import ScaleChange
from tournaments.ratings.fit import Fit


@dataclass(frozen=True, slots=True)
class Past:
    """A version in the last fit of a pool."""

    fitted: float
    component: int


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the scale of a component of the last fit."""

    versions: list[int]
    points: float
    """Elo points."""
    reason: str


def moves(
    past: Mapping[int, Past],
    after: Fit,
    before_anchors: Mapping[int, float],
    anchors: Mapping[int, float],
) -> list[Move]:
    """The moves of all components of the last fit.

    `past`: by version. `before_anchors`, `anchors`: nominal places of the anchors that had played
    by the last fit and by this one, by version. The average of the other bots is a convention
    (`ratings.scale`), so results alone hardly move it.
    """
    by_component: dict[int, list[int]] = {}
    for version, then in past.items():
        if version in after.ratings:
            by_component.setdefault(then.component, []).append(version)
    result = []
    for versions in by_component.values():
        averaged = [version for version in versions if version not in anchors] or versions
        points = fmean(after.ratings[v].rating - past[v].fitted for v in averaged)
        now = {after.ratings[version].component for version in versions}
        members = [int(v) for v, rating in after.ratings.items() if rating.component in now]
        if len({past[version].component for version in members if version in past}) > 1:
            reason = ScaleChange.Reason.CONNECTED
        elif any(anchors.get(version) != before_anchors.get(version) for version in members):
            reason = ScaleChange.Reason.ANCHORS
        elif any(version not in past for version in members):
            reason = ScaleChange.Reason.NEWCOMERS
        else:
            reason = ScaleChange.Reason.RESULTS
        result.append(Move(versions, points, reason))
    return result
