"""Ladders on a site: bots come, change and go while they run."""

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
    """So many that play the season's game."""
    return [make.bot(formats=("season/*/*",)) for _ in range(number)]


def ladder(entered: list[Bot], table: str = "1v1", groups: int = 1, **more: Any) -> Tournament:
    """A running ladder."""
    stages = [{"system": "ladder", "groups": groups, "settings": SETTINGS | more}]
    return make.tournament(entered, format=f"season/plain/{table}", stages=stages, start=True)


def strengths(entered: list[Bot]) -> dict[int, float]:
    """100 Elo points from each to the next."""
    return {bot.active_version_id or 0: 1000.0 + 100 * i for i, bot in enumerate(entered)}


def entry_of(tournament: Tournament, bot: Bot) -> Entry:
    """A bot's entry."""
    return tournament.entries.get(bot=bot)


def paired(tournament: Tournament, bot: Bot) -> int:
    """Deal groups that count and have the bot in them."""
    there = tournament.deal_groups.filter(retired__isnull=True, sides__entry__bot=bot)
    return there.distinct().count()


def settled() -> tuple[Tournament, list[Bot], dict[int, float]]:
    """A ladder on which nobody is new any more."""
    entered = bots(6)
    known = strengths(entered)
    tournament = play_on(ladder(entered, first=0), known, at_most=24)
    tournament.stages.update(settings=SETTINGS)
    tournament.entries.update(groups=100)
    actions.advance(tournament.pk)
    return tournament, entered, known


def test_it_starts_with_newcomers_and_as_much_as_may_wait() -> None:
    tournament = ladder(bots(5), groups=2, first=8)
    assert tournament.state == "running"
    deal_groups = tournament.deal_groups.values_list("round", "pairing").distinct().count()
    assert deal_groups == SETTINGS["ahead"]
    assert set(tournament.matches.values_list("priority", flat=True)) == {7}
    assert not actions.advance(tournament.pk)
    assert sum(tournament.entries.values_list("groups", flat=True)) == 2 * 2 * SETTINGS["ahead"]


def test_it_goes_on_and_never_ends_by_itself() -> None:
    tournament, _, _ = settled()
    tournament.refresh_from_db()
    assert tournament.state == "running"
    assert tournament.deal_groups.count() > SETTINGS["ahead"]
    open_ = tournament.matches.filter(state=Match.State.WAITING)
    assert 0 < open_.values("deal_group").distinct().count() <= SETTINGS["ahead"]
    assert set(open_.values_list("priority", flat=True)) == {5}
    assert tournament.pk in stalled_tournaments()


@pytest.mark.parametrize("table", ["2v2", "ffa4"])
def test_wider_tables_play_it_too(table: str) -> None:
    entered = bots(6)
    tournament = play_on(ladder(entered, table), strengths(entered), at_most=12)
    assert {each.entrant for each in tournament_standings(tournament)} == set(
        tournament.entries.values_list("pk", flat=True)
    )


def test_partners_may_change() -> None:
    entered = bots(9)
    stages = [{"system": "ladder", "groups": 1, "settings": SETTINGS}]
    tournament = make.tournament(
        entered, format="season/plain/2v2", stages=stages, partners="rotating", start=True
    )
    play_on(tournament, strengths(entered), at_most=24)
    assert min(tournament.entries.values_list("groups", flat=True)) >= SETTINGS["first"]
    assert {len(row) for row in sides(tournament)} == {2}


def sides(tournament: Tournament) -> list[set[int]]:
    """The entries of each side of each match that is finished."""
    done = tournament.matches.filter(state="finished").prefetch_related("seats")
    return [
        {seat.entry_id for seat in match.seats.all() if seat.side == side}
        for match in done
        for side in (0, 1)
    ]


def test_a_bot_enters_while_it_runs_and_plays_first() -> None:
    tournament, _, known = settled()
    (new,) = bots(1)
    actions.enter(tournament, new, new.owner)
    make.housekeep()
    assert entry_of(tournament, new).seeding == 7
    others = played = 0
    while entry_of(tournament, new).groups < SETTINGS["first"] or mine(tournament, new):
        (attempt,) = actions.claim("test/1")
        ours = attempt.match.seats.filter(version__bot=new).exists()
        others, played = others + (not ours), played + ours
        assert ours or not mine(tournament, new)
        known.setdefault(new.active_version_id or 0, 1200.0)
        actions.store_result(attempt.pk, outcome(attempt.match, known, Random(attempt.pk)))
        make.housekeep()
    assert played == 2 * SETTINGS["first"]
    assert others <= 2 * SETTINGS["ahead"]
    assert paired(tournament, new) >= SETTINGS["first"]
    with pytest.raises(ActionError, match="has entered already"):
        actions.enter(tournament, new, new.owner)


