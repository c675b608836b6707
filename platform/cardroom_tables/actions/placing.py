"""Update a table's turn after a change, and announce the work that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom_base.db.db_time import Now
from cardroom_base.db.outbox import announce
from cardroom_tables.actions.comparisons import request_comparison
from cardroom_tables.host_task_names import SEAT_TASK
from cardroom_tables.models import Table, TableSeat
from engine import Match
from engine.results import with_faults


def update_turn(table: Table, match: Match, seats: Sequence[TableSeat]) -> None:
    """Set the turn and the result of `table` from `match`; the caller stores the table."""
    table.to_act = match.turn
    table.bots_turn = match.turn is not None and seats[match.turn].kind == TableSeat.Kind.BOT
    table.deals = len(match.deals_since(0))
    if match.turn is None:
        table.state = Table.State.FINISHED
        table.finished = Now()
        table.result = result_of(match, table.faults)


def result_of(match: Match, faults: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The result of a match; sides with a fault are ranked last."""
    sides = {match.format.side(fault["seat"]) for fault in faults}
    if sides:
        return with_faults(match.result, match.scores, sides)
    return match.result


def announce_next_work(table: Table, *, deals_before: int) -> None:
    """Announce that a bot must move, or that finished deals can be compared, or both."""
    if table.bots_turn and table.state == Table.State.PLAYING:
        announce(SEAT_TASK, table=table.pk)
    if table.deals > deals_before:
        request_comparison(table)
