"""Standings and cross tables of a tournament as rows for serializers and exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bots.models import Bot
from tournaments import standings as pure
from tournaments.models import Entry, Tournament
from tournaments.reading.kinds import Tables
from tournaments.reading.strengths import strengths


def standings(tournament: Tournament, rows: Sequence[pure.Row]) -> list[dict[str, Any]]:
    """The rows of `StandingSerializer`, best first."""
    entries = {entry.pk: entry for entry in tournament.entries.with_members().order_by("number")}
    names = tournament.tie_breaks
    shown = [_standing(row, entries[int(row.entrant)], names) for row in rows]
    if tournament.by_rating:
        known = strengths(tournament, [entries[int(row.entrant)] for row in rows])
        for each, strength in zip(shown, known, strict=True):
            each |= {"rating": strength.rating, "low": strength.low, "high": strength.high}
    return shown


def tie_breaks(tournament: Tournament) -> list[dict[str, str]]:
    """What parts equals here, in order, explained: the rows of `TieBreakSerializer`."""
    chosen = [(name, pure.TIE_BREAKS[name]) for name in tournament.tie_breaks]
    return [{"name": name, "title": how.title, "meaning": how.meaning} for name, how in chosen]


def cross_table(tournament: Tournament, tables: Tables) -> list[dict[str, Any]]:
    """The rows of `CrossTableRowSerializer`, rows and cells in the order of the standings."""
    entries = {entry.pk: entry for entry in tournament.entries.with_members().order_by("number")}
    slugs = {pk: entry.bot.slug for pk, entry in entries.items()}
    return [
        {
            "place": row.place,
            "bot": _player(entries[int(row.entrant)].bot),
            "name": entries[int(row.entrant)].title,
            "points": row.points,
            "cells": [
                {
                    "opponent": slugs[int(other)],
                    "points": cell.points,
                    "groups": cell.groups,
                    "difference": cell.difference,
                }
                for other, cell in tables.cells[row.entrant].items()
            ],
        }
        for row in tables.rows
    ]


def _standing(row: pure.Row, entry: Entry, tie_breaks: Sequence[str]) -> dict[str, Any]:
    # As it is sent: hundreds of rows are too many for serializers.
    return {
        "place": row.place,
        "bot": _player(entry.bot),
        "version": entry.version.number,
        "name": entry.title,
        "members": [
            {"bot": _player(bot), "version": version.number} for bot, version in entry.members()
        ],
        **row.as_json(tie_breaks),
    }


def _player(bot: Bot) -> dict[str, str]:
    return {"slug": bot.slug, "name": bot.name}
