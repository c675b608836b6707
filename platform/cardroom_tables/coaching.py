"""Recommend a level of the opponent scale from a person's last deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cardroom_tables.guests import Person
from cardroom_tables.match_cache import cached_match, parsed
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.strength import BOTS_OF_LEVELS, FIRST
from engine import RecordError

LAST: Final = 60
"""Number of a person's latest tables that are considered."""
DEALS: Final = 5
"""Number of the latest deals at a level that count."""
WINS: Final = 3
"""Wins among these deals after which the next level is recommended."""


class Coach(NamedTuple):
    """The recommendation for a game: the selected level, and a tip beside a level."""

    level: int
    """From 1."""
    tip: int
    """The level with the tip `words`; 0: no tip."""
    words: str


BEGINNER: Final = Coach(FIRST, FIRST, "start here")


def coaches(person: Person) -> dict[str, Coach]:
    """The recommendation by game, for games that the person has played at a level; `BEGINNER`
    applies to others."""
    mine = TableSeat.objects.filter(person.mine(), kind=TableSeat.Kind.PERSON)
    tables = Table.objects.filter(pk__in=mine.values("table"), source__isnull=True)
    by_game: dict[str, list[tuple[int, Table]]] = {}
    for table in tables.prefetch_related("seats").order_by("-pk")[:LAST]:
        if number := _level(table):
            by_game.setdefault(parsed(table.format).game, []).append((number, table))
    return {game: _coach(rows, person) for game, rows in by_game.items()}


def _level(table: Table) -> int:
    """The hardest level at the table; 0: none."""
    bots = [seat.bot for seat in table.seats.all() if seat.kind == TableSeat.Kind.BOT]
    return max([BOTS_OF_LEVELS.index(bot) + 1 for bot in bots if bot in BOTS_OF_LEVELS], default=0)


def _coach(rows: Sequence[tuple[int, Table]], person: Person) -> Coach:
    """`rows`: (level, table) of one game, newest first."""
    level = rows[0][0]
    deals = _last_deals([table for number, table in rows if number == level], person)
    if sum(lead > 0 for lead in deals) >= WINS and level < len(BOTS_OF_LEVELS):
        return Coach(level, level + 1, "try this")
    if len(deals) == DEALS and all(lead < 0 for lead in deals) and level > 1:
        return Coach(level, level - 1, "try this")
    return Coach(level, 0, "")


def _last_deals(tables: Iterable[Table], person: Person) -> list[int]:
    """The person's lead over the best other side in each of the last deals, newest first."""
    leads: list[int] = []
    for table in tables:
        if table.deals:
            leads += reversed(_leads(table, person))
        if len(leads) >= DEALS:
            break
    return leads[:DEALS]


def _leads(table: Table, person: Person) -> list[int]:
    try:
        course = cached_match(table)
    except RecordError:
        return []  # played by earlier rules
    seat = next(candidate.index for candidate in table.seats.all() if person.has(candidate))
    leads, before = [], [0] * 64
    with course.lock:
        for scores in course.scores:
            sides = course.match.format.sides
            own = seat if len(scores) != len(sides) else course.match.format.side(seat)
            points = [after - earlier for after, earlier in zip(scores, before, strict=False)]
            leads.append(points[own] - max(points[:own] + points[own + 1 :]))
            before = scores
    return leads
