"""A sequential test of two Elo hypotheses on deal groups: stop as soon as the results say enough.

Wald's sequential probability ratio test (1945) adds up the log likelihood ratio of two hypotheses
and ends when the sum leaves an interval that the wanted error rates give. The matches of a deal
group are not independent and a group has more than two outcomes (five at two sides, more at wider
tables), so the ratio is the generalised one (Van den Bergh's note on the GSPRT for chess engines):
the mean score of a group under each hypothesis follows from Elo, its variance is that of the
scores seen. For small Elo differences that is the normal approximation used here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log10
from typing import Literal, NamedTuple, TypeAlias

from tournaments.ratings.elo import SCALE

Verdict: TypeAlias = Literal["better", "not better"] | None
"""What the test has found; None: it needs more groups."""

MIN_GROUPS = 16
"""Deal groups before which nothing is decided: of fewer the variance says little."""
PRIOR_GROUPS = 20
"""Imagined groups that steady the variance while few are played; they do not move the mean."""
PRIOR_VARIANCE = 0.125
"""Their variance: that of the mean of two even matches without ties, independent of each other."""
_EDGE = 0.05
"""Mean scores against the field are held this far from 0 and 1, where the Elo curve is flat."""


class Bounds(NamedTuple):
    """Where the log likelihood ratio decides."""

    lower: float
    """At or below it the candidate is not better."""

    upper: float
    """At or above it the candidate is better."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the test keeps of the scores (0 to 1 each): enough to take in one more."""

    groups: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def from_scores(cls, scores: Iterable[float]) -> "Scores":
        """Of these scores; the order does not matter."""
        kept = list(scores)
        return cls(len(kept), sum(kept), sum(score * score for score in kept))

    def plus(self, score: float) -> "Scores":
        """The same with one score more."""
        return Scores(self.groups + 1, self.total + score, self.squares + score * score)

    @property
    def mean(self) -> float:
        """The mean score; ½ before the first."""
        return self.total / self.groups if self.groups else 0.5

    def variance(self, prior: float = PRIOR_VARIANCE) -> float:
        """The variance of a score, drawn towards `prior` while there are few."""
        spread = max(self.squares - self.groups * self.mean**2, 0.0)
        return (spread + PRIOR_GROUPS * prior) / (self.groups + PRIOR_GROUPS)


def expected(elo: float) -> float:
    """The share of points that a lead of so many Elo points is worth."""
    return 1 / (1 + 10 ** (-elo / SCALE))


def elo_of(score: float) -> float:
    """The lead in Elo points that is worth this share of points; 0 < score < 1."""
    return -SCALE * log10(1 / score - 1)


def bounds(alpha: float, beta: float) -> Bounds:
    """Wald's bounds for these error rates.

    `alpha`: the chance to call a candidate better that is at `elo0`; `beta`: the chance to call one
    not better that is at `elo1`. Both above 0, together below 1.
    """
    if alpha <= 0 or beta <= 0 or alpha + beta >= 1:
        raise ValueError(f"Error rates are above 0 and together below 1, not {alpha} and {beta}.")
    return Bounds(log(beta / (1 - alpha)), log((1 - beta) / alpha))


def llr(scores: Iterable[float] | Scores, elo0: float, elo1: float) -> float:
    """The log likelihood ratio of `elo1` against `elo0`.

    `scores`: of each deal group the mean over its matches of what the candidate did against the
    stable version: 1 ahead, ½ level, 0 behind.
    """
    sums = scores if isinstance(scores, Scores) else Scores.from_scores(scores)
    return _ratio(sums, expected(elo0), expected(elo1), PRIOR_VARIANCE)


def field_llr(pairs: Sequence[tuple[float, float]], elo0: float, elo1: float) -> float:
    """The same from play against others.

    `pairs`: what the candidate and what the stable version scored in a deal group against the same
    opponent. How much better a better one does against the field depends on where the field
    stands: that is taken from the scores themselves.
    """
    if not pairs:
        return 0.0
    sums = Scores.from_scores(0.5 + (candidate - stable) / 2 for candidate, stable in pairs)
    level = sum(candidate + stable for candidate, stable in pairs) / (2 * len(pairs))
    level = min(max(level, _EDGE), 1 - _EDGE)
    lead = elo_of(level)
    mean0, mean1 = (0.5 + (expected(lead + elo) - level) / 2 for elo in (elo0, elo1))
    return _ratio(sums, mean0, mean1, PRIOR_VARIANCE / 2)  # each of the pair moves it by half


def verdict(value: float, groups: int, limits: Bounds) -> Verdict:
    """What a log likelihood ratio from so many deal groups decides."""
    if groups < MIN_GROUPS:
        return None
    if value >= limits.upper:
        return "better"
    return "not better" if value <= limits.lower else None


def _ratio(sums: Scores, mean0: float, mean1: float, prior: float) -> float:
    distance = 2 * sums.total - sums.groups * (mean0 + mean1)
    return (mean1 - mean0) * distance / (2 * sums.variance(prior))
