"""Trials of candidates, which are promoted or rejected."""

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
from tournaments.reading import trials
from tournaments.reading.course import course, paired_groups
from tournaments.reading.trials import evidence_of, store_scores
from tournaments.visibility import visible_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]

DUEL = "season/plain/1v1"


class TrialBots:
    """A bot with a stable version and a candidate, and a field of three."""

    def __init__(self) -> None:
        self.field = [make.bot(formats=("season/*/*",)) for _ in range(3)]
        self.bot = make.bot(name="Magpie", formats=("season/*/*",))
        self.stable = self.bot.versions.get()
        self.candidate = make.version(self.bot, make.package("new", ("season/*/*",)))

    def strengths(self, gain: float) -> dict[int, float]:
        """All versions are equally strong, except the candidate."""
        versions = BotVersion.objects.values_list("pk", flat=True)
        return dict.fromkeys(versions, 1200.0) | {self.candidate.pk: 1200.0 + gain}

    def play_trial(self, gain: float, form: str = DUEL, *, min_gain: float = 150) -> Trial:
        """Play a trial to its end; the candidate's true gain is `gain`."""
        trial = actions.start_trial(self.candidate, self.bot.owner, format_text=form, gain=min_gain)
        play_on(trial.tournament, self.strengths(gain), max_matches=4000)
        trial.refresh_from_db()
        self.bot.refresh_from_db()
        return trial


@pytest.fixture
def trial_bots(request: Any) -> TrialBots:
    request.getfixturevalue("_season_game")
    request.getfixturevalue("db")
    return TrialBots()


@pytest.mark.parametrize("form", [DUEL, "season/plain/2v2", "season/plain/ffa3"])
def test_a_better_candidate_is_promoted(trial_bots: TrialBots, form: str) -> None:
    trial = trial_bots.play_trial(400, form)
    assert trial.state == "promoted"
    assert trial_bots.bot.active_version == trial_bots.candidate
    assert trial.llr >= evidence_of(trial).bounds.upper
    assert trial.groups == evidence_of(trial).groups > 0
    assert trial.finished is not None
    tournament = trial.tournament
    assert (tournament.state, tournament.rated, tournament.opened) == ("finished", False, None)
    assert not tournament.matches.filter(state__in=Match.UNFINISHED).exists()


def test_a_candidate_that_is_no_better_is_rejected(trial_bots: TrialBots) -> None:
    trial = trial_bots.play_trial(-200)
    assert trial.state == "rejected"
    assert trial_bots.bot.active_version == trial_bots.stable
    evidence = evidence_of(trial)
    assert evidence.llr <= evidence.bounds.lower
    assert evidence.gain is not None
    assert evidence.gain < 0
    assert evidence.field  # it has also played against the field
    # Its matches are not rated.
    projections.refresh()
    assert not Rating.objects.exists()


def test_an_uploaded_candidate_gets_one_trial(trial_bots: TrialBots) -> None:
    assert tasks.try_candidate(trial_bots.candidate.pk)
    trial = Trial.objects.get()
    assert (trial.candidate, trial.elo1) == (trial_bots.candidate, 20)
    assert not tasks.try_candidate(trial_bots.candidate.pk)  # the message arrived twice
    other = make.version(trial_bots.bot)
    assert not tasks.try_candidate(other.pk)  # a bot has one trial at a time
    assert not tasks.try_candidate(10**6)
    assert Trial.objects.count() == 1


def test_candidate_stable_version_and_field_enter_a_hidden_tournament(
    trial_bots: TrialBots,
) -> None:
    trial = actions.start_trial(trial_bots.candidate, trial_bots.bot.owner, format_text=DUEL)
    tournament = trial.tournament
    assert tournament.trial
    entries = tournament.entries.order_by("number")
    assert [entry.version_id for entry in entries[:2]] == [
        trial_bots.candidate.pk,
        trial_bots.stable.pk,
    ]
    assert [entry.title for entry in entries[:2]] == ["Magpie v2", "Magpie v1"]
    assert {entry.bot for entry in entries[2:]} == set(trial_bots.field)
    assert tournament.deal_groups.count() == 8  # the maximum of open deal groups
    owner = trial_bots.bot.owner
    assert tournament in visible_to(owner)
    assert tournament not in visible_to(owner).listed()
    for other in (None, trial_bots.field[0].owner):
        assert tournament not in visible_to(other)
    first = Match.objects.filter(tournament=tournament).earliest("pk")
    assert Seat.objects.filter(match=first).count() == 2
    assert first.priority < 5


