"""How dramatic a match was to watch: swings of the lead, then how close it ended. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

SWING: Final = 100
"""What a change of the lead counts; how close the end was counts less than that."""
MOST: Final = 30_000


def drama(scores: Sequence[Sequence[int]]) -> int:
    """A number from 0 on, higher for more drama. `scores`: by side, after each deal.

    A tie is no lead; who leads after one that led before has not taken the lead from anybody.

    >>> drama([[5, 2], [5, 9], [11, 9]]), drama([[5, 2], [11, 2]]), drama([])
    (281, 18, 0)
    """
    if not scores or len(scores[-1]) < 2:
        return 0
    first, second, *_ = sorted(scores[-1], reverse=True)
    largest = max(abs(score) for row in scores for score in row)
    near = 1 - min(1, (first - second) / largest) if largest else 1
    return min(MOST, SWING * _swings(scores) + round((SWING - 1) * near))


def _swings(scores: Sequence[Sequence[int]]) -> int:
    """How often a side has taken the lead from another."""
    leaders = [row.index(max(row)) for row in scores if row.count(max(row)) == 1]
    return sum(one != other for one, other in pairwise(leaders))
