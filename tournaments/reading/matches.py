"""Rows for lists of matches: three queries, and no model instances.

A list finds the primary keys of a page first, which indexes have; what is shown is read of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from tournaments.models import Match, Seat, SideResult, over

T = TypeVar("T")


class SeatRow(NamedTuple):
    """Who sits where, and what the seat used."""

    seat: int
    side: int
    slug: str
    """Of the bot, as its name."""
    name: str
    version: int
    """Its number."""
    entry: str
    """The name of the team, if it has one."""
    fault: str
    """Kind of its first fault, empty if it made none."""
    cpu_ms: int | None
    wall_ms: int | None
    peak_memory_kib: int | None


class ResultRow(NamedTuple):
    """What one side got."""

    side: int
    score: int
    rank: int
    faulted: bool


class MatchRow(NamedTuple):
    """A match."""

    pk: int
    tournament: str
    """Its slug."""
    tournament_name: str
    fixture: int
    """Number of the deal group."""
    stage: int
    round: int
    rotation: int
    format: str
    commitment: str
    seed: str
    """Shown only where it is revealed."""
    revealed: bool
    state: str
    moves_played: int
    reason: str
    faulted: bool
    created: datetime
    finished: datetime | None
    seats: Sequence[SeatRow]
    """In their order."""
    results: Sequence[ResultRow]
    """By side; none before the end."""


_MATCH: Final = (
    *("pk", "tournament__slug", "tournament__name"),
    *("deal_group__number", "deal_group__stage__number", "deal_group__round"),
    *("rotation", "format", "deal_group__commitment", "deal_group__seed", "is_over"),
    *("state", "moves_played", "reason", "faulted", "created", "finished"),
)
_SEAT: Final = (
    *("index", "side", "version__bot__slug", "version__bot__name", "version__number"),
    *("entry__name", "fault", "cpu_ms", "wall_ms", "peak_memory_kib"),
)


def match_rows(keys: Sequence[int]) -> list[MatchRow]:
    """The matches with these primary keys, in their order."""
    seats = Seat.objects.filter(match__in=keys).order_by("match", "index")
    seated = _by_match(seats.values_list("match", *_SEAT), SeatRow)
    results = SideResult.objects.filter(match__in=keys).order_by("match", "side")
    sides = _by_match(results.values_list("match", *ResultRow._fields), ResultRow)
    matches = Match.objects.filter(pk__in=keys).order_by().annotate(is_over=over("deal_group"))
    rows = {
        row[0]: MatchRow._make((*row, seated.get(row[0], ()), sides.get(row[0], ())))
        for row in matches.values_list(*_MATCH)
    }
    return [rows[key] for key in keys if key in rows]


def _by_match(rows: Iterable[tuple[Any, ...]], shape: Callable[..., T]) -> dict[int, list[T]]:
    """These rows, which begin with the match that they belong to."""
    rows_of: dict[int, list[T]] = {}
    for match, *values in rows:
        rows_of.setdefault(match, []).append(shape(*values))
    return rows_of