def mine(tournament: Tournament, bot: Bot) -> bool:
    """Whether a match of a bot waits."""
    waits = tournament.matches.filter(state=Match.State.WAITING)
    return waits.filter(seats__version__bot=bot, priority=7).exists()


def test_a_new_version_replaces_the_old_one_as_a_newcomer() -> None:
    tournament, entered, known = settled()
    changed = entered[2]
    old = changed.active_version_id
    new = make.version(changed, make.package("new", formats=("season/*/*",)))
    bot_actions.set_active_version(changed, new.number, changed.owner)
    known[new.pk] = 1300.0
    tournament = play_on(tournament, known, at_most=20)
    assert entry_of(tournament, changed).version == new
    assert 0 < entry_of(tournament, changed).groups < 100
    sat = tournament.matches.filter(seats__version=new)
    assert set(sat.values_list("priority", flat=True)) >= {7}
    assert tournament.matches.filter(seats__version=old, state="finished").exists()


def test_a_version_for_other_games_is_passed_over() -> None:
    tournament, entered, _ = settled()
    other = make.version(entered[0], make.package("other", formats=("cassino/*/*",)))
    bot_actions.set_active_version(entered[0], other.number, entered[0].owner)
    actions.advance(tournament.pk)
    assert entry_of(tournament, entered[0]).version != other
    assert entry_of(tournament, entered[0]).groups >= SETTINGS["first"]


def test_who_withdraws_is_not_paired_any_more_and_may_come_back() -> None:
    tournament, entered, known = settled()
    gone = entered[1]
    actions.withdraw(tournament, gone, gone.owner)
    assert entry_of(tournament, gone).withdrawn is not None
    assert not tournament.matches.filter(seats__version__bot=gone, state="waiting").exists()
    what = tournament.decisions.filter(kind=Decision.Kind.WITHDRAWN).get()
    assert (what.what, what.by) == (gone.name, gone.owner)
    before = paired(tournament, gone)
    play_on(tournament, known, at_most=24)
    assert paired(tournament, gone) == before > 0
    assert entry_of(tournament, gone).pk in {
        row.entrant for row in tournament_standings(tournament)
    }
    with pytest.raises(ActionError, match="has withdrawn already"):
        actions.withdraw(tournament, gone, gone.owner)
    actions.enter(tournament, gone, gone.owner)
    play_on(tournament, known, at_most=24)
    assert paired(tournament, gone) > before


def test_others_cannot_leave_once_everything_is_paired() -> None:
    entered = bots(3)
    tournament = make.tournament(entered, format="season/plain/1v1", start=True)
    with pytest.raises(ActionError, match="A round robin needs all entries"):
        actions.withdraw(tournament, entered[0], entered[0].owner)
    with pytest.raises(ActionError, match="only while it is open"):
        actions.enter(tournament, bots(1)[0], None)
    with pytest.raises(ActionError, match="ends automatically"):
        actions.finish(tournament, None)


def test_the_organizer_ends_it() -> None:
    tournament, entered, _ = settled()
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.finish(tournament, entered[0].owner)
    ended = actions.finish(tournament, None)
    assert ended.state == "finished"
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()
    assert not actions.advance(tournament.pk)
    assert tournament.pk not in stalled_tournaments()
    with pytest.raises(ActionError, match="only a running ladder"):
        actions.finish(tournament, None)
    done = tournament.matches.filter(state="finished").first()
    assert done is not None
    with pytest.raises(ActionError, match="has ended"):
        actions.rerun_match(done, None, "Once more.")


def test_it_must_be_rated() -> None:
    with pytest.raises(ActionError, match="rated"):
        make.tournament(0, format="season/plain/1v1", stages=[{"system": "ladder"}], rated=False)


def test_what_it_costs_does_not_grow(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr("tournaments.reading.course.RECENT", 12)
    tournament, _, known = settled()
    tournament = play_on(tournament, known, at_most=30)
    with django_assert_max_num_queries(20):
        ((division,),) = course.course(tournament, light=True)
    rounds = division.state.rounds
    last = tournament.deal_groups.order_by("-number").first()
    assert last is not None
    assert len(rounds) <= 12
    assert division.state.before + len(rounds) == last.round
    assert not newcomers(division.state)
    play_on(tournament, known, at_most=20)
    assert tournament.deal_groups.filter(round__gt=last.round).exists()


def test_ratings_find_the_order_and_rank_it() -> None:
    entered = bots(5)
    known = strengths(entered)
    known = {version: 2 * strength for version, strength in known.items()}
    tournament = ladder(entered, ahead=10)
    for _ in range(3):
        play_on(tournament, known, at_most=24)
        projections.refresh()
    rows = tournament_standings(tournament)
    places = {entry_of(tournament, bot).pk: place for place, bot in enumerate(reversed(entered), 1)}
    assert [places[int(row.entrant)] for row in rows] == [1, 2, 3, 4, 5]
    [[division]] = paired_stages(tournament)
    assert max(division.state.errors) < 300  # of the bot that nobody beats
