"""The results of finished matches, from the rows of their sides."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from django.db.models import QuerySet

from tournaments.models import Match, SideResult

CHUNK = 5000
"""Rows that are fetched at a time."""


class Result(NamedTuple):
    """The result of one match; every tuple but the last is by side."""

    match: int
    """Primary key."""

    rotation: int
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    """Final: a side with a fault is last."""

    faults: tuple[int, ...]
    """Sides with a fault."""


def results_by_group(side_results: QuerySet[SideResult]) -> dict[int, list[Result]]:
    """The finished matches among these, in the order of their rotations, by deal group.

    One query; deal groups are named by their deal groups' primary keys.
    """
    rows = (
        side_results.filter(match__state=Match.State.FINISHED)
        .order_by("match__deal_group", "match__rotation", "side")
        .values_list("match__deal_group", "match", "match__rotation", "score", "rank", "faulted")
    )
    results: dict[int, list[Result]] = {}
    for key, sides in groupby(rows.iterator(CHUNK), key=lambda row: row[:3]):
        deal_group, match, rotation = key
        *_, scores, ranks, faulted = zip(*sides, strict=True)
        guilty = tuple(side for side, fault in enumerate(faulted) if fault)
        results.setdefault(deal_group, []).append(Result(match, rotation, scores, ranks, guilty))
    return results
