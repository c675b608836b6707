"""The standings of a tournament's categories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tournaments.deal_groups import Entrant
from tournaments.models import Tournament
from tournaments.standings import Row


def category_rows(tournament: Tournament, rows: Sequence[Row], category: str) -> list[Row]:
    """The rows of a category, with their places in it."""
    keys = tournament.entries.filter(category=category).values_list("pk", flat=True)
    return rows_of(rows, set(keys))


def rows_of(rows: Sequence[Row], entrants: Collection[Entrant]) -> list[Row]:
    """The rows of these entrants, with their places among them; equal places stay equal."""
    matching_rows = [row for row in rows if row.entrant in entrants]
    places: dict[int, int] = {}
    for place, row in enumerate(matching_rows, 1):
        places.setdefault(row.place, place)
    return [replace(row, place=places[row.place]) for row in matching_rows]
