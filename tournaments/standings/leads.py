"""Summarize the lead of a match, for lists and highlights. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine import Match

POINTS: Final = 16
"""The maximum number of evenly spread samples of a match. The positions before the last move and at
the end are sampled, too."""


@dataclass(frozen=True, slots=True)
class Leads:
    """The lead during a match; empty if the sides formed during play."""

    line: list[int]
    """The first side's lead over the best other side in points, at each sample and at the end."""
    changes: int
    """The number of times that a side took the lead from another."""
    behind: list[int]
    """By side: its largest deficit before the end, in points."""
    turned: bool
    """Whether the last play gave a side the sole lead."""


def sample_moves(moves: int) -> frozenset[int]:
    """The numbers of the moves, from 0, before which to sample a match of `moves` moves.

    They include the last move; 0 if there are no moves.
    """
    step = max(1, -(-moves // POINTS))
    return frozenset({*range(0, moves, step), max(0, moves - 1)})


def standing_now(match: Match) -> list[int]:
    """By side: the scores if the match ended now."""
    if match.turn is None:
        return match.scores
    fmt, view = match.format, match.view(None)
    exact = fmt.spec.standing(fmt, view)
    if exact is not None:
        return exact
    lines = fmt.spec.tally(fmt, view)
    points = zip(*(line.points for line in lines), strict=True) if lines else ()
    open_points = [sum(point) for point in points] or [0] * len(match.scores)
    return [score + extra for score, extra in zip(match.scores, open_points, strict=True)]


def leads_of(standings: Sequence[Sequence[int]]) -> Leads:
    """The leads of a match from its standings at each sample and at the end.

    >>> leads_of([[0, 0], [3, 1], [3, 5], [8, 5]])
    Leads(line=[0, 2, -2, 3], changes=2, behind=[2, 2], turned=True)
    """
    sides = len(standings[-1]) if standings else 0
    if sides < 2 or any(len(scores) != sides for scores in standings):
        return Leads([], 0, [], turned=False)
    line = [first - max(others) for first, *others in standings]
    behind = [
        max((max(scores) - scores[side] for scores in standings[:-1]), default=0)
        for side in range(sides)
    ]
    leaders = [leader for scores in standings if (leader := _sole_leader(scores)) is not None]
    changes = sum(leader != next_leader for leader, next_leader in pairwise(leaders))
    leader_before_end, leader_at_end = (
        (_sole_leader(scores) for scores in standings[-2:]) if len(standings) > 1 else (None, None)
    )
    turned = leader_before_end != leader_at_end and leader_at_end is not None
    return Leads(line, changes, behind, turned=turned)


def _sole_leader(scores: Sequence[int]) -> int | None:
    """The sole leader, if there is one."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None
