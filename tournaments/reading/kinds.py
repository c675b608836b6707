"""Cached content about tournaments for readers: tables, stories, luck."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, Final

import msgspec

from tournaments.deal_groups import Entrant
from tournaments.models import Tournament
from tournaments.reading.brackets import brackets_json
from tournaments.reading.content_cache import CachedKind, JsonKind
from tournaments.reading.luck import tournament_luck
from tournaments.reading.standings_tables import Stages, cross_table_of, paired_stages, standings_of
from tournaments.reading.story import Story, load_story, make_story
from tournaments.reading.strengths import Strength, strengths
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
    """Tables that follow from a tournament's course; entrants are entries' primary keys.

    The largest parts are stored as JSON within the JSON and parsed by the methods, because few
    readers need them. Content of earlier versions has lists instead.
    """

    rows: list[Row]
    """The standings, best first."""
    stored_divisions: str | list[Any]
    stored_cells: dict[str, str | list[Any]]
    """Each entrant's line of the cross table: (other entrant, the fields of the cell …)"""
    brackets: list[Any]
    """As `brackets.brackets_json` returns them."""
    strengths: dict[Entrant, Strength]
    """On a ladder: the strengths that rank its entrants."""

    def divisions(self) -> list[DivisionRows]:
        """The standings of each division of the stages that have been paired."""
        return [
            DivisionRows(stage, number, _rows(rows))
            for stage, number, rows in _parsed(self.stored_divisions)
        ]

    def cells(
        self, entrants: Collection[Entrant] | None = None
    ) -> dict[Entrant, dict[Entrant, Cell]]:
        """The cross table of all entrants, or of these, in the order of the standings."""
        shown = {row.entrant for row in self.rows} if entrants is None else set(entrants)
        return {
            row.entrant: {
                other: Cell(*cell) for other, *cell in self.line(row.entrant) if other in shown
            }
            for row in self.rows
            if row.entrant in shown
        }

    def line(self, entrant: Entrant) -> list[Any]:
        """An entrant's line of the cross table: [other entrant, *fields of the cell] for each."""
        return _parsed(self.stored_cells.get(str(entrant), []))


_decode: Final = msgspec.json.Decoder().decode
"""Takes a fifth of the time of `json`, which matters for thousands of lines."""


def _parsed(stored: str | list[Any]) -> list[Any]:
    content: list[Any] = _decode(stored) if isinstance(stored, str) else stored
    return content


def _text(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _make_tables(tournament: Tournament) -> dict[str, Any]:
    stages = paired_stages(tournament)
    rows = standings_of(tournament, stages)
    divisions = [
        [division.stage, division.number, [astuple(row) for row in division.rows]]
        for divisions in stages
        for division in divisions
    ]
    cross_table = cross_table_of(stages, [row.entrant for row in rows])
    return {
        "rows": [astuple(row) for row in rows],
        "divisions": _text(divisions),
        "cells": {
            str(own): _text([[other, *astuple(cell)] for other, cell in line.items()])
            for own, line in cross_table.items()
        },
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
    cells = content["cells"]
    return Tables(
        _rows(content["rows"]),
        content["divisions"],
        cells if isinstance(cells, dict) else _lines_of_cells(cells),
        content["brackets"],
        {entrant: Strength(*fields) for entrant, *fields in content["strengths"]},
    )


def _lines_of_cells(cells: list[Any]) -> dict[str, str | list[Any]]:
    """The lines of a cross table from the content of earlier versions: (own, other, cell …)"""
    lines: dict[str, list[Any]] = {}
    for own, *cell in cells:
        lines.setdefault(str(own), []).append(cell)
    return dict(lines)


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
