"""Create tables, and delete old ones."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_tables.actions.continuation import StartPosition, continue_record
from cardroom_tables.actions.placing import announce_next_work, update_turn
from cardroom_tables.actions.seats import check_handle, seat_bot
from cardroom_tables.guests import Person
from cardroom_tables.models import Table, TableMove, TableSeat
from cardroom_tables.quotas import refuse_too_many
from engine import Format, Match, rules

MAX_DELETED: Final = 200
"""Maximum number of tables deleted per call, with all their moves."""
KEY_BYTES: Final = 9
"""Bytes of a table's key: 72 random bits, 12 characters."""


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """The choice for a seat: the person, a friend, or a bot."""

    kind: Literal["you", "friend", "bot"]
    bot: str = ""
    """`house:NAME`, or the slug of a bot."""


def new_seed() -> str:
    """A seed of 128 random bits."""
    return secrets.token_hex(16)


@transaction.atomic
def create_table(
    person: Person,
    format_text: str,
    choices: Sequence[SeatChoice],
    *,
    handle: str = "",
    watched: bool = True,
    start: StartPosition | None = None,
) -> Table:
    """Create a table with the person at the seat chosen as `you`. The cards are dealt once all
    friends are seated. ActionError for invalid choices.

    `start`: the position of a record to continue.
    """
    fmt = _format(format_text)
    if len(choices) != fmt.seats:
        raise ActionError(f"{fmt} has {fmt.seats} seats, not {len(choices)}.", field="format")
    own_seats = [index for index, choice in enumerate(choices) if choice.kind == "you"]
    if len(own_seats) != 1:
        raise ActionError("Take one seat at the table yourself.", field="you")
    refuse_too_many(person)
    name = check_handle(handle, person)
    friends = any(choice.kind == "friend" for choice in choices)
    table = Table(
        key=secrets.token_urlsafe(KEY_BYTES),
        format=str(fmt),
        seed=start.record.seed if start else new_seed(),
        rng=new_seed(),
        rules=rules.edition(fmt.game),
        state=Table.State.WAITING if friends else Table.State.PLAYING,
        maker=own_seats[0],
        watched=watched,
        origin="" if person.user else person.origin,
    )
    seats = [_seat(table, index, choice, person, name, fmt) for index, choice in enumerate(choices)]
    match, moves = continue_record(table, start) if start else (Match(fmt, seed=table.seed), [])
    if not friends:
        update_turn(table, match, seats)
    table.save()
    TableSeat.objects.bulk_create(seats)
    TableMove.objects.bulk_create(moves)
    announce_next_work(table, deals_before=table.deals)
    return table


def delete_old_tables() -> int:
    """Delete old and abandoned tables; return their number."""
    idle_limit = timedelta(days=settings.RESTING_TABLES_KEPT_DAYS)
    finished_limit = timedelta(days=settings.FINISHED_TABLES_KEPT_DAYS)
    finished = Q(state=Table.State.FINISHED, moved__lt=Now() - finished_limit)
    abandoned = ~Q(state=Table.State.FINISHED) & Q(moved__lt=Now() - idle_limit)
    old = Table.objects.filter(finished | abandoned).order_by("pk").values_list("pk", flat=True)
    return Table.objects.filter(pk__in=list(old[:MAX_DELETED])).delete()[1].get("play.Table", 0)


def _format(text: str) -> Format:
    try:
        return Format.parse(text)
    except ValueError as error:
        raise ActionError(str(error), field="format") from error


def _seat(
    table: Table, index: int, choice: SeatChoice, person: Person, handle: str, fmt: Format
) -> TableSeat:
    if choice.kind == "friend":
        return TableSeat(table=table, index=index, kind=TableSeat.Kind.OPEN)
    if choice.kind == "bot":
        seat = TableSeat(table=table, index=index, kind=TableSeat.Kind.BOT)
        seat_bot(seat, choice.bot, fmt)
        return seat
    return TableSeat(
        table=table,
        index=index,
        kind=TableSeat.Kind.PERSON,
        user=person.user,
        guest="" if person.user else person.guest,
        handle=handle,
    )
