"""Making a table, and what becomes of old ones."""

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
from cardroom_tables.actions.continuation import Begun, lay
from cardroom_tables.actions.placing import placed, wake
from cardroom_tables.actions.seats import checked_handle, take_bot
from cardroom_tables.guests import Person
from cardroom_tables.limits import refuse_too_many
from cardroom_tables.models import Table, TableMove, TableSeat
from engine import Format, Match, rules

MAX_TIDIED: Final = 200
"""Tables that are deleted at once, with all their moves; the next time others."""
KEY_BYTES: Final = 9
"""Of a table's key: 72 random bits, 12 characters."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants at one seat: themselves, a friend, or a bot by its name."""

    kind: Literal["you", "friend", "bot"]
    bot: str = ""
    """`house:NAME`, or the address name of a bot."""


def new_seed() -> str:
    """What the cards of a table follow from: 128 random bits."""
    return secrets.token_hex(16)


@transaction.atomic
def create_table(
    person: Person,
    format_text: str,
    wanted: Sequence[Wanted],
    *,
    handle: str = "",
    watched: bool = True,
    begun: Begun | None = None,
) -> Table:
    """A table with the person at the one seat that is wanted for `you`; cards are dealt as soon as
    all friends sit. `begun`: the position of a record from which it goes on, with that record's
    cards. ActionError for what cannot be."""
    fmt = _format(format_text)
    if len(wanted) != fmt.seats:
        raise ActionError(f"{fmt} has {fmt.seats} seats, not {len(wanted)}.", field="format")
    yours = [index for index, each in enumerate(wanted) if each.kind == "you"]
    if len(yours) != 1:
        raise ActionError("Take one seat of the table yourself.", field="you")
    refuse_too_many(person)
    called = checked_handle(handle, person)
    friends = any(each.kind == "friend" for each in wanted)
    table = Table(
        key=secrets.token_urlsafe(KEY_BYTES),
        format=str(fmt),
        seed=begun.record.seed if begun else new_seed(),
        rng=new_seed(),
        rules=rules.edition(fmt.game),
        state=Table.State.WAITING if friends else Table.State.PLAYING,
        maker=yours[0],
        watched=watched,
        origin="" if person.user else person.origin,
    )
    seats = [_seat(table, index, each, person, called, fmt) for index, each in enumerate(wanted)]
    match, given = lay(table, begun) if begun else (Match(fmt, seed=table.seed), [])
    if not friends:
        placed(table, match, seats)
    table.save()
    TableSeat.objects.bulk_create(seats)
    TableMove.objects.bulk_create(given)
    wake(table, deals_before=table.deals)
    return table


def tidy_tables() -> int:
    """Delete tables that have been left alone for long; how many."""
    waits = timedelta(days=settings.RESTING_TABLES_KEPT_DAYS)
    kept = timedelta(days=settings.FINISHED_TABLES_KEPT_DAYS)
    over = Q(state=Table.State.FINISHED, moved__lt=Now() - kept)
    left = ~Q(state=Table.State.FINISHED) & Q(moved__lt=Now() - waits)
    old = Table.objects.filter(over | left).order_by("pk").values_list("pk", flat=True)
    return Table.objects.filter(pk__in=list(old[:MAX_TIDIED])).delete()[1].get("play.Table", 0)


def _format(text: str) -> Format:
    try:
        return Format.parse(text)
    except ValueError as error:
        raise ActionError(str(error), field="format") from error


def _seat(
    table: Table, index: int, wanted: Wanted, person: Person, handle: str, fmt: Format
) -> TableSeat:
    if wanted.kind == "friend":
        return TableSeat(table=table, index=index, kind=TableSeat.Kind.OPEN)
    if wanted.kind == "bot":
        seat = TableSeat(table=table, index=index, kind=TableSeat.Kind.BOT)
        take_bot(seat, wanted.bot, fmt)
        return seat
    return TableSeat(
        table=table,
        index=index,
        kind=TableSeat.Kind.PERSON,
        user=person.user,
        guest="" if person.user else person.guest,
        handle=handle,
    )
