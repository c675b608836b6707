"""Convert expected points into the chance of winning the match.

The lead that a side gains in a deal varies around its expected value with the standard deviation
`Game.lead_sd`. The chance that a lead lasts is a logistic function of lead / standard deviation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from engine.game import Format

_LOGISTIC: Final = 1.7
"""With this factor, the logistic function differs from the normal distribution by at most 0.01."""


class WinProbability:
    """A side's chance of winning a match in progress. `side`: its index in the scores."""

    def __init__(
        self, fmt: Format, view: Mapping[str, Any], side: int, scores: Sequence[int]
    ) -> None:
        other_scores = [score for place, score in enumerate(scores) if place != side]
        self.lead: float = float(scores[side] - max(other_scores))
        self.other_sides: int = len(other_scores)
        two_seats, more_seats = fmt.spec.lead_sd
        lead_sd = two_seats if fmt.seats == 2 else more_seats
        deals_left = _deals_left(fmt, view["deal"], scores, lead_sd)
        # The undecided part of this deal; with an empty stock, the cards in hand still count.
        open_part = min(1.0, view["stock"] / max(1, len(fmt.spec.pack(fmt))) + 0.1)
        self.lead_sd: float = lead_sd * sqrt(deals_left + open_part)

    def chance(self, points: float) -> float:
        """The chance if the side is expected to gain `points` more than the best other side."""
        exponent = _LOGISTIC * (self.lead + points) / max(self.lead_sd, 1e-9)
        against_best = 1.0 / (1.0 + exp(-max(-40.0, min(40.0, exponent))))
        if self.other_sides < 2:
            return against_best
        # `points` is relative to the best other side, so it already accounts for part of their
        # chances.
        return against_best / (against_best + self.other_sides * (1.0 - against_best))


def _deals_left(fmt: Format, number: int, scores: Sequence[int], lead_sd: float) -> float:
    """The expected number of deals after deal `number` (from 0)."""
    deals, target = fmt.options.get("deals", 1), fmt.options.get("target", 0)
    left = max(0.0, float(deals) - 1 - number)
    if target:  # the winner of a deal gains about one `lead_sd` in it
        left = min(left, max(0.0, (float(target) - max(scores)) / lead_sd - 1.0))
    return left
