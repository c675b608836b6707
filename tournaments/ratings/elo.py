"""Live Elo: a rating update after each result, between batch fits (`fit`).

Two sides: the classical update, K (score - expected) with expected = 1 / (1 + 10^(-d / 400))
(Elo 1978). More sides: the mean of the updates of all pairwise comparisons with the other sides.
A side's rating is the mean of its members', and each of its members takes the side's change.

Call `update` for each match, as the site does, or for each deal group with its points.
K: 40 for an entrant's first 30 results, 20 up to 200, 10 from then on (as federations do: large
steps for newcomers, small steps for established entrants).
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

E = TypeVar("E", bound=Hashable)

START = 1200.0
"""The rating of an entrant without results."""

SCALE = 400.0
"""A difference of this many points means odds of ten to one."""

Z95 = 1.959963984540054
"""Half of a 95 % interval in standard deviations."""

K_STEPS: tuple[tuple[int, float], ...] = ((30, 40.0), (200, 20.0))
"""(limit, K), ascending: K of an entrant with fewer results than the limit; if none, `K_LAST`."""

K_LAST = 10.0


def k_factor(results: int) -> float:
    """K of an entrant that already has this many rated results."""
    return next((k for below, k in K_STEPS if results < below), K_LAST)


def expected(rating: float, other: float) -> float:
    """The expected score (win 1, tie ½) of `rating` against `other`."""
    return float(1.0 / (1.0 + 10.0 ** ((other - rating) / SCALE)))


def interval_text(low: float | None, high: float | None, sign: str = "") -> str:
    """A 95 % interval as text; None: that end is open. `sign`: "+" to sign positive numbers, too.

    >>> interval_text(1480.4, 1561.0), interval_text(1540.2, None), interval_text(None, None)
    ('1480 to 1561', 'at least 1540', 'unknown')
    >>> interval_text(-3, 12, "+"), interval_text(-0.2, None)
    ('-3 to +12', 'at least 0')
    """
    if low is None:
        return "unknown" if high is None else f"at most {high:{sign}z.0f}"
    if high is None:
        return f"at least {low:{sign}z.0f}"
    return f"{low:{sign}z.0f} to {high:{sign}z.0f}"


def margin(rating: float, low: float | None, high: float | None) -> float | None:
    """The distance from a rating to the farther end of its interval, so that rating ± margin
    contains the interval; None if an end is open."""
    return None if low is None or high is None else max(high - rating, rating - low)


def half_width(rating: float, low: float | None, high: float | None) -> float | None:
    """Half of the width of an interval around a rating, or the width of its only closed side; None
    if both ends are open."""
    sides = [abs(end - rating) for end in (low, high) if end is not None]
    return sum(sides) / len(sides) if sides else None


def update(
    ratings: Mapping[E, float],
    results: Mapping[E, int],
    sides: Sequence[Sequence[E]],
    points: Sequence[float],
    *,
    frozen: Collection[E] = (),
) -> dict[E, float]:
    """The new ratings of the entrants of one result.

    `ratings` and `results`: the ratings and numbers of rated results before this one (missing:
    `START`, 0). `sides`: the members of each side; a member that is listed several times changes
    once. `points`: of each side; more is better, equal is a tie. With three sides or more only
    their order counts; with two sides, points in 0 … 1 that sum to 1 (a deal group's) count as they
    are. `frozen` entrants (anchors) keep their rating.

    Raises ValueError if sides and points do not match.
    """
    if len(sides) < 2 or len(sides) != len(points) or not all(sides):
        raise ValueError("An Elo update needs two or more sides, none empty, and points for each.")
    strengths = [sum(ratings.get(m, START) for m in side) / len(side) for side in sides]
    scores = _pairwise(points)
    changes: dict[E, float] = {}
    for i, side in enumerate(sides):
        surprise = sum(
            scores[i][j] - expected(strengths[i], strengths[j]) for j in range(len(sides)) if j != i
        ) / (len(sides) - 1)
        for member in dict.fromkeys(side):
            step = 0.0 if member in frozen else k_factor(results.get(member, 0)) * surprise
            changes[member] = changes.get(member, 0.0) + step
    return {member: ratings.get(member, START) + change for member, change in changes.items()}


def _pairwise(points: Sequence[float]) -> list[list[float]]:
    """The score of each side against each other: 1, ½ or 0; for two sides a deal group's share."""
    if len(points) == 2 and abs(sum(points) - 1) < 1e-6 and all(0 <= p <= 1 for p in points):
        return [[0.5, points[0]], [points[1], 0.5]]
    return [[(a > b) + (a == b) / 2 for b in points] for a in points]
