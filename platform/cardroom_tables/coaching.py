"""Recommend a level of the opponent scale from a person's last deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cardroom_tables.guests import Person
from cardroom_tables.match_cache import cached_match
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.strength import BEGINNER_LEVEL, BOTS_OF_LEVELS
from engine import Format, RecordError

MAX_TABLES: Final = 60
"""Number of a person's latest tables that count."""
LAST_DEALS: Final = 5
"""Number of the latest deals at a level that count."""
ENOUGH_WINS: Final = 3
"""Wins among these deals after which the next level is recommended."""


class Coach(NamedTuple):
    """The recommendation for a game: the level that *Play* selects, and a tip beside a level."""

    level: int
    """The selected level, from 1."""
    tip: int
    """The level beside which the tip `words` appears; 0 without a tip."""
    words: str


BEGINNER: Final = Coach(BEGINNER_LEVEL, BEGINNER_LEVEL, "start here")


def recommendations(person: Person) -> dict[str, Coach]:
    """Game → recommendation, for games that the person has played at a level; `BEGINNER` applies to
    others."""
    own_seats = TableSeat.objects.filter(person.own_seats(), kind=TableSeat.Kind.PERSON)
    tables = Table.objects.filter(pk__in=own_seats.values("table"), source__isnull=True)
    by_game: dict[str, list[tuple[int, Table]]] = {}
    for table in tables.prefetch_related("seats").order_by("-pk")[:MAX_TABLES]:
        if number := _level(table):
            by_game.setdefault(Format.parse(table.format).game, []).append((number, table))
    return {game: _recommendation(rows, person) for game, rows in by_game.items()}


def _level(table: Table) -> int:
    """The hardest level at the table; 0 if no bot of the scale plays there."""
    bots = [seat.bot for seat in table.seats.all() if seat.kind == TableSeat.Kind.BOT]
    return max([BOTS_OF_LEVELS.index(bot) + 1 for bot in bots if bot in BOTS_OF_LEVELS], default=0)


def _recommendation(rows: Sequence[tuple[int, Table]], person: Person) -> Coach:
    """`rows`: (level, table) of one game, newest first."""
    level = rows[0][0]
    deals = _last_deals([table for number, table in rows if number == level], person)
    if sum(lead > 0 for lead in deals) >= ENOUGH_WINS and level < len(BOTS_OF_LEVELS):
        return Coach(level, level + 1, "try this")
    if len(deals) == LAST_DEALS and all(lead < 0 for lead in deals) and level > 1:
        return Coach(level, level - 1, "try this")
    return Coach(level, 0, "")


def _last_deals(tables: Iterable[Table], person: Person) -> list[int]:
    """The person's lead over the best other side in each of the last deals, newest first."""
    leads: list[int] = []
    for table in tables:
        if table.deals:
            leads += reversed(_leads(table, person))
        if len(leads) >= LAST_DEALS:
            break
    return leads[:LAST_DEALS]


def _leads(table: Table, person: Person) -> list[int]:
    try:
        cached = cached_match(table)
    except RecordError:
        return []  # the table was played by earlier rules
    seat = next(candidate.index for candidate in table.seats.all() if person.has(candidate))
    leads, previous = [], [0] * 64
    with cached.lock:
        for scores in cached.scores:
            sides = cached.match.format.sides
            place = seat if len(scores) != len(sides) else cached.match.format.side(seat)
            points = [after - earlier for after, earlier in zip(scores, previous, strict=False)]
            leads.append(points[place] - max(points[:place] + points[place + 1 :]))
            previous = scores
    return leads
