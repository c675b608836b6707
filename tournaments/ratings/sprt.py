"""A sequential test of two Elo hypotheses on deal groups.

Wald's sequential probability ratio test (1945) adds up the log likelihood ratio of two hypotheses
and stops when the sum leaves an interval given by the error rates. The matches of a deal group are
not independent, and a group has more than two outcomes, so the ratio is the generalised one (Van
den Bergh's note on the GSPRT for chess engines): the mean score of a group under each hypothesis
follows from Elo, the variance is that of the observed scores. This is the normal approximation for
small Elo differences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log10
from typing import Literal, NamedTuple, TypeAlias

from tournaments.ratings.elo import SCALE

Verdict: TypeAlias = Literal["better", "not better"] | None
"""None: undecided."""

MIN_GROUPS = 16
"""The fewest deal groups for a decision, because the variance of fewer is uncertain."""
PRIOR_GROUPS = 20
"""The weight of the prior variance, in deal groups."""
PRIOR_VARIANCE = 0.125
"""The variance of a deal group's mean score if its two matches were tosses of a coin: ¼ / 2."""
_EDGE = 0.05
"""Mean scores against the field are kept this far from 0 and 1, where the Elo curve is flat."""


class SprtBounds(NamedTuple):
    """Bounds of the log likelihood ratio."""

    lower: float
    """At or below it the candidate is not better."""

    upper: float
    """At or above it the candidate is better."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Count, sum and sum of squares of scores; each score is from 0 to 1."""

    groups: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def from_scores(cls, scores: Iterable[float]) -> "Scores":
        values = list(scores)
        return cls(len(values), sum(values), sum(score * score for score in values))

    def with_score(self, score: float) -> "Scores":
        """The sums with one more score."""
        return Scores(self.groups + 1, self.total + score, self.squares + score * score)

    @property
    def mean(self) -> float:
        """The mean score; ½ before the first score."""
        return self.total / self.groups if self.groups else 0.5

    def variance(self, prior: float = PRIOR_VARIANCE) -> float:
        """The variance of a score, shrunk towards `prior`."""
        spread = max(self.squares - self.groups * self.mean**2, 0.0)
        return (spread + PRIOR_GROUPS * prior) / (self.groups + PRIOR_GROUPS)


def expected(elo: float) -> float:
    """The expected score, 0 to 1, of a player rated `elo` above the opponent."""
    return 1 / (1 + 10 ** (-elo / SCALE))


def elo_of(score: float) -> float:
    """The Elo lead that gives this expected score; 0 < score < 1."""
    return -SCALE * log10(1 / score - 1)


def bounds(alpha: float, beta: float) -> SprtBounds:
    """Wald's bounds for these error rates.

    `alpha`: the probability of accepting a candidate of strength `elo0`; `beta`: the probability of
    rejecting one of strength `elo1`. Both above 0, together below 1.
    """
    if alpha <= 0 or beta <= 0 or alpha + beta >= 1:
        raise ValueError(f"Error rates are above 0 and together below 1, not {alpha} and {beta}.")
    return SprtBounds(log(beta / (1 - alpha)), log((1 - beta) / alpha))


def llr(scores: Iterable[float] | Scores, elo0: float, elo1: float) -> float:
    """The log likelihood ratio of `elo1` against `elo0`.

    `scores`: one per deal group: the candidate's mean score against the stable version over the
    matches of the group, where a win counts 1, a draw ½ and a loss 0.
    """
    sums = scores if isinstance(scores, Scores) else Scores.from_scores(scores)
    return _ratio(sums, expected(elo0), expected(elo1), PRIOR_VARIANCE)


def field_llr(pairs: Sequence[tuple[float, float]], elo0: float, elo1: float) -> float:
    """The log likelihood ratio of `elo1` against `elo0` from play against the field.

    `pairs`: the scores of the candidate and of the stable version in deal groups against the same
    opponent. The strength of the field is estimated from the scores.
    """
    if not pairs:
        return 0.0
    sums = Scores.from_scores(0.5 + (candidate - stable) / 2 for candidate, stable in pairs)
    mean_score = sum(candidate + stable for candidate, stable in pairs) / (2 * len(pairs))
    mean_score = min(max(mean_score, _EDGE), 1 - _EDGE)
    lead = elo_of(mean_score)
    mean0, mean1 = (0.5 + (expected(lead + elo) - mean_score) / 2 for elo in (elo0, elo1))
    # The variance of half the difference of two independent scores: (V + V) / 4.
    return _ratio(sums, mean0, mean1, PRIOR_VARIANCE / 2)


def verdict(value: float, groups: int, limits: SprtBounds) -> Verdict:
    """The decision of a log likelihood ratio `value` from `groups` deal groups."""
    if groups < MIN_GROUPS:
        return None
    if value >= limits.upper:
        return "better"
    return "not better" if value <= limits.lower else None


def _ratio(sums: Scores, mean0: float, mean1: float, prior: float) -> float:
    distance = 2 * sums.total - sums.groups * (mean0 + mean1)
    return (mean1 - mean0) * distance / (2 * sums.variance(prior))
