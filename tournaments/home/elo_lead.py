"""One side's lead over another: Elo with its 95 % interval, and the sequential test.

Matches of a deal group have the same cards, so the unit of the statistics is the deal group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Any

from tournaments.ratings.elo import Z95, interval_text
from tournaments.ratings.sprt import Scores, Verdict, bounds, elo_of, llr, verdict

ERROR_RATE = 0.05
"""The probability of each kind of wrong verdict."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two leads in Elo points between which the sequential test decides."""

    elo0: float
    elo1: float


@dataclass(frozen=True, slots=True)
class EloLead:
    """The first side's lead over the second."""

    scores: Scores
    """Count, sum and sum of squares of the deal groups' scores. A score is from 0 to 1."""
    hypotheses: Hypotheses | None = None

    def with_score(self, score: float) -> EloLead:
        """The lead after one more deal group, in which the first side scored `score`."""
        return EloLead(self.scores.with_score(score), self.hypotheses)

    @property
    def elo(self) -> float | None:
        """The lead in Elo points; None before the first group, and if one side won everything."""
        return _elo_or_none(self.scores.mean) if self.scores.groups else None

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The ends of the 95 % interval; None for an open end."""
        mean, half_width = self.scores.mean, Z95 * self._error
        return _elo_or_none(mean - half_width), _elo_or_none(mean + half_width)

    @property
    def superiority(self) -> float:
        """The likelihood of superiority (LOS): the probability that the first side is better.

        A normal approximation; ½ before the first group.
        """
        return (1 + erf((self.scores.mean - 0.5) / (self._error * sqrt(2)))) / 2

    @property
    def llr(self) -> float:
        """The log likelihood ratio of the hypotheses; 0 without hypotheses."""
        test = self.hypotheses
        return llr(self.scores, test.elo0, test.elo1) if test else 0.0

    @property
    def verdict(self) -> Verdict:
        """The decision of the sequential test; None while it is undecided."""
        if self.hypotheses is None:
            return None
        return verdict(self.llr, self.scores.groups, bounds(ERROR_RATE, ERROR_RATE))

    @property
    def _error(self) -> float:
        """The standard error of the mean score."""
        return sqrt(self.scores.variance() / max(self.scores.groups, 1))

    def __str__(self) -> str:
        if not self.scores.groups:
            return "Elo –"
        elo = "–" if self.elo is None else f"{self.elo:+z.0f}"
        words = f"Elo {elo} ({interval_text(*self.interval, '+')}), LOS {self.superiority:.0%}"
        if self.hypotheses is not None:
            limits = bounds(ERROR_RATE, ERROR_RATE)
            words += f", LLR {self.llr:+.2f} ({limits.lower:+.2f} to {limits.upper:+.2f})"
        return words

    def as_json(self) -> dict[str, Any]:
        """The lead as JSON for programs."""
        low, high = self.interval
        values = {
            "groups": self.scores.groups,
            "score": self.scores.mean if self.scores.groups else None,
            "elo": self.elo,
            "low": low,
            "high": high,
            "los": self.superiority if self.scores.groups else None,
        }
        if self.hypotheses is None:
            return values
        limits = bounds(ERROR_RATE, ERROR_RATE)
        return values | {
            "sprt": {
                "elo0": self.hypotheses.elo0,
                "elo1": self.hypotheses.elo1,
                "llr": self.llr,
                "lower": limits.lower,
                "upper": limits.upper,
                "verdict": self.verdict,
            }
        }


def first_side_score(ranks: Iterable[Sequence[int]]) -> float:
    """The first side's mean score in a deal group: in each match 1 ahead, ½ level, 0 behind.

    `ranks`: for each match, the ranks of the first and the second side.
    """
    points = [(second > first) + (second == first) / 2 for first, second in ranks]
    return sum(points) / len(points)


def _elo_or_none(score: float) -> float | None:
    return elo_of(score) if 0 < score < 1 else None
