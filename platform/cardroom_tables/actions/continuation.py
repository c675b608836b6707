"""Tables that go on from a record: its cards and its first moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardroom_base.core.errors import ActionError
from cardroom_tables.models import Table, TableMove
from engine import IllegalMove, Match, Record, RecordError

MOST_GIVEN: Final = 4_000
"""Moves of a record that a table begins with: they are played again whenever its match is made
anew. A usual match has a fifth of it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A position of a record that whoever sits down may see."""

    source: Mapping[str, Any]
    """Whose it is, for the link back: ``match``, its number, or ``table``, its key."""
    names: Sequence[str]
    """Of its players, by seat."""
    record: Record
    after: int
    """How many of its moves have been played."""


def lay(table: Table, begun: Begun) -> tuple[Match, list[TableMove]]:
    """Write down on `table`, which the caller stores, where it goes on; the match there, and the
    rows of its moves. ActionError where nobody can sit down."""
    moves = begun.record.moves
    if not 0 <= begun.after <= len(moves):
        raise ActionError(f"The match has {len(moves)} moves.", field="after")
    if begun.after > MOST_GIVEN:
        raise ActionError(
            f"One can sit down within the first {MOST_GIVEN:,} moves of a match.", field="after"
        )
    try:
        match, rows = _played(table, begun.record, begun.after)
        rest = _rest(match, moves[begun.after :])
    except (IllegalMove, RecordError) as error:
        raise ActionError(
            f"The moves of this match do not follow by the rules of today: {error}", "conflict"
        ) from error
    if match.turn is None:
        raise ActionError("The match is over there; choose an earlier move.", field="after")
    over = len(match.deals_since(0))
    table.moves = table.given = begun.after
    table.deals = table.compared = over
    table.luck = [[] for _ in range(over)]
    table.source = {
        **begun.source,
        "names": list(begun.names),
        "moves": rest,
        "deals": over,
    }
    return match, rows


def _played(table: Table, record: Record, after: int) -> tuple[Match, list[TableMove]]:
    match, rows = record.start(), []
    for n, move in enumerate(record.moves[:after]):
        if match.turn is None:
            raise RecordError("The record goes on after its end.")
        rows.append(TableMove(table=table, n=n, seat=match.turn, move=move))
        match.play(move)
    return match, rows


def _rest(match: Match, moves: Sequence[str]) -> list[str]:
    """Those of the moves that end the deal of the position; none if they do not come so far."""
    ahead = match.copy()
    over = len(ahead.deals_since(0))
    for number, move in enumerate(moves, start=1):
        ahead.play(move)
        if len(ahead.deals_since(over)):
            return list(moves[:number])
    return []
