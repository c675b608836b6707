"""The results of two bots against each other, in all tournaments."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import Q, QuerySet

from bots.models import Bot
from tournaments.course.divisions import rotated
from tournaments.deal_groups import MatchResult, members
from tournaments.models import Match, Seat, SideResult
from tournaments.projections import OVERALL
from tournaments.reading.results import Result, results_by_group
from tournaments.standings import Cell, cross_table

Groups = list[list[MatchResult]]
"""The finished matches of each deal group; entrants are bots' primary keys."""


def head_to_head(a: Bot, b: Bot, pool: str) -> dict[str, Any]:
    """All finished matches of a against b, as the fields of the REST answer."""
    groups = _groups(_meetings(a, b).filter(_in_pool(pool)))
    cell = cross_table([a.pk, b.pk], groups)[a.pk].get(b.pk) or Cell(0.0, 0, 0.0)
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


def _groups(side_results: QuerySet[SideResult]) -> Groups:
    """The matches behind the results, by deal group, with bots as entrants; two queries.

    A team of several bots is the tuple of them, in every match of the group, even where one rests.
    """
    found = results_by_group(side_results)
    matches = {result.match for results in found.values() for result in results}
    seats = Seat.objects.filter(match__in=matches).order_by("index")
    bots: dict[tuple[int, int], dict[int, None]] = {}
    for match, side, bot in seats.values_list("match", "side", "version__bot"):
        bots.setdefault((match, side), {})[bot] = None
    groups = []
    for results in found.values():
        teams = _teams(results, bots)
        # A bot on two sides (one version against another) is not compared with anybody.
        if len({bot for team in teams for bot in team}) == sum(map(len, teams)):
            sides = [team[0] if len(team) == 1 else team for team in teams]
            groups.append([rotated(sides, *result[1:]) for result in results])
    return groups


def _teams(
    results: list[Result], bots: dict[tuple[int, int], dict[int, None]]
) -> list[tuple[int, ...]]:
    """The bots of each team of a deal group, as its side in the first match has it."""
    sides = len(results[0].scores)
    found: list[dict[int, None]] = [{} for _ in range(sides)]
    for match, rotation, *_ in results:
        for side in range(sides):
            found[(side - rotation) % sides] |= bots[match, side]
    return [tuple(sorted(team)) for team in found]
