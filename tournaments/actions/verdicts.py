"""End trials by the verdict of the sequential test."""

from __future__ import annotations

from bots.actions import set_active_version
from bots.models import Bot
from cardroom_base.db.db_time import now
from tournaments.actions.voiding import void_unfinished
from tournaments.models import Tournament, Trial
from tournaments.reading.trials import evidence_of, store_scores

MAX_GROUPS = 4000
"""After this many deal groups, a trial ends undecided."""


def judge_trial(tournament: Tournament) -> bool:
    """Store the state of a trial's test; promote or reject the candidate once the test decides.

    The caller has locked the tournament. True if the trial has ended.
    """
    trials = Trial.objects.select_for_update(of=("self",)).select_related("candidate__bot")
    trial = trials.filter(tournament=tournament, state=Trial.State.RUNNING).first()
    if trial is None:
        return False
    store_scores(trial)
    evidence = evidence_of(trial)
    trial.llr, trial.groups = evidence.llr, evidence.groups
    trial.save(update_fields=["llr", "groups"])
    bot = Bot.objects.select_for_update().get(pk=trial.candidate.bot_id)
    if bot.active_version_id != trial.opponent_id:  # the author has chosen another meanwhile
        return end_trial(trial, tournament, Trial.State.ABANDONED)
    if evidence.verdict == "better":
        set_active_version(bot, trial.candidate.number, None)
        return end_trial(trial, tournament, Trial.State.PROMOTED)
    if evidence.verdict == "not better":
        return end_trial(trial, tournament, Trial.State.REJECTED)
    if evidence.groups >= MAX_GROUPS:
        return end_trial(trial, tournament, Trial.State.ABANDONED)
    return False


def end_trial(trial: Trial, tournament: Tournament, state: Trial.State) -> bool:
    """Close a trial and its tournament, and void unfinished matches; return True."""
    moment = now()
    decided = state in {Trial.State.PROMOTED, Trial.State.REJECTED}
    trial.state, trial.finished = state, moment
    trial.save(update_fields=["state", "finished"])
    tournament.state = Tournament.State.FINISHED if decided else Tournament.State.CANCELLED
    tournament.finished = moment
    tournament.save(update_fields=["state", "finished"])
    void_unfinished(tournament, f"The trial is over: {trial.get_state_display()}.")
    return True
