"""Every format with partners in all three ways: copies, fixed teams, rotating partners."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

import pytest

from bots.models import Bot
from engine import Format, registry
from engine.declarations import TABLES
from tests import factories as make
from tournaments import actions
from tournaments.api import standings_tables
from tournaments.deal_groups import match_points
from tournaments.models import DealGroup, Match, Tournament
from tournaments.reading import kinds, tournament_standings
from tournaments.reading.content_cache import read
from tournaments.reading.head_to_head import head_to_head

pytestmark = pytest.mark.django_db

FULL = os.environ.get("CARDROOM_FULL") == "1"
ALL = ("*/*/*",)


def partner_formats() -> list[str]:
    """Formats with several seats a side: of each game and table, all variants or only the last."""
    formats: dict[tuple[str, str], list[str]] = defaultdict(list)
    for spec in registry.games():
        for variant in spec.variants:
            for table in variant.tables:
                if max(map(len, TABLES[table].sides)) > 1:
                    formats[spec.name, table].append(f"{spec.name}/{variant.name}/{table}")
    return [text for texts in formats.values() for text in (texts if FULL else texts[-1:])]


def one_format_a_table() -> list[str]:
    """One format for each table form."""
    return list({Format.parse(text).table: text for text in partner_formats()}.values())


def short(text: str) -> str:
    """The format with one deal."""
    fmt = Format.parse(text)
    return str(Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": 1}))


def bots(count: int) -> list[Bot]:
    return [make.bot(formats=ALL) for _ in range(count)]


def recomputed_points(cup: Tournament) -> dict[int, float]:
    """Points of each entry, from the seats and results of the matches alone."""
    points: dict[int, float] = defaultdict(float)
    sides = len(Format.parse(cup.format).sides)
    for deal_group in DealGroup.objects.filter(tournament=cup):
        matches = list(deal_group.matches.filter(state=Match.State.FINISHED))
        teams: dict[int, set[int]] = defaultdict(set)
        gained: dict[int, float] = defaultdict(float)
        for match in matches:
            results = list(match.results.order_by("side"))
            shares = match_points([result.rank for result in results])
            for side in range(sides):
                team = (side - match.rotation) % sides
                teams[team] |= set(match.seats.filter(side=side).values_list("entry", flat=True))
                gained[team] += shares[side] / len(matches)
        for team, entries in teams.items():
            for entry in entries:
                points[entry] += gained[team]
    return points


def check_standings(cup: Tournament) -> None:
    assert cup.state == Tournament.State.FINISHED
    expected = recomputed_points(cup)
    rows = tournament_standings(cup)
    assert {int(row.entrant): row.points for row in rows} == pytest.approx(expected)
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    cached = read(kinds.TABLES, cup).value
    assert cached is not None
    lists = standings_tables.standings(cup, cached), standings_tables.cross_table(cup, cached)
    assert [len(table) for table in lists] == [cup.entries.count()] * 2


def seated_versions(match: Match) -> list[list[int]]:
    """The versions on each side's seats."""
    fmt = Format.parse(match.format)
    versions = dict(match.seats.values_list("index", "version"))
    return [[versions[seat] for seat in side] for side in fmt.sides]


@pytest.mark.parametrize("text", partner_formats())
def test_a_bot_with_copies_of_itself(text: str) -> None:
    sides = len(Format.parse(text).sides)
    cup = make.finish_all(make.tournament(bots(sides), format=short(text), start=True))
    check_standings(cup)
    assert all(
        len(set(side)) == 1 for match in cup.matches.all() for side in seated_versions(match)
    )


@pytest.mark.parametrize("text", partner_formats() if FULL else one_format_a_table())
def test_rotating_partners(text: str) -> None:
    fmt = Format.parse(text)
    size = max(map(len, fmt.sides))
    all_bots = bots(size * len(fmt.sides))
    cup = make.tournament(all_bots, partners="rotating", format=short(text), start=True)
    cup = make.finish_all(cup)
    check_standings(cup)
    pairs: Counter[frozenset[int]] = Counter()
    for deal_group in DealGroup.objects.filter(tournament=cup):
        rows = deal_group.sides.values_list("index", "entry")
        for index in range(len(fmt.sides)):
            team = sorted(entry for i, entry in rows if i == index)
            assert len(team) == size
            pairs.update(map(frozenset, combinations(team, 2)))
    assert len(pairs) == len(all_bots) * (len(all_bots) - 1) // 2
    assert len(set(pairs.values())) == 1
    assert len({row.groups for row in tournament_standings(cup)}) == 1
    for other in all_bots[1:]:
        assert head_to_head(all_bots[0], other, "overall")["matches"] > 0


@pytest.mark.parametrize("text", partner_formats())
def test_fixed_teams(text: str) -> None:
    fmt = Format.parse(text)
    size = max(map(len, fmt.sides))
    cup = make.tournament(partners="fixed", format=short(text), groups=size)
    teams = [bots(size) for _ in fmt.sides]
    for number, team in enumerate(teams):
        actions.enter_team(cup, team, None, f"Team {number}")
    cup = make.finish_all(actions.start(cup, None))
    check_standings(cup)
    versions = {frozenset(bot.active_version_id for bot in team) for team in teams}
    places: dict[Any, Counter[int]] = defaultdict(Counter)
    for match in cup.matches.all():
        for side, seated in enumerate(seated_versions(match)):
            assert len(set(seated)) == len(seated)
            assert any(set(seated) <= team for team in versions)
            for place, version in enumerate(seated):
                places[version][place + 10 * side] += 1
    # There are as many deal groups as bots in a team, and each bot sat on every seat.
    assert all(len(seats) == sum(map(len, fmt.sides)) for seats in places.values())
    assert {count for seats in places.values() for count in seats.values()} == {1}
    a, b = teams[0][0], teams[1][-1]
    assert head_to_head(a, b, "overall")["groups"] >= 1
