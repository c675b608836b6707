"""Notice when a refit moves the scale of a pool: ratings of versions without new results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from statistics import fmean

from tournaments.models import PoolFit, ScaleChange
from tournaments.ratings.fit import Fit

LEAST = 5.0
"""Elo points; smaller moves are not recorded."""


def scale_changes(
    before: PoolFit,
    ratings: Mapping[int, float],
    after: Fit,
    last: Mapping[int, int],
    anchors: Mapping[int, float],
    at: datetime,
) -> Iterator[ScaleChange]:
    """The moves of the components, from the pool's last fit and its `ratings` to a new one.

    `last`: the ordinal of each version's last result; `anchors`: nominal places by version, if they
    have played.
    """
    for part in range(after.components):
        members = [int(v) for v, p in zip(after.entrants, after.parts, strict=True) if p == part]
        idle = [v for v in members if v in ratings and last[v] <= before.ordinal]
        points = fmean(after.ratings[v].rating - ratings[v] for v in idle) if idle else 0.0
        if abs(points) < LEAST:
            continue
        yield ScaleChange(
            pool=before.pool,
            component=part,
            ordinal=max(last[v] for v in members),
            points=round(points, 1),
            reason=_reason(before, members, anchors),
            at=at,
        )


def _reason(before: PoolFit, members: list[int], anchors: Mapping[int, float]) -> str:
    old_parts = dict(zip(before.entrants, before.parts, strict=True))
    old_anchors = dict(before.anchors)
    if len({old_parts[v] for v in members if v in old_parts}) > 1:
        return ScaleChange.Reason.CONNECTED
    if any(anchors.get(v) != old_anchors.get(v) for v in members):
        return ScaleChange.Reason.ANCHORS
    if any(v not in old_parts for v in members):
        return ScaleChange.Reason.NEWCOMERS
    return ScaleChange.Reason.RESULTS
