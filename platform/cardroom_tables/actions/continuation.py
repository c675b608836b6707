"""Start tables from a position of a record, with its cards and first moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardroom_base.core.errors import ActionError
from cardroom_tables.models import Table, TableMove
from engine import IllegalMove, Match, Record, RecordError

MAX_GIVEN: Final = 4_000
"""Limit of moves before the position, because every rebuild of the match replays them; a usual
match has a fifth of this."""


@dataclass(frozen=True, slots=True)
class StartPosition:
    """A position of a record that the people of the new table may see."""

    source: Mapping[str, Any]
    """The source for the link back: ``match`` and its number, or ``table`` and its key."""
    names: Sequence[str]
    """The record's players by seat."""
    record: Record
    after: int
    """The number of moves played at the position."""


def continue_record(table: Table, start: StartPosition) -> tuple[Match, list[TableMove]]:
    """Set the fields of `table` for a start position; return (match, rows of its moves).

    The caller stores them. ActionError if no table can begin from this position.
    """
    moves = start.record.moves
    if not 0 <= start.after <= len(moves):
        raise ActionError(f"The match has {len(moves)} moves.", field="after")
    if start.after > MAX_GIVEN:
        raise ActionError(
            f"A table can begin only within the first {MAX_GIVEN:,} moves of a match.",
            field="after",
        )
    try:
        match, rows = _replay(table, start.record, start.after)
        deal_rest = _rest_of_deal(match, moves[start.after :])
    except (IllegalMove, RecordError) as error:
        raise ActionError(
            f"The moves of this match are illegal under the current rules: {error}", "conflict"
        ) from error
    if match.turn is None:
        raise ActionError("The match ends there; choose an earlier move.", field="after")
    finished_deals = len(match.deals_since(0))
    table.moves = table.given = start.after
    table.deals = table.compared = finished_deals
    table.luck = [[] for _ in range(finished_deals)]
    table.source = {
        **start.source,
        "names": list(start.names),
        "moves": deal_rest,
        "deals": finished_deals,
    }
    return match, rows


def _replay(table: Table, record: Record, after: int) -> tuple[Match, list[TableMove]]:
    match, rows = record.start(), []
    for n, move in enumerate(record.moves[:after]):
        if match.turn is None:
            raise RecordError("The record has moves after the end of its match.")
        rows.append(TableMove(table=table, n=n, seat=match.turn, move=move))
        match.play(move)
    return match, rows


def _rest_of_deal(match: Match, moves: Sequence[str]) -> list[str]:
    """The moves up to the end of the position's deal; empty if they do not reach it."""
    future = match.copy()
    finished_deals = len(future.deals_since(0))
    for number, move in enumerate(moves, start=1):
        future.play(move)
        if len(future.deals_since(finished_deals)):
            return list(moves[:number])
    return []
