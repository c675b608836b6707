"""The source of a replay: a match or a table, with its players and the addresses of its pages."""

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
class ReplaySource:
    """A finished match or table, and the addresses of its pages."""

    source: Mapping[str, Any]
    """``match`` and its number, or ``table`` and its key, as in `Table.source`."""
    format: Format
    seats: Sequence[TableSeat]
    """The players, as seats of a table that is not stored. People have the kind of bots, too."""
    watched: bool
    """Whether everybody who knows the address may see the replay."""
    match: Match | None
    """The match; None for a table."""

    @property
    def names(self) -> list[str]:
        """The players' names, by seat."""
        return [seat.bot for seat in self.seats]

    @property
    def page(self) -> str:
        """The address of the replay."""
        return self._address("match", "table-replay")

    @property
    def continuation(self) -> str:
        """The address of the form that continues from a position."""
        return self._address("match-sit", "table-go-on")

    def position(self, number: int, part: str = "") -> str:
        """The address of the position after `number` moves; `part` is ``ask`` or ``why``."""
        name = f"position-{part}" if part else "position"
        return self._address(name, f"table-{name}", number)

    def _address(self, match_url: str, table_url: str, *args: int) -> str:
        if "match" in self.source:
            return reverse(match_url, args=[self.source["match"], *args])
        return reverse(table_url, args=[self.source["table"], *args])


def match_source(match: Match) -> ReplaySource:
    """The source of a finished match."""
    rows = sorted(match.seats.all(), key=lambda seat: seat.index)
    seats = [_seat(row.index, row.version.bot.name, row.version) for row in rows]
    watched = match.tournament.is_public and match.tournament.frozen is None
    return ReplaySource({"match": match.pk}, Format.parse(match.format), seats, watched, match)


def table_source(table: Table) -> ReplaySource:
    """The source of a finished table."""
    seats = [
        _seat(row.index, row.bot, row.version)
        if row.kind == TableSeat.Kind.BOT
        else _seat(row.index, row.handle, None)
        for row in seats_of(table)
    ]
    return ReplaySource(
        {"table": table.key}, Format.parse(table.format), seats, table.watched, None
    )


def _seat(index: int, name: str, version: BotVersion | None) -> TableSeat:
    return TableSeat(index=index, kind=TableSeat.Kind.BOT, bot=name, version=version)
