"""The results of finished matches, from the rows of their sides."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from django.db.models import QuerySet

from tournaments.models import Match, SideResult

CHUNK = 5000
"""Rows fetched at a time."""


class StoredResult(NamedTuple):
    """The result of one match; every tuple except the last has a value for each side."""

    match: int
    """Primary key."""

    rotation: int
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    """Final ranks; a side with a fault is last."""

    faults: tuple[int, ...]
    """Sides with a fault."""


def results_by_group(side_results: QuerySet[SideResult]) -> dict[int, list[StoredResult]]:
    """By primary key of the deal group: its finished matches, in the order of their rotations.

    One query.
    """
    rows = (
        side_results.filter(match__state=Match.State.FINISHED)
        .order_by("match__deal_group", "match__rotation", "side")
        .values_list("match__deal_group", "match", "match__rotation", "score", "rank", "faulted")
    )
    results: dict[int, list[StoredResult]] = {}
    for key, sides in groupby(rows.iterator(CHUNK), key=lambda row: row[:3]):
        deal_group, match, rotation = key
        *_, scores, ranks, faulted = zip(*sides, strict=True)
        faulted_sides = tuple(side for side, fault in enumerate(faulted) if fault)
        result = StoredResult(match, rotation, scores, ranks, faulted_sides)
        results.setdefault(deal_group, []).append(result)
    return results
