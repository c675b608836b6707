"""Deal groups that are over, the latest first, for the list of matches; all queries are bounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from engine import Format
from engine.search.analysis import target_of
from tournaments.models import Match, MatchFigures, Seat, group_is_over
from tournaments.reading.matches import MatchRow, match_rows
from tournaments.standings.drama import Highlight, MatchSummary, highlight
from tournaments.standings.leads import Leads

MAX_SEARCHED: Final = 20_000
"""Number of latest matches that are searched for rare properties."""
_ANY_TIME: Final = datetime.min.replace(tzinfo=UTC)
MAX_SEATS: Final = 400
"""Number of seats that suffice to fill a page with their deal groups."""
LATEST: Final = 200
"""Number of latest matches that are searched for the most dramatic ones."""
_CLOSE: Final = 90
"""`standings.drama.drama` modulo 100 measures how close a match was; from this value on, its margin
was under a tenth of the best score."""


@dataclass(frozen=True, slots=True)
class FinishedGroup:
    """A deal group that is over."""

    matches: Sequence[MatchRow]
    """Its finished matches, by rotation."""
    summaries: Sequence[MatchSummary]
    """The summaries of `matches`."""
    lead_series: Sequence[Sequence[int]]
    """By match: the leads of the group's first side; empty if they were not recorded."""
    highlight: Highlight

    @property
    def first(self) -> MatchRow:
        """The match whose sides are numbered as in the group."""
        return self.matches[0]

    @property
    def highlighted(self) -> MatchRow:
        """The match that the highlight is about."""
        return self.matches[self.highlight.match]


