"""Ladders on a site: bots enter, change and leave while a ladder runs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from bots import actions as bot_actions
from bots.models import Bot
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tests.season.playing import outcome, play_on
from tournaments import actions, projections
from tournaments.models import Decision, Entry, Match, Tournament
from tournaments.pairing.ladder import newcomers
from tournaments.reading import course, paired_stages, tournament_standings
from tournaments.tasks import stalled_tournaments

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]

SETTINGS = {"ahead": 6, "each": 3, "first": 4, "rest": 2}


def bots(number: int) -> list[Bot]:
    """Bots that play the season's game."""
    return [make.bot(formats=("season/*/*",)) for _ in range(number)]


def ladder(entrants: list[Bot], table: str = "1v1", groups: int = 1, **settings: Any) -> Tournament:
    """A running ladder."""
    stages = [{"system": "ladder", "groups": groups, "settings": SETTINGS | settings}]
    return make.tournament(entrants, format=f"season/plain/{table}", stages=stages, start=True)


def strengths(entrants: list[Bot]) -> dict[int, float]:
    """Strengths by version, in steps of 100 Elo points."""
    return {bot.active_version_id or 0: 1000.0 + 100 * i for i, bot in enumerate(entrants)}


def entry_of(tournament: Tournament, bot: Bot) -> Entry:
    return tournament.entries.get(bot=bot)


def count_deal_groups(tournament: Tournament, bot: Bot) -> int:
    """The number of a bot's deal groups that are not retired."""
    deal_groups = tournament.deal_groups.filter(retired__isnull=True, sides__entry__bot=bot)
    return deal_groups.distinct().count()


def ladder_without_newcomers() -> tuple[Tournament, list[Bot], dict[int, float]]:
    """A running ladder, its bots, and their strengths by version."""
    entrants = bots(6)
    true_strengths = strengths(entrants)
    tournament = play_on(ladder(entrants, first=0), true_strengths, max_matches=24)
    tournament.stages.update(settings=SETTINGS)
    tournament.entries.update(groups=100)
    actions.advance(tournament.pk)
    return tournament, entrants, true_strengths


def test_a_ladder_starts_with_newcomers_and_the_maximum_of_waiting_deal_groups() -> None:
    tournament = ladder(bots(5), groups=2, first=8)
    assert tournament.state == "running"
    deal_groups = tournament.deal_groups.values_list("round", "pairing").distinct().count()
    assert deal_groups == SETTINGS["ahead"]
    assert set(tournament.matches.values_list("priority", flat=True)) == {7}
    assert not actions.advance(tournament.pk)
    assert sum(tournament.entries.values_list("groups", flat=True)) == 2 * 2 * SETTINGS["ahead"]


def test_a_ladder_continues_without_end() -> None:
    tournament, _, _ = ladder_without_newcomers()
    tournament.refresh_from_db()
    assert tournament.state == "running"
    assert tournament.deal_groups.count() > SETTINGS["ahead"]
    open_ = tournament.matches.filter(state=Match.State.WAITING)
    assert 0 < open_.values("deal_group").distinct().count() <= SETTINGS["ahead"]
    assert set(open_.values_list("priority", flat=True)) == {5}
    assert tournament.pk in stalled_tournaments()


@pytest.mark.parametrize("table", ["2v2", "ffa4"])
def test_ladders_work_with_larger_table_forms(table: str) -> None:
    entrants = bots(6)
    tournament = play_on(ladder(entrants, table), strengths(entrants), max_matches=12)
    assert {row.entrant for row in tournament_standings(tournament)} == set(
        tournament.entries.values_list("pk", flat=True)
    )


def test_ladders_work_with_rotating_partners() -> None:
    entrants = bots(9)
    stages = [{"system": "ladder", "groups": 1, "settings": SETTINGS}]
    tournament = make.tournament(
        entrants, format="season/plain/2v2", stages=stages, partners="rotating", start=True
    )
    play_on(tournament, strengths(entrants), max_matches=24)
    assert min(tournament.entries.values_list("groups", flat=True)) >= SETTINGS["first"]
    assert {len(row) for row in sides(tournament)} == {2}


def sides(tournament: Tournament) -> list[set[int]]:
    """The entries of each side of each finished match."""
    matches = tournament.matches.filter(state="finished").prefetch_related("seats")
    return [
        {seat.entry_id for seat in match.seats.all() if seat.side == side}
        for match in matches
        for side in (0, 1)
    ]


def test_a_bot_that_enters_a_running_ladder_plays_first() -> None:
    tournament, _, true_strengths = ladder_without_newcomers()
    (new,) = bots(1)
    actions.enter(tournament, new, new.owner)
    make.housekeep()
    assert entry_of(tournament, new).seeding == 7
    other_matches = own_matches = 0
    while entry_of(tournament, new).groups < SETTINGS["first"] or has_waiting_match(
        tournament, new
    ):
        (attempt,) = actions.claim("test/1")
        is_own = attempt.match.seats.filter(version__bot=new).exists()
        other_matches, own_matches = other_matches + (not is_own), own_matches + is_own
        assert is_own or not has_waiting_match(tournament, new)
        true_strengths.setdefault(new.active_version_id or 0, 1200.0)
        actions.store_result(attempt.pk, outcome(attempt.match, true_strengths, Random(attempt.pk)))
        make.housekeep()
    assert own_matches == 2 * SETTINGS["first"]
    assert other_matches <= 2 * SETTINGS["ahead"]
    assert count_deal_groups(tournament, new) >= SETTINGS["first"]
    with pytest.raises(ActionError, match="has already entered"):
        actions.enter(tournament, new, new.owner)


