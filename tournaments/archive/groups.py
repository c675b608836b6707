"""The deal groups of an archive as the course of a tournament counts them."""

from __future__ import annotations

from tournaments.archive.shapes import ArchivedFixture
from tournaments.course.divisions import Group, listed, rotated
from tournaments.deal_groups import MatchResult


def group_of(fixture: ArchivedFixture) -> Group:
    """A deal group with its finished matches."""
    return Group(
        fixture.stage,
        fixture.division,
        fixture.round,
        fixture.pairing,
        listed(fixture.sides, fixture.group),
        results_of(fixture),
        fixture.open,
    )


def results_of(fixture: ArchivedFixture) -> tuple[MatchResult, ...]:
    """Its finished matches."""
    return tuple(
        rotated(fixture.sides, each.rotation, each.scores, each.ranks, each.faults)
        for each in fixture.matches
        if each.finished
    )
