"""A tournament has the same course on the site, at home and in its archive."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, cast

import pytest

from bots.referee.outcome import MatchOutcome
from engine import Format
from tests import factories as make
from tests.season.playing import SeasonTournament, play_tournament
from tournaments import home
from tournaments.archive.paired_groups import group_of
from tournaments.archive.shapes import read_deal_group, read_head
from tournaments.course.course import Division, begun_stages, course, standings
from tournaments.course.divisions import result_of_rotation
from tournaments.deal_groups import Entrant, members
from tournaments.exports.archive import archive_of
from tournaments.models import SideResult, Tournament
from tournaments.reading import course as site
from tournaments.reading import standings_tables
from tournaments.standings import Row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game"), pytest.mark.slow]

CUPS = (
    SeasonTournament("1v1", [{"groups": 2}]),
    SeasonTournament("1v1", [{"system": "swiss", "groups": 1}, {"system": "knock-out", "take": 4}]),
    SeasonTournament(
        "1v1", [{"divisions": 2, "groups": 1}, {"system": "double-knock-out", "take": 4}]
    ),
    SeasonTournament("ffa3", [{"system": "knock-out", "settings": {"third": 1}, "groups": 1}]),
    SeasonTournament("2v2", [{"groups": 1}], "rotating"),
    SeasonTournament("2v2", [{"system": "swiss", "groups": 1}], "fixed"),
)


@pytest.mark.parametrize("cup", CUPS, ids=str)
def test_site_home_and_archive_see_one_course(cup: SeasonTournament) -> None:
    bots = [make.bot(formats=("season/*/*",)) for _ in range(7 if cup.table == "1v1" else 8)]
    strengths = {bot.active_version_id or 0: 1200.0 + 40 * i for i, bot in enumerate(bots)}
    tournament = play_tournament(cup, bots, strengths)
    assert tournament.state == "finished"
    site_course = _site_course(tournament)
    assert _archive_course(tournament) == site_course
    assert _home_course(tournament) == site_course


Course = tuple[list[Any], list[tuple[Any, ...]]]
"""Each division's entries, rounds, bracket and standings, and the tournament's standings."""


def _course(stages: list[list[Division]], rows: list[Row], names: dict[Entrant, int]) -> Course:
    divisions = [[_division(division, names) for division in stage] for stage in stages]
    return divisions, _lines(rows, names)


def _division(division: Division, names: dict[Entrant, int]) -> tuple[Any, ...]:
    draw = division.system.bracket
    return (
        (division.stage, division.number),
        [names[entrant] for entrant in division.entrants],
        division.state.rounds,
        draw(division.state) if draw else None,
        _lines(division.rows, names),
    )


def _lines(rows: list[Row], names: dict[Entrant, int]) -> list[tuple[Any, ...]]:
    return [
        (row.place, names[row.entrant], row.points, row.difference, row.byes, row.tie_breaks)
        for row in rows
    ]


def _site_course(tournament: Tournament) -> Course:
    names: dict[Entrant, int] = dict(tournament.entries.values_list("pk", "number"))
    stages = begun_stages(site.course(tournament))
    return _course(stages, standings_tables.tournament_standings(tournament), names)


def _archive_course(tournament: Tournament) -> Course:
    with zipfile.ZipFile(io.BytesIO(b"".join(archive_of(tournament)))) as file:
        head = read_head(json.loads(file.read("tournament.json")))
        lines = file.read("fixtures.jsonl").splitlines()
    groups = [group_of(read_deal_group(json.loads(line), n)) for n, line in enumerate(lines, 1)]
    stages = begun_stages(course(head.conditions, groups))
    names: dict[Entrant, int] = {entry.number: entry.number for entry in head.entries}
    return _course(stages, standings(head.conditions, stages), names)


def _home_course(tournament: Tournament) -> Course:
    """The course of a tournament at home with the same results."""
    entries = list(tournament.entries.order_by("seeding", "number"))
    names: dict[Entrant, int] = {str(entry.number): entry.number for entry in entries}
    is_fixed = tournament.partners == Tournament.Partners.FIXED
    setup = home.Setup(
        fmt=Format.parse(tournament.format),
        names=tuple(map(str, names)),
        seed=tournament.seed,
        plans=tuple(stage.plan for stage in tournament.stages.order_by("number")),
        rotating=tournament.partners == Tournament.Partners.ROTATING,
        tie_breaks=tuple(tournament.tie_breaks),
        bots=2 if is_fixed else 1,
    )
    home_tournament = home.HomeTournament(setup)
    while matches := home_tournament.next_matches():
        home_tournament.add_results([_result(tournament, setup, match) for match in matches])
    return _course(home_tournament.stages, home_tournament.standings(), names)


def _result(
    tournament: Tournament, setup: home.Setup, planned: home.PlannedMatch
) -> home.PlayedMatch:
    """The result of the corresponding match on the site."""
    side_results = SideResult.objects.filter(
        match__tournament=tournament,
        match__rotation=planned.turn - 1,
        match__deal_group__stage__number=planned.stage,
        match__deal_group__division=planned.division,
        match__deal_group__round=planned.round,
        match__deal_group__pairing=planned.pairing,
        match__deal_group__group=planned.number_in_pairing,
        match__deal_group__seed=planned.seed,
    )
    rows = side_results.order_by("side").values_list("score", "rank")
    scores, ranks = zip(*rows, strict=True)
    sides = [setup.side(team) for team in planned.teams]
    result = result_of_rotation(sides, planned.turn - 1, scores, ranks, ())
    players = tuple(tuple(str(name) for name in members(side)) for side in result.entrants)
    return home.PlayedMatch(planned, cast(MatchOutcome, None), result, players)
