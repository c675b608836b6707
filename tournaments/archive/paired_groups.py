"""Convert deal groups of an archive to those of a tournament's course."""

from __future__ import annotations

from tournaments.archive.shapes import ArchivedGroup
from tournaments.course.divisions import PairedGroup, order_sides, result_of_rotation
from tournaments.deal_groups import MatchResult


def group_of(deal_group: ArchivedGroup) -> PairedGroup:
    """The deal group with its finished matches."""
    return PairedGroup(
        deal_group.stage,
        deal_group.division,
        deal_group.round,
        deal_group.pairing,
        order_sides(deal_group.sides, deal_group.group),
        results_of(deal_group),
        deal_group.open,
    )


def results_of(deal_group: ArchivedGroup) -> tuple[MatchResult, ...]:
    """The results of the finished matches."""
    return tuple(
        result_of_rotation(
            deal_group.sides, match.rotation, match.scores, match.ranks, match.faults
        )
        for match in deal_group.matches
        if match.finished
    )