def has_waiting_match(tournament: Tournament, bot: Bot) -> bool:
    """Whether a match of a bot waits with a newcomer's priority."""
    matches = tournament.matches.filter(state=Match.State.WAITING)
    return matches.filter(seats__version__bot=bot, priority=7).exists()


def test_a_new_version_replaces_the_old_one_as_a_newcomer() -> None:
    tournament, entrants, true_strengths = ladder_without_newcomers()
    bot = entrants[2]
    old = bot.active_version_id
    new = make.version(bot, make.package("new", formats=("season/*/*",)))
    bot_actions.set_active_version(bot, new.number, bot.owner)
    true_strengths[new.pk] = 1300.0
    tournament = play_on(tournament, true_strengths, max_matches=20)
    assert entry_of(tournament, bot).version == new
    assert 0 < entry_of(tournament, bot).groups < 100
    matches = tournament.matches.filter(seats__version=new)
    assert set(matches.values_list("priority", flat=True)) >= {7}
    assert tournament.matches.filter(seats__version=old, state="finished").exists()
    bot_actions.set_active_version(bot, 1, bot.owner)
    actions.advance(tournament.pk)
    entry = entry_of(tournament, bot)
    assert entry.version_id == old
    assert entry.groups >= SETTINGS["first"], "the old version is no newcomer again"


def test_a_version_for_other_games_does_not_replace_the_entry() -> None:
    tournament, entrants, _ = ladder_without_newcomers()
    other = make.version(entrants[0], make.package("other", formats=("cassino/*/*",)))
    bot_actions.set_active_version(entrants[0], other.number, entrants[0].owner)
    actions.advance(tournament.pk)
    assert entry_of(tournament, entrants[0]).version != other
    assert entry_of(tournament, entrants[0]).groups >= SETTINGS["first"]


def test_a_withdrawn_bot_is_not_paired_and_may_enter_again() -> None:
    tournament, entrants, true_strengths = ladder_without_newcomers()
    bot = entrants[1]
    actions.withdraw(tournament, bot, bot.owner)
    assert entry_of(tournament, bot).withdrawn is not None
    assert not tournament.matches.filter(seats__version__bot=bot, state="waiting").exists()
    decision = tournament.decisions.filter(kind=Decision.Kind.WITHDRAWN).get()
    assert (decision.what, decision.by) == (bot.name, bot.owner)
    before = count_deal_groups(tournament, bot)
    play_on(tournament, true_strengths, max_matches=24)
    assert count_deal_groups(tournament, bot) == before > 0
    assert entry_of(tournament, bot).pk in {row.entrant for row in tournament_standings(tournament)}
    with pytest.raises(ActionError, match="has already withdrawn"):
        actions.withdraw(tournament, bot, bot.owner)
    actions.enter(tournament, bot, bot.owner)
    play_on(tournament, true_strengths, max_matches=24)
    assert count_deal_groups(tournament, bot) > before


def test_bots_cannot_leave_or_enter_a_running_round_robin() -> None:
    entrants = bots(3)
    tournament = make.tournament(entrants, format="season/plain/1v1", start=True)
    with pytest.raises(ActionError, match="A round robin needs all entries"):
        actions.withdraw(tournament, entrants[0], entrants[0].owner)
    with pytest.raises(ActionError, match="only while it is open"):
        actions.enter(tournament, bots(1)[0], None)
    with pytest.raises(ActionError, match="ends automatically"):
        actions.finish(tournament, None)


def test_only_the_organizer_ends_a_ladder() -> None:
    tournament, entrants, _ = ladder_without_newcomers()
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.finish(tournament, entrants[0].owner)
    ended = actions.finish(tournament, None)
    assert ended.state == "finished"
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()
    assert not actions.advance(tournament.pk)
    assert tournament.pk not in stalled_tournaments()
    with pytest.raises(ActionError, match="only a running ladder"):
        actions.finish(tournament, None)
    match = tournament.matches.filter(state="finished").first()
    assert match is not None
    with pytest.raises(ActionError, match="has ended"):
        actions.rerun_match(match, None, "Once more.")


def test_a_ladder_must_be_rated() -> None:
    with pytest.raises(ActionError, match="rated"):
        make.tournament(0, format="season/plain/1v1", stages=[{"system": "ladder"}], rated=False)


def test_the_cost_of_a_ladder_does_not_grow(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr("tournaments.reading.course.RECENT", 12)
    tournament, _, true_strengths = ladder_without_newcomers()
    tournament = play_on(tournament, true_strengths, max_matches=30)
    with django_assert_max_num_queries(20):
        ((division,),) = course.course(tournament, for_pairing=True)
    rounds = division.state.rounds
    last = tournament.deal_groups.order_by("-number").first()
    assert last is not None
    assert len(rounds) <= 12
    assert division.state.before + len(rounds) == last.round
    assert not newcomers(division.state)
    play_on(tournament, true_strengths, max_matches=20)
    assert tournament.deal_groups.filter(round__gt=last.round).exists()


def test_standings_follow_the_true_strengths() -> None:
    entrants = bots(5)
    true_strengths = strengths(entrants)
    true_strengths = {version: 2 * strength for version, strength in true_strengths.items()}
    tournament = ladder(entrants, ahead=10)
    for _ in range(3):
        play_on(tournament, true_strengths, max_matches=24)
        projections.refresh()
    rows = tournament_standings(tournament)
    places = {
        entry_of(tournament, bot).pk: place for place, bot in enumerate(reversed(entrants), 1)
    }
    assert [places[int(row.entrant)] for row in rows] == [1, 2, 3, 4, 5]
    [[division]] = paired_stages(tournament)
    assert max(division.state.errors) < 300  # of the bot that nobody beats
