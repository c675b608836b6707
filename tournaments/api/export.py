"""Tables as CSV and JSON files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tournaments.api import tables
from tournaments.models import Entry, Seat, SideResult, Tournament
from tournaments.projections.archiving import ratings_of

Rows = list[dict[str, Any]]
"""Flat rows with the same keys in the same order."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def standings_rows(tournament: Tournament) -> Rows:
    """One row for each bot."""
    return [_flat(row) for row in tables.standings(tournament)]


def cross_table_rows(tournament: Tournament) -> Rows:
    """One row for each bot and opponent."""
    return [
        {"place": row["place"], "bot": row["bot"].slug, **cell}
        for row in tables.cross_table(tournament)
        for cell in row["cells"]
    ]


def result_rows(tournament: Tournament) -> Rows:
    """One row for each side of each finished match; `bots` are those of its seats, in order."""
    names = {
        "match": "match_id",
        "stage": "match__fixture__stage__number",
        "division": "match__fixture__division",
        "round": "match__fixture__round",
        "pairing": "match__fixture__pairing",
        "fixture": "match__fixture__number",
        "rotation": "match__rotation",
        "seed": "match__seed",
        "side": "side",
        "score": "score",
        "rank": "rank",
        "faulted": "faulted",
        "reason": "match__reason",
    }
    bots: dict[tuple[int, int], list[str]] = {}
    seats = Seat.objects.filter(match__tournament=tournament).order_by("match", "index")
    for match, side, slug in seats.values_list("match", "side", "version__bot__slug"):
        bots.setdefault((match, side), []).append(slug)
    results = SideResult.objects.filter(match__tournament=tournament).order_by("match", "side")
    rows = [dict(zip(names, row, strict=True)) for row in results.values_list(*names.values())]
    return [row | {"bots": "+".join(bots[row["match"], row["side"]])} for row in rows]


def rating_rows(tournament: Tournament) -> Rows:
    """One row for each entered version and pool of the format."""
    entries = Entry.objects.filter(tournament=tournament).prefetch_related("mates__version")
    return ratings_of(tournament, entries.select_related("version"))


TABLES: Mapping[str, Callable[[Tournament], Rows]] = MappingProxyType(
    {
        "standings": standings_rows,
        "crosstable": cross_table_rows,
        "results": result_rows,
        "ratings": rating_rows,
    }
)
"""What can be exported, by the name that is asked for."""


def as_csv(rows: Rows) -> str:
    """CSV with a header line; no rows, no header.

    Text that a spreadsheet would take for a formula gets an apostrophe in front: names are made by
    strangers.
    """
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(rows[0])
    writer.writerows(_safe(row.values()) for row in rows)
    return out.getvalue()


def as_json(rows: Rows) -> str:
    """A list of objects."""
    return json.dumps(rows, ensure_ascii=False)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A bot as its slug, a team's members joined by `+`."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key == "bot":
            flat["bot"] = value.slug
        elif key == "members":
            flat["members"] = "+".join(member["bot"].slug for member in value)
        elif key == "tie_breaks":
            flat |= {f"by {name}": number for name, number in value.items()}
        else:
            flat[key] = value
    return flat


def _safe(values: Iterable[Any]) -> list[Any]:
    return [
        f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
        for value in values
    ]
