"""Request hints."""

from __future__ import annotations

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.outbox import announce
from cardroom_tables.actions.moves import StaleRequest
from cardroom_tables.actions.seats import lock_table
from cardroom_tables.guests import Person
from cardroom_tables.host_task_names import HINT_TASK
from cardroom_tables.models import Hint, Table
from cardroom_tables.reading import seat_of, seats_of
from cardroom_tables.strength import hint_bot
from engine import Format


@transaction.atomic
def request_hint(table: Table, person: Person, n: int) -> Hint:
    """Request a hint for move `n`; an existing hint is returned."""
    table = lock_table(table)
    index = seat_of(table, seats_of(table), person)
    if index is None:
        raise ActionError("You have no seat at this table.", "forbidden")
    if n != table.moves:
        raise StaleRequest
    if table.state != Table.State.PLAYING or table.to_act != index:
        raise ActionError("It is not your turn.", "conflict")
    hint = Hint.objects.filter(table=table, n=n).first()
    if hint is not None and not hint.trouble:
        return hint
    if hint is not None:
        hint.delete()
    created = Hint.objects.create(
        table=table, n=n, seat=index, bot=hint_bot(Format.parse(table.format))
    )
    announce(HINT_TASK, hint=created.pk)
    return created
