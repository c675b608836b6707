"""The outcome of a tournament at home."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.course.course import Division
from tournaments.deal_groups import Entrant, MatchResult
from tournaments.home.course import Course
from tournaments.home.setup import PlayedMatch, Setup
from tournaments.ratings.fit import Fit, fit
from tournaments.standings import Cell, Row, cross_table


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a tournament."""

    setup: Setup
    matches: tuple[PlayedMatch, ...]
    standings: list[Row]
    """Of the whole tournament."""

    divisions: list[Division]
    """Of every stage."""

    cross_table: dict[Entrant, dict[Entrant, Cell]]
    """In the order of the standings."""

    fit: Fit


def report(course: Course) -> Report:
    """Standings, cross table and ratings of what was played."""
    groups: dict[int, list[MatchResult]] = {}
    for match in course.played:
        groups.setdefault(match.plan.group, []).append(match.result)
    rows = course.standings()
    return Report(
        setup=course.setup,
        matches=tuple(course.played),
        standings=rows,
        divisions=[division for stage in course.stages for division in stage],
        cross_table=cross_table([row.entrant for row in rows], groups.values()),
        fit=fit(match.game for match in course.played),
    )
