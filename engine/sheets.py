"""The lines of a score sheet: what counts, by which clause, and what it gives each side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Line = tuple[str, str, list[int]]  # clause, for what, points by side


def total(sheet: Sequence[Line], sides: int) -> list[int]:
    """The points of all lines by side."""
    return [sum([points[side] for _, _, points in sheet]) for side in range(sides)]


def listing(sheet: Sequence[Line]) -> list[dict[str, Any]]:
    """The lines as JSON."""
    return [
        {"clause": clause, "for": what, "points": list(points)} for clause, what, points in sheet
    ]


def added(before: Sequence[int], points: Sequence[int]) -> list[int]:
    """Scores after a deal: what each side had, and what it got."""
    return [old + new for old, new in zip(before, points, strict=True)]
