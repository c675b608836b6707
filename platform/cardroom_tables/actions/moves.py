"""Play people's moves."""

from __future__ import annotations

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_tables.actions.placing import announce_next_work, update_turn
from cardroom_tables.actions.seats import lock_table
from cardroom_tables.guests import Person
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Table, TableMove, TableSeat
from cardroom_tables.reading import seat_of, seats_of


class StaleRequest(ActionError):  # noqa: N818 - a state of the request
    """The request is about an earlier position."""

    def __init__(self) -> None:
        super().__init__("The match has moved on in the meantime.", "conflict")


@transaction.atomic
def play_move(table: Table, person: Person, n: int, move: str) -> Table:
    """Play `move` as number `n` of the match; returns the table afterwards.

    A repeated request plays the move once. StaleRequest if another move has this number,
    IllegalMove if the rules do not allow it.
    """
    table = lock_table(table)
    seats = seats_of(table)
    index = seat_of(table, seats, person)
    if index is None:
        raise ActionError("You have no seat at this table.", "forbidden")
    if n != table.moves:
        if _was_played(table, n, index, move):
            return table
        raise StaleRequest
    if table.state != Table.State.PLAYING:
        raise ActionError(f"This table is {table.get_state_display()}.", "conflict")
    if table.to_act != index:
        raise ActionError("It is not your turn.", "conflict")
    match = position_of(table)
    match.play(move)
    if seats[index].left is not None:
        TableSeat.objects.filter(pk=seats[index].pk).update(left=None)
    append_move(table, TableMove(table=table, n=n, seat=index, move=move))
    deals_before = table.deals
    update_turn(table, match, seats)
    table.trouble = ""
    table.version += 1
    table.moved = Now()
    table.save()
    announce_next_work(table, deals_before=deals_before)
    table.refresh_from_db()
    return table


def append_move(table: Table, row: TableMove) -> None:
    """Append a move; the caller has locked `table` and stores it."""
    row.save(force_insert=True)
    table.moves = row.n + 1


def _was_played(table: Table, n: int, seat: int, move: str) -> bool:
    return TableMove.objects.filter(table=table, n=n, seat=seat, move=move).exists()
