"""Cached content about tournaments for readers: tables, stories, luck."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, Final

from tournaments.deal_groups import Entrant
from tournaments.models import Tournament
from tournaments.reading.brackets import brackets_json
from tournaments.reading.content_cache import CachedKind, JsonKind
from tournaments.reading.luck import tournament_luck
from tournaments.reading.story import Story, load_story, make_story
from tournaments.reading.strengths import Strength, strengths
from tournaments.reading.tables import Stages, cross_table_of, paired_stages, standings_of
from tournaments.standings import Cell, Row
from tournaments.standings.luck import Split


@dataclass(frozen=True, slots=True)
class DivisionRows:
    """The standings of one division of a stage."""

    stage: int
    """The number of the stage."""
    division: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables that follow from a tournament's course; entrants are entries' primary keys."""

    rows: list[Row]
    """The standings, best first."""
    divisions: list[DivisionRows]
    """The standings of each division of the stages that have been paired."""
    stored_cells: str | list[Any]
    """The cross table as JSON, or parsed if an earlier version stored it."""
    brackets: list[Any]
    """As `brackets.brackets_json` returns them."""
    strengths: dict[Entrant, Strength]
    """On a ladder: the strengths that rank its entrants."""

    def cells(
        self, entrants: Collection[Entrant] | None = None
    ) -> dict[Entrant, dict[Entrant, Cell]]:
        """The cross table of all entrants, or of these, in the order of the standings.

        It is parsed here, because it has most of the content and few readers need it.
        """
        shown = {row.entrant for row in self.rows} if entrants is None else set(entrants)
        cells: dict[Entrant, dict[Entrant, Cell]] = {
            row.entrant: {} for row in self.rows if row.entrant in shown
        }
        stored = self.stored_cells
        for own, other, *cell in json.loads(stored) if isinstance(stored, str) else stored:
            if own in shown and other in shown:
                cells[own][other] = Cell(*cell)
        return cells


def _make_tables(tournament: Tournament) -> dict[str, Any]:
    stages = paired_stages(tournament)
    rows = standings_of(tournament, stages)
    cells = cross_table_of(stages, [row.entrant for row in rows])
    return {
        "rows": [astuple(row) for row in rows],
        "divisions": [
            [division.stage, division.number, [astuple(row) for row in division.rows]]
            for divisions in stages
            for division in divisions
        ],
        "cells": json.dumps(
            [
                [own, other, *astuple(cell)]
                for own, line in cells.items()
                for other, cell in line.items()
            ],
            separators=(",", ":"),
        ),
        "brackets": brackets_json(stages),
        "strengths": _ladder_strengths(tournament, stages) if tournament.is_ladder else [],
    }


def _ladder_strengths(tournament: Tournament, stages: Stages) -> list[tuple[Any, ...]]:
    """(entrant, rating, error, low, high), as the course used them."""
    if stages:
        (ladder,) = stages[0]
        state = ladder.state
        columns = (ladder.entrants, state.ratings, state.errors, state.intervals)
        return [(*values, *interval) for *values, interval in zip(*columns, strict=True)]
    entries = list(tournament.entries.with_members())  # no round has been paired yet
    pairs = zip(entries, strengths(tournament, entries), strict=True)
    return [(entry.pk, s.rating, s.error, s.low, s.high) for entry, s in pairs]


def _load_tables(content: dict[str, Any]) -> Tables:
    return Tables(
        _rows(content["rows"]),
        [
            DivisionRows(stage, number, _rows(division_rows))
            for stage, number, division_rows in content["divisions"]
        ],
        content["cells"],
        content["brackets"],
        {entrant: Strength(*fields) for entrant, *fields in content["strengths"]},
    )


def _rows(content: Sequence[Any]) -> list[Row]:
    return [Row(*(*values, tuple(ties))) for *values, ties in content]


def _make_luck(tournament: Tournament) -> dict[str, Any] | None:
    luck = tournament_luck(tournament)
    if luck is None:
        return None
    return {**asdict(luck), "skills": list(luck.skills.items())}


def _load_luck(content: dict[str, Any] | None) -> Split | None:
    return Split(**{**content, "skills": dict(content["skills"])}) if content else None


# Measured with two sides: per finished match, tables take 0.1 to 0.2 ms, and luck takes 0.5 ms.
TABLES: Final = JsonKind("tables", 150, _make_tables, _load_tables)
LUCK: Final[JsonKind[Split | None]] = JsonKind("luck", 60, _make_luck, _load_luck)
STORY: Final[JsonKind[Story]] = JsonKind("story", 0, make_story, load_story, listed=True)
KINDS: Final[tuple[CachedKind, ...]] = (TABLES, LUCK, STORY)
