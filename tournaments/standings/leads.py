"""How the lead of a match went, move by move: for lists, and to say what made it worth watching.

Pure: the standings of a match go in, a few numbers come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine import Match

POINTS: Final = 16
"""Looks at a match between its beginning and its end, evenly spread over its moves."""


@dataclass(frozen=True, slots=True)
class Leads:
    """The course of a match as lists show it; empty where its sides formed in play."""

    line: list[int]
    """Points by which the first side was ahead of the best other, at the looks and at the end."""
    changes: int
    """How often a side took the lead from another."""
    behind: list[int]
    """By side: by how many points it was behind at most before the end."""
    turned: bool
    """Whether the last play changed who was alone in front."""


def looks(moves: int) -> frozenset[int]:
    """After which moves a match of so many is looked at; always before the last."""
    step = max(1, -(-moves // POINTS))
    return frozenset({*range(0, moves, step), max(0, moves - 1)})


def standing(match: Match) -> list[int]:
    """By side, the scores if deal and match ended now."""
    if match.turn is None:
        return match.scores
    fmt, view = match.format, match.view(None)
    known = fmt.spec.standing(fmt, view)
    if known is not None:
        return known
    lines = fmt.spec.tally(fmt, view)
    points = zip(*(line.points for line in lines), strict=True) if lines else ()
    gained = [sum(point) for point in points] or [0] * len(match.scores)
    return [score + more for score, more in zip(match.scores, gained, strict=True)]


def leads(standings: Sequence[Sequence[int]]) -> Leads:
    """The course that these standings make: at the looks, the last of them before the last play,
    then the end.

    >>> leads([[0, 0], [3, 1], [3, 5], [8, 5]])
    Leads(line=[0, 2, -2, 3], changes=2, behind=[2, 2], turned=True)
    """
    sides = len(standings[-1]) if standings else 0
    if sides < 2 or any(len(each) != sides for each in standings):
        return Leads([], 0, [], turned=False)
    line = [first - max(others) for first, *others in standings]
    behind = [
        max((max(each) - each[side] for each in standings[:-1]), default=0) for side in range(sides)
    ]
    firsts = [leader for each in standings if (leader := _alone(each)) is not None]
    changes = sum(one != other for one, other in pairwise(firsts))
    before, after = (
        (_alone(each) for each in standings[-2:]) if len(standings) > 1 else (None, None)
    )
    return Leads(line, changes, behind, turned=before != after and after is not None)


def _alone(scores: Sequence[int]) -> int | None:
    """The side that leads, if only one does."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None