def test_new_deal_groups_replace_finished_ones(trial_bots: TrialBots) -> None:
    trial = actions.start_trial(trial_bots.candidate, None, format_text=DUEL)
    for attempt in actions.claim("season/1", 5):  # two whole groups and one match of a third
        result = outcome(attempt.match, trial_bots.strengths(0), Random(1))
        assert actions.store_result(attempt.pk, result)
    assert actions.advance(trial.tournament_id)
    waiting = trial.tournament.matches.filter(state__in=Match.UNFINISHED)
    assert waiting.values("deal_group").distinct().count() == 8
    assert trial.tournament.deal_groups.count() == 10
    assert not actions.advance(trial.tournament_id)
    trial.refresh_from_db()
    assert (trial.state, trial.groups) == ("running", 2)


def test_a_step_reads_only_new_deal_groups(
    trial_bots: TrialBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_counts: list[int] = []

    def counting_paired_groups(deal_groups: QuerySet[DealGroup]) -> list[PairedGroup]:
        read_counts.append(len(deal_groups))
        return paired_groups(deal_groups)

    monkeypatch.setattr(trials, "paired_groups", counting_paired_groups)
    trial = actions.start_trial(trial_bots.candidate, None, format_text=DUEL, gain=5)
    queries = []
    for step in range(24):
        for attempt in actions.claim("season/1", 4):
            result = outcome(attempt.match, trial_bots.strengths(0), Random(step))
            assert actions.store_result(attempt.pk, result)
        with CaptureQueriesContext(connection) as captured:
            assert actions.advance(trial.tournament_id)
        queries.append(len(captured))
    assert read_counts == [2] * 24
    [division] = next(course(trial.tournament, for_pairing=True))
    assert len(division.groups) == 8  # the open ones; earlier rounds are only counted
    assert division.state.before == 48
    assert max(queries[1:]) == queries[1]
    trial.refresh_from_db()
    assert trial.groups == trial.scores.count() == 48
    # Storing all scores again gives the same evidence; a rerun match changes one score.
    evidence = evidence_of(trial)
    assert evidence.field
    trial.scores.all().delete()
    assert store_scores(trial) == 48
    assert evidence_of(trial) == evidence
    match = trial.tournament.matches.filter(state=Match.State.FINISHED).earliest("pk")
    actions.void_match(match, None, "A test.")
    assert store_scores(trial) == 1
    assert evidence_of(trial).groups < 48
    actions.rerun_match(match, None, "A test.")
    assert store_scores(trial) == 0
    make.finish(match)
    trial.refresh_from_db()
    assert trial.groups == 48


def test_redealing_an_early_deal_group_does_not_delay_a_trial(trial_bots: TrialBots) -> None:
    trial = actions.start_trial(trial_bots.candidate, None, format_text=DUEL, gain=5)
    tournament = play_on(trial.tournament, trial_bots.strengths(0), max_matches=16)
    early = tournament.matches.filter(state=Match.State.FINISHED).earliest("pk")
    last = tournament.deal_groups.latest("round").round
    assert early.deal_group.round < last
    new = actions.rerun_match(early, None, "A test.").deal_group
    assert (new.round, new.number) == (early.deal_group.round, tournament.deal_groups.count())
    play_on(tournament, trial_bots.strengths(0), max_matches=16)
    assert tournament.deal_groups.latest("round").round > last
    store_scores(trial)
    assert trial.scores.filter(deal_group=new).count() == 1
    assert not trial.scores.filter(deal_group=early.deal_group).exists()


def test_the_field_has_the_nearest_ratings(trial_bots: TrialBots) -> None:
    far = trial_bots.field[1]
    for bot, level in (
        (trial_bots.bot, 1500.0),
        *((b, 2000.0 if b == far else 1500.0) for b in trial_bots.field),
    ):
        version = bot.versions.earliest("number")
        Rating.objects.create(pool=DUEL, version=version, live=level, matches=7)
    more = [make.bot(formats=("season/*/*",)) for _ in range(2)]
    for bot in more:
        Rating.objects.create(pool=DUEL, version=bot.versions.get(), live=1490.0)
    trial = actions.start_trial(
        trial_bots.candidate, trial_bots.bot.owner
    )  # the format is the usual one
    assert trial.tournament.format == DUEL
    field = {entry.bot for entry in trial.tournament.entries.order_by("number")[2:]}
    assert field == {trial_bots.field[0], trial_bots.field[2], *more}


def test_activating_a_version_ends_the_trial(trial_bots: TrialBots) -> None:
    trial = actions.start_trial(trial_bots.candidate, trial_bots.bot.owner, format_text=DUEL)
    set_active_version(trial_bots.bot, trial_bots.candidate.number, trial_bots.bot.owner)
    actions.advance(trial.tournament_id)
    trial.refresh_from_db()
    assert trial.state == "abandoned"
    assert trial.tournament.matches.filter(state="waiting").count() == 0


def test_only_its_owner_abandons_a_trial(trial_bots: TrialBots) -> None:
    trial = actions.start_trial(trial_bots.candidate, trial_bots.bot.owner, format_text=DUEL)
    with pytest.raises(ActionError, match="not yours"):
        actions.abandon_trial(trial, make.user())
    (attempt,) = actions.claim("worker/1", 1)
    trial = actions.abandon_trial(trial, trial_bots.bot.owner)
    attempt.refresh_from_db()
    assert (trial.state, attempt.outcome) == ("abandoned", "failed")
    assert "trial is over" in attempt.cause
    assert set(trial.tournament.matches.values_list("state", flat=True)) == {"void"}
    with pytest.raises(ActionError, match="is over: abandoned"):
        actions.abandon_trial(trial, trial_bots.bot.owner)
    actions.start_trial(
        trial_bots.candidate, trial_bots.bot.owner, format_text=DUEL
    )  # a new trial may start


def test_cancelling_the_tournament_abandons_the_trial(trial_bots: TrialBots) -> None:
    trial = actions.start_trial(trial_bots.candidate, None, format_text=DUEL)
    actions.cancel(trial.tournament, None)
    trial.refresh_from_db()
    assert trial.state == "abandoned"


def test_trials_with_invalid_arguments_are_refused(trial_bots: TrialBots) -> None:
    owner, stable = trial_bots.bot.owner, trial_bots.stable
    cases: list[tuple[BotVersion, dict[str, Any], str]] = [
        (stable, {}, "Version 1 of Magpie is already active"),
        (trial_bots.candidate, {"gain": 2}, "a gain of 5 to 200 Elo points, not 2"),
        (trial_bots.candidate, {"format_text": "cassino/standard/1v1"}, "do not both play cassino"),
        (trial_bots.candidate, {"format_text": "nonsense"}, "nonsense"),
        (trial_bots.candidate, {"format_text": "season/plain/ffa6"}, "needs 4 other bots"),
        (make.version(trial_bots.bot, verdict="rejected"), {}, "is rejected; only a version"),
    ]
    for version, options, message in cases:
        with pytest.raises(ActionError, match=message):
            actions.start_trial(version, owner, **options)
    with pytest.raises(ActionError, match="not yours"):
        actions.start_trial(trial_bots.candidate, make.user())
    actions.start_trial(trial_bots.candidate, owner, format_text=DUEL)
    with pytest.raises(ActionError, match="Version 2 of Magpie is being tried now"):
        actions.start_trial(make.version(trial_bots.bot), owner)
    assert Bot.objects.get(pk=trial_bots.bot.pk).active_version == stable


def test_organizers_cannot_choose_the_system_of_trials() -> None:
    with pytest.raises(ActionError, match="Only the site itself"):
        actions.create_tournament(None, name="X", format=DUEL, system="trial")
