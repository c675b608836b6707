"""Standings and cross tables of a tournament as rows for serializers and exports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from typing import Any

from django.db.models import Q, QuerySet

from bots.models import Bot
from tournaments import standings as pure
from tournaments.deal_groups import Entrant, MatchResult
from tournaments.models import Entry, Match, SideResult, Tournament
from tournaments.projections import OVERALL, group_results, tournament_standings

Groups = list[list[MatchResult]]
"""The finished matches of each deal group; entrants are bots' primary keys."""


def standings(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `StandingSerializer`, best first."""
    entries = _entries(tournament)
    return [_standing(row, entries) for row in tournament_standings(tournament)]


def cross_table(tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `CrossTableRowSerializer`, rows and cells in the order of the standings."""
    entries = _entries(tournament)
    groups = group_results(tournament)
    rows = pure.standings(list(entries), groups)
    cells = pure.cross_table([row.entrant for row in rows], groups)
    return [
        {
            "place": row.place,
            "bot": entries[row.entrant].bot,
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
        match__in=SideResult.objects.filter(entry__bot=a).values("match"),
    ).filter(match__in=SideResult.objects.filter(entry__bot=b).values("match"))


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
        mine, other = (match.ranks[match.entrants.index(key)] for key in (a, b))
        ahead += mine < other
        level += mine == other
        behind += mine > other
    return ahead, level, behind


def _entries(tournament: Tournament) -> dict[Entrant, Entry]:
    entries = tournament.entries.select_related("bot", "version").order_by("number")
    return {entry.pk: entry for entry in entries}


def _groups(results: QuerySet[SideResult]) -> Groups:
    """The matches behind the results, by deal group, with bots as entrants; one query."""
    rows = results.order_by("match__fixture", "match", "side").values_list(
        "match__fixture", "match", "entry__bot", "score", "rank", "faulted"
    )
    return [
        [_match(sides) for _, sides in groupby(group, key=lambda row: row[1])]
        for _, group in groupby(rows, key=lambda row: row[0])
    ]


def _match(sides: Iterable[tuple[Any, ...]]) -> MatchResult:
    _, _, bots, scores, ranks, faulted = zip(*sides, strict=True)
    guilty = tuple(side for side, fault in enumerate(faulted) if fault)
    return MatchResult(bots, scores, ranks, guilty)


def _standing(row: pure.Row, entries: dict[Entrant, Entry]) -> dict[str, Any]:
    entry = entries[row.entrant]
    shown = asdict(row)
    del shown["entrant"]
    place = shown.pop("place")
    return {"place": place, "bot": entry.bot, "version": entry.version.number, **shown}
