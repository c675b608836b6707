"""Where luck went in a tournament and in a match, computed when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.models import Match, Seat, SideResult, Tournament
from tournaments.reading.course import groups_among
from tournaments.reading.results import results_by_group
from tournaments.standings.luck import Split, cards_of, split

MAX_GROUPS = 5000
"""How many deal groups are looked at: the last ones of a longer tournament."""


@dataclass(frozen=True, slots=True)
class MatchScores:
    """One match of a deal group, side by side."""

    match: int
    """Primary key."""

    players: tuple[str, ...]
    """The bots of each side, copies listed once."""

    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """What the cards of a match were worth, and what the same cards brought at the other tables."""

    table: MatchScores
    others: tuple[MatchScores, ...]
    cards: tuple[float, ...]
    """For each side, in points above the mean of the match; the sum is 0."""


def tournament_luck(tournament: Tournament) -> Split | None:
    """The split of a tournament's scores by entries' primary keys; None while it is too early."""
    finished = tournament.deal_groups.filter(finished__isnull=False, retired__isnull=True)
    numbers = finished.order_by("-number").values_list("number", flat=True)
    last = list(numbers[MAX_GROUPS : MAX_GROUPS + 1])
    # From the deal groups on: their numbers have an index, and a ladder has many older matches.
    deal_groups = tournament.deal_groups.filter(
        retired__isnull=True, number__gt=last[0] if last else 0
    )
    return split(group.matches for group in groups_among(deal_groups))


def match_luck(match: Match) -> MatchLuck | None:
    """The luck of a finished match; None unless its whole deal group was played without a fault."""
    tables = _tables(match.deal_group_id)
    own = next((table for table in tables if table.match == match.pk), None)
    if own is None or len(tables) != len(own.scores):
        return None
    others = tuple(table for table in tables if table is not own)
    return MatchLuck(own, others, cards_of([table.scores for table in tables]))


def _tables(deal_group: int) -> list[MatchScores]:
    """The finished matches of a deal group by rotation; empty if somebody made a fault."""
    rows = SideResult.objects.filter(match__deal_group=deal_group)
    results = results_by_group(rows).get(deal_group, [])
    if any(result.faults for result in results):
        return []
    seats = Seat.objects.filter(match__in=[result.match for result in results]).order_by("index")
    names: dict[tuple[int, int], list[str]] = {}
    for match, side, version, bot in seats.values_list(
        "match", "side", "version__number", "version__bot__name"
    ):
        names.setdefault((match, side), []).append(f"{bot} v{version}")
    return [
        MatchScores(match, tuple(_team(names[match, side]) for side in range(len(scores))), scores)
        for match, _, scores, *_ in results
    ]


def _team(names: Sequence[str]) -> str:
    return " & ".join(dict.fromkeys(names))
