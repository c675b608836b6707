"""Deal groups that are over, the latest first, for the list of matches; all queries are bounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from engine.search.analysis import target_of
from tournaments.models import Match, MatchFigures, Seat, over
from tournaments.models.matches import parsed
from tournaments.reading.matches import MatchRow, match_rows
from tournaments.standings.drama import Highlight, MatchCourse, highlight
from tournaments.standings.leads import Leads

RARE: Final = 20_000
"""Number of latest matches that are searched for rare properties."""
MANY: Final = 400
"""Number of seats that suffice to fill a page with their deal groups."""
LATEST: Final = 200
"""Number of latest matches that are searched for the most dramatic ones."""
_NEAR: Final = 90
"""`standings.drama.drama` modulo 100 measures how close a match was; from this value on, its margin
was under a tenth of the best score."""


@dataclass(frozen=True, slots=True)
class FinishedGroup:
    """A deal group that is over."""

    matches: Sequence[MatchRow]
    """Its finished matches, by rotation."""
    courses: Sequence[MatchCourse]
    """The courses of `matches`."""
    lines: Sequence[Sequence[int]]
    """By match: the leads of the group's first side; empty if they were not counted."""
    highlight: Highlight

    @property
    def first(self) -> MatchRow:
        """The match whose sides are numbered as in the group."""
        return self.matches[0]

    @property
    def highlighted(self) -> MatchRow:
        """The match that the highlight is about."""
        return self.matches[self.highlight.match]


def ended(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The matches that were the last of their deal groups to end, latest first."""
    group = Match.objects.filter(deal_group=OuterRef("deal_group"), state=Match.State.FINISHED)
    later = Q(finished__gt=OuterRef("finished")) | Q(
        finished=OuterRef("finished"), pk__gt=OuterRef("pk")
    )
    finished = matches.filter(
        over("deal_group"), state=Match.State.FINISHED, finished__isnull=False
    )
    return finished.filter(~Exists(group.filter(later))).order_by("-finished", "-pk")


def ended_before(matches: QuerySet[Match], pk: int) -> QuerySet[Match]:
    """The matches that ended before the one with this key; all if there is no such match."""
    moment = Match.objects.filter(pk=pk).values_list("finished", flat=True).first()
    if moment is None:
        return matches
    return matches.filter(Q(finished__lt=moment) | Q(finished=moment, pk__lt=pk))


def close(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The recent matches whose margin is under a tenth of the best score."""
    return _recent(matches).annotate(near=F("drama") % 100).filter(near__gte=_NEAR)


def faulty(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The recent matches in which a bot made a fault."""
    return _recent(matches).filter(faulted=True)


def played_by(
    matches: QuerySet[Match], versions: Collection[int], before: int = 0
) -> QuerySet[Match]:
    """The matches in which one of these versions played.

    If there are very many, only as many as fill a page, up to the match with the key `before`.
    """
    seats = Seat.objects.filter(version__in=versions)
    newest = before or Match.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    window = seats.filter(
        match__gt=newest - RARE, match__lte=newest, match__finished__isnull=False
    ).order_by("-match")
    latest = list(window.values_list("match", flat=True)[:MANY])
    if len(latest) == MANY:
        return matches.filter(pk__in=set(latest))
    return matches.filter(pk__in=seats.values("match"))


def _recent(matches: QuerySet[Match]) -> QuerySet[Match]:
    latest = Match.objects.filter(finished__isnull=False).order_by("-finished", "-pk")
    return matches.filter(pk__in=latest.values("pk")[:RARE])


def groups_of(keys: Sequence[int]) -> list[FinishedGroup]:
    """The deal groups of these matches, in their order."""
    own = Match.objects.filter(pk__in=keys).values("deal_group")
    played = Match.objects.filter(deal_group__in=own, state=Match.State.FINISHED)
    order = played.order_by("deal_group", "rotation").values_list("pk", "deal_group")
    by_group: dict[int, list[int]] = {}
    for pk, group in order:
        by_group.setdefault(group, []).append(pk)
    whole = {pk: siblings for siblings in by_group.values() for pk in siblings}
    rows = {row.pk: row for row in match_rows(list(whole)) if row.results}
    counted = dict(MatchFigures.objects.filter(pk__in=list(whole)).values_list("record", "content"))
    groups = {
        key: _group([rows[pk] for pk in whole[key] if pk in rows], counted)
        for key in keys
        if key in rows
    }
    return [groups[key] for key in keys if key in groups]


def picks(matches: QuerySet[Match], count: int) -> list[int]:
    """Keys of the most dramatic of the latest of these matches: the best of each game first, then
    the second of each, …"""
    rows = list(matches.values_list("pk", "drama", "format")[:LATEST])
    rows.sort(key=lambda row: -row[1])
    seen: dict[str, int] = {}
    ranked = []
    for place, (pk, _, fmt) in enumerate(rows):
        game = fmt.partition("/")[0]
        ranked.append((seen.get(game, 0), place, pk))
        seen[game] = seen.get(game, 0) + 1
    return [pk for *_, pk in sorted(ranked)[:count]]


def _group(rows: Sequence[MatchRow], counted: Mapping[int, Any]) -> FinishedGroup:
    courses, lines = [], []
    for row in rows:
        turn = side_mapping(rows[0], row)
        results = [row.results[side] for side in turn]
        lead = (counted.get(row.pk) or {}).get("leads")
        leads = Leads(**lead) if lead else None
        if leads and len(leads.behind) == len(turn):
            leads = replace(leads, behind=[leads.behind[side] for side in turn])
        courses.append(
            MatchCourse(
                [result.score for result in results],
                [result.rank for result in results],
                [result.faulted for result in results],
                leads,
            )
        )
        lines.append(_from_first_side(turn, leads.line) if leads else [])
    return FinishedGroup(
        rows, courses, lines, highlight(courses, target_of(parsed(rows[0].format)))
    )


def side_mapping(first: MatchRow, other: MatchRow) -> list[int]:
    """By side of a group's first match, which side of another match the same bots play."""
    before, after = _players(first), _players(other)
    sides = len(other.results)
    by_turn = [(side + other.rotation - first.rotation) % sides for side in range(sides)]
    if len(set(map(tuple, before.values()))) < sides:  # two sides have the same bots
        return by_turn
    side_by_players = {tuple(players): side for side, players in after.items()}
    return [
        side_by_players.get(tuple(before.get(side, ())), by_turn[side]) for side in range(sides)
    ]


def _players(row: MatchRow) -> dict[int, list[tuple[str, int]]]:
    seats: dict[int, list[tuple[str, int]]] = {}
    for seat in row.seats:
        seats.setdefault(seat.side, []).append((seat.slug, seat.version))
    return {side: sorted(players) for side, players in sorted(seats.items())}


def _from_first_side(turn: Sequence[int], line: Sequence[int]) -> list[int]:
    """The lead of the group's first side; with more than two sides, empty unless that side is also
    the match's first."""
    if turn[0] == 0:
        return list(line)
    return [-lead for lead in line] if len(turn) == 2 else []
