"""Bots that leave a Swiss do not advance to its next stage."""

from __future__ import annotations

import io

import pytest

from bots.models import Bot
from tests import factories as make
from tests.season.playing import play_on
from tournaments import actions
from tournaments.exports.archive import archive_of
from tournaments.home.verify_command import check_archive
from tournaments.models import Entry, Match, Tournament
from tournaments.reading.standings_tables import tournament_standings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]

SWISS = {"system": "swiss", "settings": {"rounds": 2}, "groups": 1}


def cup(take: int) -> tuple[Tournament, dict[int, float]]:
    """A tournament of two Swiss stages with six bots, and their strengths by version.

    All matches of the first stage are played, and the second is not paired.
    """
    bots = [make.bot(formats=("season/*/*",)) for _ in range(6)]
    strengths = {bot.active_version_id or 0: 1000.0 + 200 * i for i, bot in enumerate(bots)}
    tournament = make.tournament(
        bots, format="season/plain/1v1", stages=[SWISS, {**SWISS, "take": take}], start=True
    )
    play_on(tournament, strengths, max_matches=6)
    assert actions.advance(tournament.pk)
    play_on(tournament, strengths, max_matches=6)
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()
    return tournament, strengths


def ranked_entries(tournament: Tournament) -> list[Entry]:
    by_pk = {entry.pk: entry for entry in tournament.entries.select_related("bot")}
    return [by_pk[int(row.entrant)] for row in tournament_standings(tournament)]


def leave(tournament: Tournament, *entries: Entry) -> None:
    for entry in entries:
        bot: Bot | None = entry.bot
        assert bot is not None
        actions.withdraw(tournament, bot, bot.owner)


def players(tournament: Tournament, stage: int) -> set[int]:
    """Ids of the entries with a deal group of this stage that is not retired."""
    return set(
        Entry.objects.filter(
            seats__match__deal_group__stage__number=stage,
            seats__match__deal_group__retired=None,
            tournament=tournament,
        ).values_list("pk", flat=True)
    )


def assert_archive_agrees(tournament: Tournament) -> None:
    agrees, report = check_archive(io.BytesIO(b"".join(archive_of(tournament))))
    assert agrees, report


def test_the_next_remaining_bot_takes_the_place() -> None:
    tournament, strengths = cup(take=2)
    places = ranked_entries(tournament)
    leave(tournament, places[0], places[1])
    tournament = play_on(tournament, strengths)
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert players(tournament, 2) == {places[2].pk, places[3].pk}
    assert_archive_agrees(tournament)


@pytest.mark.parametrize("stay", [0, 1])
def test_a_tournament_ends_if_too_few_bots_remain(stay: int) -> None:
    tournament, strengths = cup(take=2)
    places = ranked_entries(tournament)
    leave(tournament, *places[stay:])
    play_on(tournament, strengths)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert ranked_entries(tournament) == places
    assert_archive_agrees(tournament)


def test_after_a_rerun_the_next_bot_takes_the_place_of_a_bot_that_left() -> None:
    tournament, strengths = cup(take=2)
    places = ranked_entries(tournament)
    assert actions.advance(tournament.pk)
    assert players(tournament, 2) == {places[0].pk, places[1].pk}
    leave(tournament, places[0])
    play_on(tournament, strengths, max_matches=2)
    actions.rerun_round(tournament, 1, 2, None, "Once more.")
    reversed_strengths = {version: -strength for version, strength in strengths.items()}
    tournament = play_on(tournament, reversed_strengths)
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert places[0].pk not in players(tournament, 2)
    final = tournament.deal_groups.filter(stage__number=2)
    assert final.exclude(retired=None).count() == 1, "no pairing is unnecessary"
    assert_archive_agrees(tournament)
