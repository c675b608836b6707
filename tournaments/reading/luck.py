"""Where luck went in a tournament and in a match, computed when asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.deal_groups import MatchResult, Side
from tournaments.models import Match, Seat, SideResult, Tournament
from tournaments.standings.luck import Split, cards_of, split

MAX_GROUPS = 5000
"""Deal groups that are looked at: of a longer tournament the last so many."""


@dataclass(frozen=True, slots=True)
class Table:
    """One match of a deal group, side by side."""

    match: int
    """Primary key."""

    players: tuple[str, ...]
    """Of each side its bots, copies once."""

    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """What the cards of a match were worth, and what the same cards brought at the other tables."""

    table: Table
    others: tuple[Table, ...]
    cards: tuple[float, ...]
    """Of each side, in points above the mean of the match; the sum is 0."""


def tournament_luck(tournament: Tournament) -> Split | None:
    """The split of a tournament's scores by entries' primary keys; None while that is too early."""
    finished = tournament.fixtures.filter(finished__isnull=False, retired__isnull=True)
    numbers = finished.order_by("-number").values_list("number", flat=True)
    last = list(numbers[MAX_GROUPS : MAX_GROUPS + 1])
    return split(_groups(tournament, last[0] if last else 0))


def _groups(tournament: Tournament, after: int) -> Iterable[list[MatchResult]]:
    """The finished matches of each deal group beyond number `after`."""
    # From the fixtures on: their numbers have an index, and a ladder has many older matches.
    fixtures = tournament.fixtures.filter(retired__isnull=True, number__gt=after).order_by()
    of_them = {"match__fixture__in": fixtures, "match__state": Match.State.FINISHED}
    sat: dict[int, dict[int, set[int]]] = {}
    seats = Seat.objects.filter(**of_them).order_by()
    for match, side, entry in seats.values_list("match", "side", "entry"):
        sat.setdefault(match, {}).setdefault(side, set()).add(entry)
    rows = SideResult.objects.filter(**of_them).order_by(
        "match__fixture", "match__rotation", "side"
    )
    found: dict[int, dict[int, list[tuple[int, int, bool]]]] = {}
    for fixture, match, score, rank, faulted in rows.values_list(
        "match__fixture", "match", "score", "rank", "faulted"
    ):
        found.setdefault(fixture, {}).setdefault(match, []).append((score, rank, faulted))
    for tables in found.values():
        yield [_result(sat[match], sides) for match, sides in tables.items()]


def _result(sat: dict[int, set[int]], sides: Sequence[tuple[int, int, bool]]) -> MatchResult:
    scores, ranks, faulted = zip(*sides, strict=True)
    faults = tuple(side for side, fault in enumerate(faulted) if fault)
    return MatchResult(tuple(_side(sat[side]) for side in range(len(sides))), scores, ranks, faults)


def _side(entries: set[int]) -> Side:
    return next(iter(entries)) if len(entries) == 1 else tuple(sorted(entries))


def match_luck(match: Match) -> MatchLuck | None:
    """The luck of a finished match; None unless its whole deal group was played without a fault."""
    tables = _tables(match.fixture_id)
    own = next((table for table in tables if table.match == match.pk), None)
    if own is None or len(tables) != len(own.scores):
        return None
    others = tuple(table for table in tables if table is not own)
    return MatchLuck(own, others, cards_of([table.scores for table in tables]))


def _tables(fixture: int) -> list[Table]:
    """The finished matches of a deal group by rotation; none of them if somebody made a fault."""
    rows = SideResult.objects.filter(match__fixture=fixture, match__state=Match.State.FINISHED)
    found: dict[int, list[int]] = {}
    for match, score, faulted in rows.order_by("match__rotation", "side").values_list(
        "match", "score", "faulted"
    ):
        if faulted:
            return []
        found.setdefault(match, []).append(score)
    seats = Seat.objects.filter(match__in=found).order_by("index")
    names: dict[tuple[int, int], list[str]] = {}
    for match, side, version, bot in seats.values_list(
        "match", "side", "version__number", "version__bot__name"
    ):
        names.setdefault((match, side), []).append(f"{bot} v{version}")
    return [
        Table(match, tuple(_team(names[match, side]) for side in range(len(scores))), tuple(scores))
        for match, scores in found.items()
    ]


def _team(names: Sequence[str]) -> str:
    return " & ".join(dict.fromkeys(names))
