"""Standings and cross tables of a tournament as rows for serializers and exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tournaments import standings as pure
from tournaments.exports.rows import Rows, rating_rows, result_rows
from tournaments.models import Tournament
from tournaments.reading.content_cache import read
from tournaments.reading.entry_names import EntryNames, Member, names_of
from tournaments.reading.kinds import TABLES as KEPT
from tournaments.reading.kinds import Tables


def standings(tournament: Tournament, tables: Tables) -> list[dict[str, Any]]:
    """The rows of `StandingSerializer`, best first."""
    names = names_of(tournament)
    entries = tournament.entries.values_list("pk", "category")
    categories: dict[Any, str] = dict(entries) if tournament.categories else {}
    described = [_standing(row, names[row.entrant], tournament.tie_breaks) for row in tables.rows]
    for row, fields in zip(tables.rows, described, strict=True):
        fields["category"] = categories.get(row.entrant, "")
        if rating := tables.strengths.get(row.entrant):
            fields |= {"rating": rating.rating, "low": rating.low, "high": rating.high}
    return described


def tie_breaks(tournament: Tournament) -> list[dict[str, str]]:
    """The tournament's tie-breaks in order of use, as rows of `TieBreakSerializer`."""
    tie_breaks_by_name = [(name, pure.TIE_BREAKS[name]) for name in tournament.tie_breaks]
    return [
        {"name": name, "title": tie_break.title, "meaning": tie_break.meaning}
        for name, tie_break in tie_breaks_by_name
    ]


def cross_table(tournament: Tournament, tables: Tables) -> list[dict[str, Any]]:
    """The rows of `CrossTableRowSerializer`, rows and cells in the order of the standings."""
    names = names_of(tournament)
    slugs = {pk: entry.members[0].slug for pk, entry in names.items()}
    return [
        {
            "place": row.place,
            "bot": _player(names[row.entrant].members[0]),
            "name": names[row.entrant].title,
            "points": row.points,
            "cells": _cells(tables, row, slugs),
        }
        for row in tables.rows
    ]


def _cells(tables: Tables, row: pure.Row, slugs: Mapping[Any, str]) -> list[dict[str, Any]]:
    return [
        {"opponent": slugs[other], "points": points, "groups": groups, "difference": difference}
        for other, points, groups, difference in tables.line(row.entrant)
    ]


def _standing(row: pure.Row, entry: EntryNames, tie_breaks: Sequence[str]) -> dict[str, Any]:
    # The final dict: serializers would be too slow for hundreds of rows.
    return {
        "place": row.place,
        "bot": _player(entry.members[0]),
        "version": entry.members[0].version,
        "name": entry.title,
        "members": [
            {"bot": _player(member), "version": member.version} for member in entry.members
        ],
        **row.as_json(tie_breaks),
    }


def _player(bot: Member) -> dict[str, str]:
    return {"slug": bot.slug, "name": bot.name}


# --- as files -----------------------------------------------------------------------------------


class NotComputedError(Exception):
    """The table is being computed for the first time."""


def standings_rows(tournament: Tournament) -> Rows:
    """One row for each bot. NotComputedError if the table is not ready."""
    return [_flat(row) for row in standings(tournament, _tables(tournament))]


def cross_table_rows(tournament: Tournament) -> Rows:
    """One row for each bot and opponent. NotComputedError if the table is not ready."""
    tables = _tables(tournament)
    slugs = {pk: entry.members[0].slug for pk, entry in names_of(tournament).items()}
    return [
        {"place": row.place, "bot": slugs[row.entrant], **cell}
        for row in tables.rows
        for cell in _cells(tables, row, slugs)
    ]


def _tables(tournament: Tournament) -> Tables:
    tables = read(KEPT, tournament).value
    if tables is None:
        raise NotComputedError
    return tables


TABLES: Mapping[str, Callable[[Tournament], Rows]] = MappingProxyType(
    {
        "standings": standings_rows,
        "crosstable": cross_table_rows,
        "results": result_rows,
        "ratings": rating_rows,
    }
)
"""Tables that can be exported, by name."""


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The row without nested values: a bot as its slug, a team as slugs joined by `+`."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key == "bot":
            flat["bot"] = value["slug"]
        elif key == "members":
            flat["members"] = "+".join(member["bot"]["slug"] for member in value)
        elif key == "tie_breaks":
            flat |= {f"by {name}": number for name, number in value.items()}
        else:
            flat[key] = value
    return flat
