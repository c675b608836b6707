"""Compute the places that ratings leave open, and the deal groups that would separate two bots."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import inf, log
from statistics import harmonic_mean

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.elo import SCALE, Z95, expected
from tournaments.ratings.fit_result import Form

Interval = tuple[float, float]
"""The ends of a 95 % interval; an open end is infinite."""

_NATURAL = log(10) / SCALE
"""One Elo point in natural units."""


def groups_to_separate(points: float, sd: float, forms: Sequence[Form]) -> float:
    """The number of further deal groups between two entrants until the 95 % interval of their
    rating difference excludes 0, if the estimate does not change.

    `points`: the estimated difference in Elo points; `sd`: its standard deviation; `forms`: the
    formats of the pool, in whose proportions the further groups are played. 0 if the interval
    already excludes 0; infinite for equal ratings.

    In a format of slope s the expected score p is that of s times the difference. A match has the
    information s² p (1 − p) about the difference in natural units (Bradley & Terry 1952), a deal
    group that of its matches, divided by the dispersion of the format (quasi-likelihood; McCullagh
    & Nelder 1989, ch. 9). The precision 1 / sd² grows by the information of each group, and must
    reach (z / points)². A ranking of several equal sides (Plackett–Luce) has the same information
    about two of them. A mean of several games has the variance Σ σ² / games². So if the groups are
    spread evenly over the games, the information of a group is the harmonic mean over the games.
    """
    if abs(points) > Z95 * sd:
        return 0.0
    if not points or not forms:
        return inf
    by_game: dict[str, list[Form]] = {}
    for form in forms:
        by_game.setdefault(form.name.partition("/")[0], []).append(form)
    information = harmonic_mean([_information(points, own) for own in by_game.values()])
    missing_precision = (Z95 / points) ** 2 - 1 / sd**2
    return float(max(missing_precision, 0.0) / information)


def _information(points: float, forms: Sequence[Form]) -> float:
    """The mean information of a deal group about a difference of `points`."""
    total = 0.0
    for form in forms:
        p = expected(form.slope * points, 0.0)
        total += form.games * (form.slope * _NATURAL) ** 2 * p * (1 - p) / form.dispersion
    return total / sum(form.groups for form in forms)


def place_ranges(intervals: Sequence[Interval]) -> list[tuple[int, int]]:
    """The best and worst possible place of each entrant; the order of two is certain only if their
    intervals do not overlap."""
    lows = sorted(low for low, _ in intervals)
    highs = sorted(high for _, high in intervals)
    count = len(intervals)
    ranges = []
    for low, high in intervals:
        above = count - bisect_right(lows, high)
        below = bisect_left(highs, low)
        ranges.append((above + 1, count - below))
    return ranges


def place_ranges_by_differences(
    ratings: NDArray[np.float64], deviations: NDArray[np.float64], intervals: Sequence[Interval]
) -> list[tuple[int, int]]:
    """The best and worst possible place of each entrant; the order of two is certain if the 95 %
    interval of their difference excludes 0.

    `deviations` [entrants, entrants]: the standard deviations of the differences. The shape of an
    interval with an open end is unknown, so such entrants are compared as in `place_ranges`.
    """
    ahead = ratings[:, None] - ratings > Z95 * deviations
    ends = np.array(intervals).reshape(-1, 2)
    one_sided = np.isinf(ends).any(axis=1)
    disjoint = ends[:, :1] > ends[:, 1]
    ahead = np.where(one_sided | one_sided[:, None], disjoint, ahead)
    best, worst = 1 + ahead.sum(axis=0), len(ends) - ahead.sum(axis=1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))
