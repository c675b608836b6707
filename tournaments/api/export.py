"""Tables as CSV and JSON files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tournaments.api import tables
from tournaments.exports.rows import Rows, rating_rows, result_rows
from tournaments.models import Tournament
from tournaments.reading.kept import read
from tournaments.reading.kinds import TABLES as KEPT
from tournaments.reading.kinds import Tables


class NotMadeYetError(Exception):
    """The table is being made for the first time."""


def standings_rows(tournament: Tournament) -> Rows:
    """One row for each bot. NotMadeYetError."""
    return [_flat(row) for row in tables.standings(tournament, _tables(tournament))]


def cross_table_rows(tournament: Tournament) -> Rows:
    """One row for each bot and opponent. NotMadeYetError."""
    return [
        {"place": row["place"], "bot": row["bot"]["slug"], **cell}
        for row in tables.cross_table(tournament, _tables(tournament))
        for cell in row["cells"]
    ]


def _tables(tournament: Tournament) -> Tables:
    tables = read(KEPT, tournament).value
    if tables is None:
        raise NotMadeYetError
    return tables


TABLES: Mapping[str, Callable[[Tournament], Rows]] = MappingProxyType(
    {
        "standings": standings_rows,
        "crosstable": cross_table_rows,
        "results": result_rows,
        "ratings": rating_rows,
    }
)
"""What can be exported, by the name that is asked for."""


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A bot as its slug, a team's members joined by `+`."""
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
