"""What one looks at again and goes on from: a finished match, or a finished table of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from bots.models import BotVersion
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import seats_of
from engine import Format
from tournaments.models import Match


@dataclass(frozen=True, slots=True)
class Played:
    """Whose record it is, and where its pages are."""

    source: Mapping[str, Any]
    """``match``, its number, or ``table``, its key: as `Table.source` keeps it."""
    format: Format
    seats: Sequence[TableSeat]
    """Who sat there, as at a table that nobody keeps: bots, and people like bots of their name."""
    watched: bool
    """Whether whoever knows the address may see it."""
    match: Match | None
    """None: a table."""

    @property
    def names(self) -> list[str]:
        """By seat."""
        return [seat.bot for seat in self.seats]

    @property
    def page(self) -> str:
        """Of its replay."""
        return self._address("match", "table-replay")

    @property
    def sit(self) -> str:
        """Where one sits down at a position."""
        return self._address("match-sit", "table-go-on")

    def position(self, number: int, part: str = "") -> str:
        """The page of the position after so many moves; `part`: ``ask`` or ``why`` there."""
        name = f"position-{part}" if part else "position"
        return self._address(name, f"table-{name}", number)

    def _address(self, of_match: str, of_table: str, *more: int) -> str:
        if "match" in self.source:
            return reverse(of_match, args=[self.source["match"], *more])
        return reverse(of_table, args=[self.source["table"], *more])


def of_match(found: Match) -> Played:
    """A match that is over."""
    rows = sorted(found.seats.all(), key=lambda seat: seat.index)
    seats = [_seat(row.index, row.version.bot.name, row.version) for row in rows]
    watched = found.tournament.opened is not None
    return Played({"match": found.pk}, Format.parse(found.format), seats, watched, found)


def of_table(table: Table) -> Played:
    """A table that is over."""
    seats = [
        _seat(row.index, row.bot, row.version)
        if row.kind == TableSeat.Kind.BOT
        else _seat(row.index, row.handle, None)
        for row in seats_of(table)
    ]
    return Played({"table": table.key}, Format.parse(table.format), seats, table.watched, None)


def _seat(index: int, name: str, version: BotVersion | None) -> TableSeat:
    return TableSeat(index=index, kind=TableSeat.Kind.BOT, bot=name, version=version)
