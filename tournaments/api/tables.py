"""Standings and cross tables of a tournament as rows for serializers and exports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from django.db.models import Q, QuerySet

from bots.models import Bot
from tournaments import standings as pure
from tournaments.deal_groups import Entrant, MatchResult, members
from tournaments.models import Entry, Match, Seat, SideResult, Tournament
from tournaments.projections import OVERALL
from tournaments.reading import cross_table_of, stage_standings, standings_of, tournament_standings
from tournaments.reading.strengths import strengths

Groups = list[list[MatchResult]]
"""The finished matches of each deal group; entrants are bots' primary keys."""


def standings(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `StandingSerializer`, best first."""
    entries = _entries(tournament)
    rows = tournament_standings(tournament)
    shown = [_standing(row, entries, tournament.tie_breaks) for row in rows]
    if tournament.by_rating:
        known = strengths(tournament, [entries[row.entrant] for row in rows])
        for each, strength in zip(shown, known, strict=True):
            each |= {"rating": strength.rating, "low": strength.low, "high": strength.high}
    return shown


def tie_breaks(tournament: Tournament) -> list[dict[str, str]]:
    """What parts equals here, in order, explained: the rows of `TieBreakSerializer`."""
    chosen = [(name, pure.TIE_BREAKS[name]) for name in tournament.tie_breaks]
    return [{"name": name, "title": how.title, "meaning": how.meaning} for name, how in chosen]


def cross_table(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `CrossTableRowSerializer`, rows and cells in the order of the standings."""
    entries = _entries(tournament)
    stages = stage_standings(tournament)
    rows = standings_of(tournament, stages)
    cells = cross_table_of(stages, [row.entrant for row in rows])
    return [
        {
            "place": row.place,
            "bot": entries[row.entrant].bot,
            "name": entries[row.entrant].title,
            "points": row.points,
            "cells": [
                {"opponent": entries[other].bot.slug, **asdict(cell)}
                for other, cell in cells[row.entrant].items()
            ],
        }
        for row in rows
    ]


def head_to_head(a: Bot, b: Bot, pool: str) -> dict[str, Any]:
    """The figures of `HeadToHeadSerializer`, from all finished matches of a against b."""
    groups = _groups(_meetings(a, b).filter(_in_pool(pool)))
    cell = pure.cross_table([a.pk, b.pk], groups)[a.pk].get(b.pk) or pure.Cell(0.0, 0, 0.0)
    ahead, level, behind = _tally(groups, a.pk, b.pk)
    return {
        "a": a,
        "b": b,
        "pool": pool,
        "matches": ahead + level + behind,
        "a_ahead": ahead,
        "level": level,
        "b_ahead": behind,
        **asdict(cell),
    }


def _meetings(a: Bot, b: Bot) -> QuerySet[SideResult]:
    """Results of all sides of the matches in which both bots played."""
    return SideResult.objects.filter(
        match__state=Match.State.FINISHED,
        match__tournament__trial=False,
        match__in=Seat.objects.filter(version__bot=a).values("match"),
    ).filter(match__in=Seat.objects.filter(version__bot=b).values("match"))


def _in_pool(pool: str) -> Q:
    """Formats of a pool: of its game, or of its game, variant and table with any options."""
    if pool == OVERALL:
        return Q()
    if "/" not in pool:
        return Q(match__format__startswith=f"{pool}/")
    return Q(match__format=pool) | Q(match__format__startswith=f"{pool}?")


def _tally(groups: Groups, a: int, b: int) -> tuple[int, int, int]:
    """In how many matches a was ranked before b, level with b, behind b."""
    ahead = level = behind = 0
    for match in (match for group in groups for match in group):
        if _side_of(match, a) == _side_of(match, b):
            continue  # partners
        mine, other = (match.ranks[_side_of(match, key)] for key in (a, b))
        ahead += mine < other
        level += mine == other
        behind += mine > other
    return ahead, level, behind


def _side_of(match: MatchResult, bot: int) -> int:
    return next(i for i, side in enumerate(match.entrants) if bot in members(side))


def _entries(tournament: Tournament) -> dict[Entrant, Entry]:
    entries = tournament.entries.select_related("bot", "version").order_by("number")
    entries = entries.prefetch_related("mates__bot", "mates__version")
    return {entry.pk: entry for entry in entries}


def _groups(results: QuerySet[SideResult]) -> Groups:
    """The matches behind the results, by deal group, with bots as entrants; two queries.

    A team of several bots is the tuple of them, in every match of the group, also where one rests.
    """
    rows = list(
        results.order_by("match__fixture", "match", "side").values_list(
            "match__fixture", "match", "side", "score", "rank", "faulted", "match__rotation"
        )
    )
    seats = Seat.objects.filter(match__in={row[1] for row in rows}).order_by("index")
    bots: dict[tuple[int, int], dict[int, None]] = {}
    for match, side, bot in seats.values_list("match", "side", "version__bot"):
        bots.setdefault((match, side), {})[bot] = None
    groups = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        matches = [list(sides) for _, sides in groupby(group, key=lambda row: row[1])]
        teams = _teams(matches, bots)
        # A bot on two sides (one version against another) is compared with nobody.
        if len({bot for team in teams for bot in team}) == sum(map(len, teams)):
            groups.append([_match(sides, teams) for sides in matches])
    return groups


def _teams(
    matches: list[list[tuple[Any, ...]]], bots: dict[tuple[int, int], dict[int, None]]
) -> list[tuple[int, ...]]:
    """The bots of each team of a deal group, as its side in the first match has it."""
    sides = len(matches[0])
    found: list[dict[int, None]] = [{} for _ in range(sides)]
    for match in matches:
        for _, pk, side, _, _, _, rotation in match:
            found[(side - rotation) % sides] |= bots[pk, side]
    return [tuple(sorted(team)) for team in found]


def _match(rows: list[tuple[Any, ...]], teams: list[tuple[int, ...]]) -> MatchResult:
    _, _, sides, scores, ranks, faulted, rotations = zip(*rows, strict=True)
    there = [teams[(side - rotations[0]) % len(teams)] for side in sides]
    entrants = tuple(team[0] if len(team) == 1 else team for team in there)
    guilty = tuple(side for side, fault in enumerate(faulted) if fault)
    return MatchResult(entrants, scores, ranks, guilty)


def _standing(
    row: pure.Row, entries: dict[Entrant, Entry], tie_breaks: Sequence[str]
) -> dict[str, Any]:
    entry = entries[row.entrant]
    shown = asdict(row)
    del shown["entrant"]
    shown["tie_breaks"] = dict(zip(tie_breaks, row.tie_breaks, strict=True))
    place = shown.pop("place")
    return {
        "place": place,
        "bot": entry.bot,
        "version": entry.version.number,
        "name": entry.title,
        "members": [{"bot": bot, "version": version.number} for bot, version in entry.members()],
        **shown,
    }
