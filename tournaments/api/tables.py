"""Standings and cross tables of a tournament as rows for serializers and exports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tournaments import standings as pure
from tournaments.deal_groups import Entrant
from tournaments.models import Entry, Tournament
from tournaments.reading import cross_table_of, stage_standings, standings_of, tournament_standings
from tournaments.reading.strengths import strengths


def standings(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `StandingSerializer`, best first."""
    entries = _entries(tournament)
    rows = tournament_standings(tournament)
    shown = [_standing(row, entries, tournament.tie_breaks) for row in rows]
    if tournament.by_rating:
        known = strengths(tournament, [entries[row.entrant] for row in rows])
        for each, strength in zip(shown, known, strict=True):
            each |= {"rating": strength.rating, "low": strength.low, "high": strength.high}
    return shown


def tie_breaks(tournament: Tournament) -> list[dict[str, str]]:
    """What parts equals here, in order, explained: the rows of `TieBreakSerializer`."""
    chosen = [(name, pure.TIE_BREAKS[name]) for name in tournament.tie_breaks]
    return [{"name": name, "title": how.title, "meaning": how.meaning} for name, how in chosen]


def cross_table(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `CrossTableRowSerializer`, rows and cells in the order of the standings."""
    entries = _entries(tournament)
    stages = stage_standings(tournament)
    rows = standings_of(tournament, stages)
    cells = cross_table_of(stages, [row.entrant for row in rows])
    return [
        {
            "place": row.place,
            "bot": entries[row.entrant].bot,
            "name": entries[row.entrant].title,
            "points": row.points,
            "cells": [
                {"opponent": entries[other].bot.slug, **asdict(cell)}
                for other, cell in cells[row.entrant].items()
            ],
        }
        for row in rows
    ]


def _entries(tournament: Tournament) -> dict[Entrant, Entry]:
    return {entry.pk: entry for entry in tournament.entries.with_members().order_by("number")}


def _standing(
    row: pure.Row, entries: dict[Entrant, Entry], tie_breaks: Sequence[str]
) -> dict[str, Any]:
    entry = entries[row.entrant]
    return {
        "place": row.place,
        "bot": entry.bot,
        "version": entry.version.number,
        "name": entry.title,
        "members": [{"bot": bot, "version": version.number} for bot, version in entry.members()],
        **row.as_json(tie_breaks),
    }
