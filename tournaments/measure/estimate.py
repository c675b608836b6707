"""The rating of a player that has met only the expert's levels, and the best next level.

The levels have fixed ratings, so the model's rating is the only unknown. Its posterior is computed
on a grid of points, and the interval's ends are quantiles of it. The prior is normal around the
middle level with the usual standard deviation of a rating. A deal group counts as its matches,
divided by the estimated dispersion: matches with the same cards are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from bots.referee.house import LEVELED
from cardroom_base.core.names import HOUSE
from engine import Format
from engine.search import LEVELS
from tournaments.ratings import scale
from tournaments.ratings.blocks import Floats
from tournaments.ratings.elo import SCALE
from tournaments.ratings.fit import PRIOR_SD
from tournaments.ratings.sprt import PRIOR_GROUPS

_GRID: Final[Floats] = np.arange(scale.MIDDLE_LEVEL - 2_000, scale.MIDDLE_LEVEL + 2_001, 2.0)
_DISPERSION: Final = (0.3, 3.0)
"""Bounds of the dispersion."""


class GroupResult(NamedTuple):
    """A finished deal group: the model against one level."""

    number: int
    level: int
    matches: int
    score: float
    """The model's mean points of a match, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The rating of the model, with its 95 % interval."""

    rating: float
    low: float
    high: float
    next_level: int
    """The level whose result is most informative about the rating."""

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def level_ratings(fmt: Format) -> dict[int, float]:
    """The rating of each level, in Elo points; the middle level has `scale.MIDDLE_LEVEL`.

    The differences were measured in the game, in matches of two players over one deal
    (`Levels.rating_steps`). In a game without measurements they are those of the anchors
    (`ratings.scale`).
    """
    steps = fmt.spec.levels.rating_steps[1 : len(LEVELS)]
    if not steps:
        anchors = scale.anchors_by_name()
        return {level: anchors[f"{HOUSE}{LEVELED}-{level}"].points for level in LEVELS}
    heights = np.concatenate([[0.0], np.cumsum(steps)])
    middle = heights[len(LEVELS) // 2]
    return {
        level: scale.MIDDLE_LEVEL + float(height - middle)
        for level, height in zip(LEVELS, heights, strict=True)
    }


def estimate(groups: Sequence[GroupResult], levels: Mapping[int, float]) -> Estimate:
    """The rating after these deal groups, in any order; `levels`: as from `level_ratings`."""
    groups = sorted(groups)
    median = _quantile(_posterior(groups, levels, 1.0), 0.5)
    posterior = _posterior(groups, levels, _dispersion(groups, levels, median))
    information = {
        level: float(posterior @ (chances * (1 - chances)))
        for level, level_rating in levels.items()
        for chances in [_chances(_GRID, level_rating)]
    }
    middle = len(levels) // 2 + 1
    return Estimate(
        _quantile(posterior, 0.5),
        _quantile(posterior, 0.025),
        _quantile(posterior, 0.975),
        max(levels, key=lambda level: (round(information[level], 9), -abs(level - middle))),
    )


def _posterior(
    groups: Sequence[GroupResult], levels: Mapping[int, float], dispersion: float
) -> Floats:
    """[grid]: the probability of each rating of the grid."""
    log_probabilities = -(((_GRID - scale.MIDDLE_LEVEL) / PRIOR_SD) ** 2) / 2
    for level, level_rating in levels.items():
        groups_of_level = [group for group in groups if group.level == level]
        matches = sum(group.matches for group in groups_of_level)
        points = sum(group.matches * group.score for group in groups_of_level)
        chances = _chances(_GRID, level_rating)
        log_probabilities += (
            points * np.log(chances) + (matches - points) * np.log(1 - chances)
        ) / dispersion
    weights = np.exp(log_probabilities - log_probabilities.max())
    return np.asarray(weights / weights.sum())


def _dispersion(groups: Sequence[GroupResult], levels: Mapping[int, float], rating: float) -> float:
    """The variance of groups' scores relative to that of independent matches without ties.

    Before many groups are played it is near 1, because `PRIOR_GROUPS` fictitious groups with
    dispersion 1 count, too.
    """
    total = float(PRIOR_GROUPS)
    for group in groups:
        chance = float(_chances(np.array(rating), levels[group.level]))
        total += (group.score - chance) ** 2 * group.matches / (chance * (1 - chance))
    return min(max(total / (PRIOR_GROUPS + len(groups)), _DISPERSION[0]), _DISPERSION[1])


def _chances(ratings: Floats, level_rating: float) -> Floats:
    """[ratings]: the expected score of each rating against a level."""
    return np.asarray(1 / (1 + 10 ** ((level_rating - ratings) / SCALE)))


def _quantile(posterior: Floats, share: float) -> float:
    return float(np.interp(share, np.cumsum(posterior) - posterior / 2, _GRID))
