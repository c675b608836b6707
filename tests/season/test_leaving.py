"""Bots that leave a Swiss have no place in the Swiss that follows it."""

from __future__ import annotations

import io

import pytest

from bots.models import Bot
from tests import factories as make
from tests.season.playing import play_on
from tournaments import actions
from tournaments.exports.archive import archive_of
from tournaments.home.checking import check_archive
from tournaments.models import Entry, Match, Tournament
from tournaments.reading.tables import tournament_standings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]

SWISS = {"system": "swiss", "settings": {"rounds": 2}, "groups": 1}


def cup(take: int) -> tuple[Tournament, dict[int, float]]:
    """Two Swisses of six bots; all matches of the first are played, and the second is not paired.

    Its bots and their strengths, by version.
    """
    entered = [make.bot(formats=("season/*/*",)) for _ in range(6)]
    known = {each.active_version_id or 0: 1000.0 + 200 * i for i, each in enumerate(entered)}
    tournament = make.tournament(
        entered, format="season/plain/1v1", stages=[SWISS, {**SWISS, "take": take}], start=True
    )
    play_on(tournament, known, at_most=6)
    assert actions.advance(tournament.pk)
    play_on(tournament, known, at_most=6)
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()
    return tournament, known


def ranked(tournament: Tournament) -> list[Entry]:
    by_pk = {entry.pk: entry for entry in tournament.entries.select_related("bot")}
    return [by_pk[int(row.entrant)] for row in tournament_standings(tournament)]


def leave(tournament: Tournament, *entries: Entry) -> None:
    for entry in entries:
        bot: Bot | None = entry.bot
        assert bot is not None
        actions.withdraw(tournament, bot, bot.owner)


def players(tournament: Tournament, stage: int) -> set[int]:
    """The entries with a deal group of this stage that counts."""
    return set(
        Entry.objects.filter(
            seats__match__deal_group__stage__number=stage,
            seats__match__deal_group__retired=None,
            tournament=tournament,
        ).values_list("pk", flat=True)
    )


def agrees(tournament: Tournament) -> None:
    good, words = check_archive(io.BytesIO(b"".join(archive_of(tournament))))
    assert good, words


def test_the_next_that_is_still_there_takes_the_place() -> None:
    tournament, known = cup(take=2)
    places = ranked(tournament)
    leave(tournament, places[0], places[1])
    tournament = play_on(tournament, known)
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert players(tournament, 2) == {places[2].pk, places[3].pk}
    agrees(tournament)


@pytest.mark.parametrize("stay", [0, 1])
def test_it_ends_where_too_few_are_left(stay: int) -> None:
    tournament, known = cup(take=2)
    places = ranked(tournament)
    leave(tournament, *places[stay:])
    play_on(tournament, known)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert ranked(tournament) == places
    agrees(tournament)


def test_results_taken_back_give_the_place_of_one_that_left_to_the_next() -> None:
    tournament, known = cup(take=2)
    places = ranked(tournament)
    assert actions.advance(tournament.pk)
    assert players(tournament, 2) == {places[0].pk, places[1].pk}
    leave(tournament, places[0])
    play_on(tournament, known, at_most=2)
    actions.rerun_round(tournament, 1, 2, None, "Once more.")
    others = {version: -strength for version, strength in known.items()}
    tournament = play_on(tournament, others)
    assert (tournament.state, tournament.trouble) == ("finished", "")
    assert places[0].pk not in players(tournament, 2)
    final = tournament.deal_groups.filter(stage__number=2)
    assert final.exclude(retired=None).count() == 1, "nothing is paired in vain"
    agrees(tournament)
