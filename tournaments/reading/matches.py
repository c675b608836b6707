"""Rows for lists of matches, read by three queries without model instances.

A list first reads the primary keys of a page, which needs only indexes, and then the page's rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from tournaments.models import Match, Seat, SideResult, group_is_over

T = TypeVar("T")


class SeatRow(NamedTuple):
    """A seat: its bot, and the time and memory used."""

    seat: int
    side: int
    slug: str
    """Slug of the bot."""
    name: str
    version: int
    """Number of the bot's version."""
    entry: str
    """The name of the team, if it has one."""
    fault: str
    """Kind of the seat's first fault; empty if it made none."""
    cpu_ms: int | None
    wall_ms: int | None
    peak_memory_kib: int | None


class ResultRow(NamedTuple):
    """The result of one side."""

    side: int
    score: int
    rank: int
    faulted: bool


class MatchRow(NamedTuple):
    pk: int
    tournament: str
    """Slug of the tournament."""
    tournament_name: str
    fixture: int
    """Number of the deal group."""
    stage: int
    round: int
    rotation: int
    format: str
    commitment: str
    seed: str
    """Secret until `revealed`."""
    revealed: bool
    state: str
    moves_played: int
    reason: str
    faulted: bool
    created: datetime
    finished: datetime | None
    seats: Sequence[SeatRow]
    """The seats in their order."""
    results: Sequence[ResultRow]
    """The result of each side; empty before the end."""


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
    seats_by_match = _by_match(seats.values_list("match", *_SEAT), SeatRow)
    results = SideResult.objects.filter(match__in=keys).order_by("match", "side")
    results_by_match = _by_match(results.values_list("match", *ResultRow._fields), ResultRow)
    matches = Match.objects.filter(pk__in=keys).order_by()
    matches = matches.annotate(is_over=group_is_over("deal_group"))
    rows = {
        row[0]: MatchRow._make(
            (*row, seats_by_match.get(row[0], ()), results_by_match.get(row[0], ()))
        )
        for row in matches.values_list(*_MATCH)
    }
    return [rows[key] for key in keys if key in rows]


def _by_match(rows: Iterable[tuple[Any, ...]], row_class: Callable[..., T]) -> dict[int, list[T]]:
    """Rows by match; each row begins with the key of its match."""
    rows_by_match: dict[int, list[T]] = {}
    for match, *values in rows:
        rows_by_match.setdefault(match, []).append(row_class(*values))
    return rows_by_match