def last_of_ended_groups(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The last match to end of each deal group that is over, latest first."""
    group = Match.objects.filter(deal_group=OuterRef("deal_group"), state=Match.State.FINISHED)
    later = Q(finished__gt=OuterRef("finished")) | Q(
        finished=OuterRef("finished"), pk__gt=OuterRef("pk")
    )
    finished = matches.filter(
        group_is_over("deal_group"), state=Match.State.FINISHED, finished__isnull=False
    )
    return finished.filter(~Exists(group.filter(later))).order_by("-finished", "-pk")


def finished_before(matches: QuerySet[Match], pk: int) -> QuerySet[Match]:
    """The matches that ended before the match with this key; all if there is no such match."""
    moment = Match.objects.filter(pk=pk).values_list("finished", flat=True).first()
    if moment is None:
        return matches
    # The database can use the index thanks to the first condition.
    return matches.filter(
        Q(finished__lt=moment) | Q(finished=moment, pk__lt=pk), finished__lte=moment
    )


def close_matches(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The recent matches whose margin is under a tenth of the best score."""
    recent = recent_matches(matches).annotate(closeness=F("drama") % 100)
    return recent.filter(closeness__gte=_CLOSE)


def faulted_matches(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The recent matches in which a bot committed a fault."""
    return recent_matches(matches).filter(faulted=True)


def matches_of_versions(
    matches: QuerySet[Match], versions: Collection[int], latest_match: int = 0
) -> QuerySet[Match]:
    """The matches of these versions; if there are very many, only as many as fill a page.

    `latest_match`: the key of the latest match to include; 0 for all.
    """
    seats = Seat.objects.filter(version__in=versions)
    newest = latest_match or Match.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    recent_seats = seats.filter(
        match__gt=newest - MAX_SEARCHED, match__lte=newest, match__finished__isnull=False
    ).order_by("-match")
    latest = list(recent_seats.values_list("match", flat=True)[:MAX_SEATS])
    if len(latest) == MAX_SEATS:
        return matches.filter(pk__in=set(latest))
    return matches.filter(pk__in=seats.values("match"))


def recent_matches(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The given matches that are among the site's last `MAX_SEARCHED` matches; one query.

    The bound is a time, not a set of keys, so that PostgreSQL reads the latest matches by their
    index until a page is full.
    """
    finished = Match.objects.filter(finished__isnull=False).order_by("-finished", "-pk")
    oldest = finished.values_list("finished", flat=True)[MAX_SEARCHED - 1 : MAX_SEARCHED]
    return matches.filter(finished__gte=next(iter(oldest), _ANY_TIME))


def finished_groups(keys: Sequence[int]) -> list[FinishedGroup]:
    """The deal groups of these matches, in their order."""
    deal_groups = Match.objects.filter(pk__in=keys).values("deal_group")
    matches = Match.objects.filter(deal_group__in=deal_groups, state=Match.State.FINISHED)
    keys_and_groups = matches.order_by("deal_group", "rotation").values_list("pk", "deal_group")
    by_group: dict[int, list[int]] = {}
    for pk, group in keys_and_groups:
        by_group.setdefault(group, []).append(pk)
    siblings_by_match = {pk: siblings for siblings in by_group.values() for pk in siblings}
    rows = {row.pk: row for row in match_rows(list(siblings_by_match)) if row.results}
    figure_rows = MatchFigures.objects.filter(pk__in=list(siblings_by_match))
    figures = dict(figure_rows.values_list("record", "content"))
    groups = {
        key: _group([rows[pk] for pk in siblings_by_match[key] if pk in rows], figures)
        for key in keys
        if key in rows
    }
    return [groups[key] for key in keys if key in groups]


def pick_dramatic(matches: QuerySet[Match], count: int) -> list[int]:
    """Keys of the most dramatic of the latest of these matches: the best of each game first, then
    the second of each, …"""
    rows = list(matches.values_list("pk", "drama", "format")[:LATEST])
    rows.sort(key=lambda row: -row[1])
    counts_by_game: dict[str, int] = {}
    ranked = []
    for position, (pk, _, fmt) in enumerate(rows):
        game = fmt.partition("/")[0]
        ranked.append((counts_by_game.get(game, 0), position, pk))
        counts_by_game[game] = counts_by_game.get(game, 0) + 1
    return [pk for *_, pk in sorted(ranked)[:count]]


def _group(rows: Sequence[MatchRow], figures: Mapping[int, Any]) -> FinishedGroup:
    summaries, lead_series = [], []
    for row in rows:
        sides = side_mapping(rows[0], row)
        results = [row.results[side] for side in sides]
        lead = (figures.get(row.pk) or {}).get("leads")
        leads = Leads(**lead) if lead else None
        if leads and len(leads.behind) == len(sides):
            leads = replace(leads, behind=[leads.behind[side] for side in sides])
        summaries.append(
            MatchSummary(
                [result.score for result in results],
                [result.rank for result in results],
                [result.faulted for result in results],
                leads,
            )
        )
        lead_series.append(_from_first_side(sides, leads.line) if leads else [])
    return FinishedGroup(
        rows, summaries, lead_series, highlight(summaries, target_of(Format.parse(rows[0].format)))
    )


def side_mapping(first: MatchRow, other: MatchRow) -> list[int]:
    """By side of a group's first match, which side of another match the same bots play."""
    first_players, other_players = _players(first), _players(other)
    sides = len(other.results)
    by_rotation = [(side + other.rotation - first.rotation) % sides for side in range(sides)]
    if len(set(map(tuple, first_players.values()))) < sides:  # two sides have the same bots
        return by_rotation
    side_by_players = {tuple(players): side for side, players in other_players.items()}
    return [
        side_by_players.get(tuple(first_players.get(side, ())), by_rotation[side])
        for side in range(sides)
    ]


def _players(row: MatchRow) -> dict[int, list[tuple[str, int]]]:
    seats: dict[int, list[tuple[str, int]]] = {}
    for seat in row.seats:
        seats.setdefault(seat.side, []).append((seat.slug, seat.version))
    return {side: sorted(players) for side, players in sorted(seats.items())}


def _from_first_side(sides: Sequence[int], leads: Sequence[int]) -> list[int]:
    """The leads of the group's first side; with more than two sides, empty unless that side is also
    the match's first."""
    if sides[0] == 0:
        return list(leads)
    return [-lead for lead in leads] if len(sides) == 2 else []
