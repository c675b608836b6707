"""The lines of a score sheet: the scoring items with clauses and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.json_types import ScoreItem


class ScoreLine:
    """One scoring item of a deal. Not a tuple, because playouts create several in every deal.

    `key` identifies it to programs and stays when its text changes: lower case, digits and
    underscores, unique in a sheet. `what` describes it to people, in plain English.
    """

    __slots__ = ("clause", "key", "points", "what")

    def __init__(self, key: str, clause: str, what: str, points: list[int]) -> None:
        self.key: str = key
        self.clause: str = clause
        self.what: str = what
        self.points: list[int] = points  # by side


def total(sheet: Sequence[ScoreLine], sides: int) -> list[int]:
    """The points of all lines by side.

    >>> aces = ScoreLine("aces", "CAS-29", "aces", [1, 3])
    >>> total([aces, ScoreLine("cards", "CAS-29", "most cards", [3, 0])], 2)
    [4, 3]
    """
    rows = [line.points for line in sheet]
    return [sum([points[side] for points in rows]) for side in range(sides)]


def listing(sheet: Sequence[ScoreLine]) -> list[ScoreItem]:
    """The lines as JSON: ``key``, ``clause``, ``for`` and ``points``."""
    return [
        {"key": line.key, "clause": line.clause, "for": line.what, "points": list(line.points)}
        for line in sheet
    ]


def deal_points(scores: Sequence[int], before: Sequence[int]) -> list[float]:
    """Each side's points in a deal, from the match's scores after and before it."""
    return [float(after - score) for after, score in zip(scores, before, strict=True)]


def added(scores: Sequence[int], points: Sequence[int]) -> list[int]:
    """Each side's score after a deal."""
    return [score + gained for score, gained in zip(scores, points, strict=True)]
