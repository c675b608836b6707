"""Standings and cross tables of a tournament, and of each of its stages."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.course.course import Division, begun_stages
from tournaments.course.divisions import merge_rows
from tournaments.deal_groups import Entrant, MatchResult
from tournaments.models import Entry, Tournament
from tournaments.reading.course import course
from tournaments.standings import Cell, Row, cross_table, standings

Stages = list[list[Division]]
"""The divisions of each stage that has been paired."""


def paired_stages(tournament: Tournament) -> Stages:
    """The stages that have been paired; `Division.rows` are the standings of each division."""
    return begun_stages(course(tournament))


def tournament_standings(tournament: Tournament) -> list[Row]:
    """The standings, finished or running; a row's entrant is an entry's primary key.

    Entries that play a later stage rank above all others. The winners of a stage's divisions share
    a place, then the seconds, and so on. Before the first round all entries share the first place.
    """
    return standings_of(tournament, paired_stages(tournament))


def standings_of(tournament: Tournament, stages: Stages) -> list[Row]:
    """The standings of a tournament from its stages (`paired_stages`)."""
    if not stages:
        return standings(_entries(tournament), (), tournament.tie_breaks)
    return merge_rows([[division.rows for division in divisions] for divisions in stages])


def tournament_cross_table(tournament: Tournament) -> dict[Entrant, dict[Entrant, Cell]]:
    """The cross table, by entries' primary keys."""
    return cross_table_of(paired_stages(tournament), _entries(tournament))


def cross_table_of(
    stages: Stages, entrants: Sequence[Entrant]
) -> dict[Entrant, dict[Entrant, Cell]]:
    """The cross table of these stages, with rows and columns in the order of `entrants`."""
    return cross_table(entrants, group_results(stages))


def group_results(stages: Stages) -> list[tuple[MatchResult, ...]]:
    """The finished matches of each deal group that has any; entrants are entries' primary keys."""
    return [
        group.matches
        for divisions in stages
        for division in divisions
        for group in division.groups
        if group.matches
    ]


def _entries(tournament: Tournament) -> list[int]:
    entries = Entry.objects.filter(tournament=tournament).order_by("number")
    return list(entries.values_list("pk", flat=True))
