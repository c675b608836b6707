"""tournaments.actions.trials and judging: candidates that are tried, promoted, rejected."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from bots.actions import set_active_version
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tests.season.playing import outcome, play_on
from tournaments import actions, projections, tasks
from tournaments.course.divisions import PairedGroup
from tournaments.models import DealGroup, Match, Rating, Seat, Trial
from tournaments.reading import trials as weighing
from tournaments.reading.course import course, paired_groups
from tournaments.reading.trials import evidence_of, store_scores
from tournaments.visibility import visible_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]

DUEL = "season/plain/1v1"


class Yard:
    """A bot with a stable version and a candidate, and a field of three."""

    def __init__(self) -> None:
        self.field = [make.bot(formats=("season/*/*",)) for _ in range(3)]
        self.bot = make.bot(name="Magpie", formats=("season/*/*",))
        self.stable = self.bot.versions.get()
        self.candidate = make.version(self.bot, make.package("new", ("season/*/*",)))

    def strengths(self, gain: float) -> dict[int, float]:
        """Everybody is equal but for the candidate."""
        versions = BotVersion.objects.values_list("pk", flat=True)
        return dict.fromkeys(versions, 1200.0) | {self.candidate.pk: 1200.0 + gain}

    def tried(self, gain: float, form: str = DUEL, *, looks_for: float = 150) -> Trial:
        """A trial of a candidate that is so much better, played to its end."""
        trial = actions.start_trial(
            self.candidate, self.bot.owner, format_text=form, gain=looks_for
        )
        play_on(trial.tournament, self.strengths(gain), at_most=4000)
        trial.refresh_from_db()
        self.bot.refresh_from_db()
        return trial


@pytest.fixture
def yard(request: Any) -> Yard:
    """The bots."""
    request.getfixturevalue("_season_game")
    request.getfixturevalue("db")
    return Yard()


@pytest.mark.parametrize("form", [DUEL, "season/plain/2v2", "season/plain/ffa3"])
def test_a_better_candidate_is_promoted(yard: Yard, form: str) -> None:
    trial = yard.tried(400, form)
    assert trial.state == "promoted"
    assert yard.bot.active_version == yard.candidate
    assert trial.llr >= evidence_of(trial).bounds.upper
    assert trial.groups == evidence_of(trial).groups > 0
    assert trial.finished is not None
    tournament = trial.tournament
    assert (tournament.state, tournament.rated, tournament.opened) == ("finished", False, None)
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()


def test_a_candidate_that_is_no_better_is_rejected(yard: Yard) -> None:
    trial = yard.tried(-200)
    assert trial.state == "rejected"
    assert yard.bot.active_version == yard.stable
    evidence = evidence_of(trial)
    assert evidence.llr <= evidence.bounds.lower
    assert evidence.gain is not None
    assert evidence.gain < 0
    assert evidence.field  # it has looked at others, too
    # Nothing of it is rated.
    projections.refresh()
    assert not Rating.objects.exists()


def test_an_uploaded_candidate_is_tried_once(yard: Yard) -> None:
    assert tasks.try_candidate(yard.candidate.pk)
    trial = Trial.objects.get()
    assert (trial.candidate, trial.elo1) == (yard.candidate, 20)
    assert not tasks.try_candidate(yard.candidate.pk)  # the message came twice
    other = make.version(yard.bot)
    assert not tasks.try_candidate(other.pk)  # one at a time
    assert not tasks.try_candidate(10**6)
    assert Trial.objects.count() == 1


def test_all_meet_in_the_hidden_tournament(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, yard.bot.owner, format_text=DUEL)
    tournament = trial.tournament
    assert tournament.trial
    entries = tournament.entries.order_by("number")
    assert [entry.version_id for entry in entries[:2]] == [yard.candidate.pk, yard.stable.pk]
    assert [entry.title for entry in entries[:2]] == ["Magpie v2", "Magpie v1"]
    assert {entry.bot for entry in entries[2:]} == set(yard.field)
    assert tournament.deal_groups.count() == 8  # no more than are wanted at once
    owner = yard.bot.owner
    assert tournament in visible_to(owner)
    assert tournament not in visible_to(owner).listed()
    for other in (None, yard.field[0].owner):
        assert tournament not in visible_to(other)
    first = Match.objects.filter(tournament=tournament).earliest("pk")
    assert Seat.objects.filter(match=first).count() == 2
    assert first.priority < 5


def test_as_many_follow_as_are_finished(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, None, format_text=DUEL)
    for attempt in actions.claim("season/1", 5):  # two whole groups and one match of a third
        played = outcome(attempt.match, yard.strengths(0), Random(1))
        assert actions.store_result(attempt.pk, played)
    assert actions.advance(trial.tournament_id)
    waiting = trial.tournament.matches.filter(state__in=Match.UNFINISHED)
    assert waiting.values("deal_group").distinct().count() == 8
    assert trial.tournament.deal_groups.count() == 10
    assert not actions.advance(trial.tournament_id)
    trial.refresh_from_db()
    assert (trial.state, trial.groups) == ("running", 2)


def test_a_step_reads_only_what_is_new(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def watched(deal_groups: QuerySet[DealGroup]) -> list[PairedGroup]:
        read.append(len(deal_groups))
        return paired_groups(deal_groups)

    monkeypatch.setattr(weighing, "paired_groups", watched)
    trial = actions.start_trial(yard.candidate, None, format_text=DUEL, gain=5)
    queries = []
    for step in range(24):
        for attempt in actions.claim("season/1", 4):
            played = outcome(attempt.match, yard.strengths(0), Random(step))
            assert actions.store_result(attempt.pk, played)
        with CaptureQueriesContext(connection) as asked:
            assert actions.advance(trial.tournament_id)
        queries.append(len(asked))
    assert read == [2] * 24
    [division] = next(course(trial.tournament, light=True))
    assert len(division.groups) == 8  # what is open; the rounds before are only counted
    assert division.state.before == 48
    assert max(queries[1:]) == queries[1]
    trial.refresh_from_db()
    assert trial.groups == trial.scores.count() == 48
    # All at once says the same, and so does a match that is played again.
    whole = evidence_of(trial)
    assert whole.field
    trial.scores.all().delete()
    assert store_scores(trial) == 48
    assert evidence_of(trial) == whole
    again = trial.tournament.matches.filter(state=Match.State.FINISHED).earliest("pk")
    actions.void_match(again, None, "A test.")
    assert store_scores(trial) == 1
    assert evidence_of(trial).groups < 48
    actions.rerun_match(again, None, "A test.")
    assert store_scores(trial) == 0
    make.finish(again)
    trial.refresh_from_db()
    assert trial.groups == 48


def test_new_cards_for_an_early_deal_group_do_not_hold_a_trial_up(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, None, format_text=DUEL, gain=5)
    tournament = play_on(trial.tournament, yard.strengths(0), at_most=16)
    early = tournament.matches.filter(state=Match.State.FINISHED).earliest("pk")
    last = tournament.deal_groups.latest("round").round
    assert early.deal_group.round < last
    new = actions.rerun_match(early, None, "A test.").deal_group
    assert (new.round, new.number) == (early.deal_group.round, tournament.deal_groups.count())
    play_on(tournament, yard.strengths(0), at_most=16)
    assert tournament.deal_groups.latest("round").round > last
    store_scores(trial)
    assert trial.scores.filter(deal_group=new).count() == 1
    assert not trial.scores.filter(deal_group=early.deal_group).exists()


def test_the_nearest_in_rating_are_the_field(yard: Yard) -> None:
    far = yard.field[1]
    for bot, level in (
        (yard.bot, 1500.0),
        *((b, 2000.0 if b == far else 1500.0) for b in yard.field),
    ):
        version = bot.versions.earliest("number")
        Rating.objects.create(pool=DUEL, version=version, live=level, matches=7)
    more = [make.bot(formats=("season/*/*",)) for _ in range(2)]
    for bot in more:
        Rating.objects.create(pool=DUEL, version=bot.versions.get(), live=1490.0)
    trial = actions.start_trial(yard.candidate, yard.bot.owner)  # and the format is the usual one
    assert trial.tournament.format == DUEL
    field = {entry.bot for entry in trial.tournament.entries.order_by("number")[2:]}
    assert field == {yard.field[0], yard.field[2], *more}


def test_another_choice_of_the_author_ends_the_trial(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, yard.bot.owner, format_text=DUEL)
    set_active_version(yard.bot, yard.candidate.number, yard.bot.owner)
    actions.advance(trial.tournament_id)
    trial.refresh_from_db()
    assert trial.state == "abandoned"
    assert trial.tournament.matches.filter(state="waiting").count() == 0


def test_a_trial_is_ended_by_its_owner(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, yard.bot.owner, format_text=DUEL)
    with pytest.raises(ActionError, match="not yours"):
        actions.abandon_trial(trial, make.user())
    (attempt,) = actions.claim("worker/1", 1)
    trial = actions.abandon_trial(trial, yard.bot.owner)
    attempt.refresh_from_db()
    assert (trial.state, attempt.outcome) == ("abandoned", "failed")
    assert "trial is over" in attempt.cause
    assert set(trial.tournament.matches.values_list("state", flat=True)) == {"void"}
    with pytest.raises(ActionError, match="is over: abandoned"):
        actions.abandon_trial(trial, yard.bot.owner)
    actions.start_trial(yard.candidate, yard.bot.owner, format_text=DUEL)  # and may begin again


def test_a_cancelled_tournament_takes_its_trial_along(yard: Yard) -> None:
    trial = actions.start_trial(yard.candidate, None, format_text=DUEL)
    actions.cancel(trial.tournament, None)
    trial.refresh_from_db()
    assert trial.state == "abandoned"


def test_what_cannot_be_tried_is_refused(yard: Yard) -> None:
    owner, stable = yard.bot.owner, yard.stable
    cases: list[tuple[BotVersion, dict[str, Any], str]] = [
        (stable, {}, "Version 1 of Magpie is active already"),
        (yard.candidate, {"gain": 2}, "a gain of 5 to 200 Elo points, not 2"),
        (yard.candidate, {"format_text": "cassino/standard/1v1"}, "do not both play cassino"),
        (yard.candidate, {"format_text": "nonsense"}, "nonsense"),
        (yard.candidate, {"format_text": "season/plain/ffa6"}, "needs 4 other bots"),
        (make.version(yard.bot, verdict="rejected"), {}, "is rejected; only a version"),
    ]
    for version, asked, words in cases:
        with pytest.raises(ActionError, match=words):
            actions.start_trial(version, owner, **asked)
    with pytest.raises(ActionError, match="not yours"):
        actions.start_trial(yard.candidate, make.user())
    actions.start_trial(yard.candidate, owner, format_text=DUEL)
    with pytest.raises(ActionError, match="Version 2 of Magpie is being tried now"):
        actions.start_trial(make.version(yard.bot), owner)
    assert Bot.objects.get(pk=yard.bot.pk).active_version == stable


def test_organizers_cannot_choose_the_system_of_trials() -> None:
    with pytest.raises(ActionError, match="Only the site itself"):
        actions.create_tournament(None, name="X", format=DUEL, system="trial")
