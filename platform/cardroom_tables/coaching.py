"""Which level of the scale somebody is offered next, from how their last deals went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cardroom_tables.guests import Person
from cardroom_tables.match_cache import course_of, parsed
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.strength import BOTS_OF_LEVELS, FIRST
from engine import RecordError

LAST: Final = 60
"""Tables of somebody that are looked at."""
DEALS: Final = 5
"""Deals that count, the last at a level."""
WINS: Final = 3
"""Of these, after which the next level is offered."""


class Coach(NamedTuple):
    """What somebody is offered at a game: the level that is chosen, and what is said at one."""

    level: int
    """From 1."""
    tip: int
    """The level at which `words` stand; 0: nothing is said."""
    words: str


BEGINNER: Final = Coach(FIRST, FIRST, "start here")


def coaches(person: Person) -> dict[str, Coach]:
    """By game, for the games that somebody has played at a level; elsewhere `BEGINNER`."""
    mine = TableSeat.objects.filter(person.mine(), kind=TableSeat.Kind.PERSON)
    tables = Table.objects.filter(pk__in=mine.values("table"), source__isnull=True)
    found: dict[str, list[tuple[int, Table]]] = {}
    for table in tables.prefetch_related("seats").order_by("-pk")[:LAST]:
        if number := _level(table):
            found.setdefault(parsed(table.format).game, []).append((number, table))
    return {game: _coach(rows, person) for game, rows in found.items()}


def _level(table: Table) -> int:
    """The hardest level that sits there; 0: none."""
    bots = [seat.bot for seat in table.seats.all() if seat.kind == TableSeat.Kind.BOT]
    return max([BOTS_OF_LEVELS.index(bot) + 1 for bot in bots if bot in BOTS_OF_LEVELS], default=0)


def _coach(rows: Sequence[tuple[int, Table]], person: Person) -> Coach:
    """From tables of one game with their levels, the newest first."""
    level = rows[0][0]
    deals = _last_deals([table for number, table in rows if number == level], person)
    if sum(lead > 0 for lead in deals) >= WINS and level < len(BOTS_OF_LEVELS):
        return Coach(level, level + 1, "try this")
    if len(deals) == DEALS and all(lead < 0 for lead in deals) and level > 1:
        return Coach(level, level - 1, "try this")
    return Coach(level, 0, "")


def _last_deals(tables: Iterable[Table], person: Person) -> list[int]:
    """How far somebody was ahead of the best other side in each of the last deals."""
    found: list[int] = []
    for table in tables:
        if table.deals:
            found += reversed(_leads(table, person))
        if len(found) >= DEALS:
            break
    return found[:DEALS]


def _leads(table: Table, person: Person) -> list[int]:
    try:
        course = course_of(table)
    except RecordError:
        return []  # played by rules of before
    seat = next(each.index for each in table.seats.all() if person.has(each))
    leads, before = [], [0] * 64
    with course.lock:
        for scores in course.scores:
            sides = course.match.format.sides
            own = seat if len(scores) != len(sides) else course.match.format.side(seat)
            points = [after - earlier for after, earlier in zip(scores, before, strict=False)]
            leads.append(points[own] - max(points[:own] + points[own + 1 :]))
            before = scores
    return leads
