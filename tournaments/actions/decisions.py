"""Rerun or void matches.

A decision concerns a whole deal group: a rerun redeals it (`redeals`), and a group without one of
its matches would depend on luck. If a result is withdrawn, a finished tournament runs again, and
everything that followed from the result is recomputed (`advance`).

In a rated tournament the organizer decides only about stuck matches; staff may withdraw results.
Every decision is logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from tournaments.access import lock_for_organizer, may_withdraw_results
from tournaments.actions.attempts import lock_match
from tournaments.actions.decision_log import log_decision
from tournaments.actions.names import checked_text
from tournaments.actions.redeals import absent_entries, redeal
from tournaments.actions.rounds import advance_soon
from tournaments.actions.rules import repin_rules
from tournaments.actions.voiding import lock_ledger_if_counted, void_all
from tournaments.models import DealGroup, Decision, Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BEGUN = (Match.State.FINISHED, Match.State.STUCK, Match.State.VOID)
"""States of matches that can be played again."""


@transaction.atomic
def rerun_match(match: Match, by: User | None, reason: str) -> Match:
    """Redeal the deal group of a stuck, void or finished match; returns the replacing match.

    The group's results are withdrawn; their records stay with the attempts.
    """
    tournament = _lock_for_decision(match.tournament, by, reason)
    match = _lock_match(match)
    if match.state not in BEGUN:
        raise ActionError(f"Match {match.pk} is waiting or being played.", "conflict")
    _refuse_result(match, by)
    if absent := absent_entries(tournament, [match.deal_group_id]):
        raise ActionError(
            f"{absent[0].title} has left {tournament.name}, so match {match.pk} cannot be played "
            "again; you may void it.",
            "conflict",
        )
    new_groups = redeal(tournament, [match.deal_group], reason, reset_failures=True)
    subject = f"match {match.pk}"
    log_decision(
        tournament,
        Decision.Kind.RERUN,
        subject,
        reason,
        by=by,
        match=match,
        about=[match.deal_group],
        dealt=new_groups,
    )
    return Match.objects.get(deal_group=new_groups[0], rotation=match.rotation)


@transaction.atomic
def rerun_round(
    tournament: Tournament, stage: int, round_: int, by: User | None, reason: str
) -> int:
    """Redeal a round; return the number of new matches.

    `stage` and `round_` count from 1. Deal groups that have not begun stay. If `by` may not
    withdraw results, only groups with stuck matches are redealt.
    """
    tournament = _lock_for_decision(tournament, by, reason)
    has_permission = may_withdraw_results(tournament, by)
    states = BEGUN if has_permission else (Match.State.STUCK,)
    groups_of_round = tournament.deal_groups.filter(
        stage__number=stage, round=round_, retired__isnull=True, matches__state__in=states
    )
    keys = set(groups_of_round.values_list("pk", flat=True))
    begun_groups = tournament.deal_groups.filter(pk__in=keys)
    absent = absent_entries(tournament, list(keys))
    lock_ledger_if_counted(begun_groups)
    deal_groups = list(
        begun_groups.exclude(sides__entry__in=absent).select_for_update().order_by("pk")
    )
    if not deal_groups:
        state_text = "has been played" if has_permission else "is stuck"
        explanation = "" if has_permission else f" {_staff_only_text(tournament)}"
        raise ActionError(
            f"No match of round {round_} of stage {stage} {state_text}.{explanation}",
            "conflict",
            "round",
        )
    new_groups = redeal(tournament, deal_groups, reason, reset_failures=True)
    subject = f"round {round_} of stage {stage}"
    log_decision(
        tournament, Decision.Kind.RERUN, subject, reason, by=by, about=deal_groups, dealt=new_groups
    )
    return Match.objects.filter(deal_group__in=new_groups).count()


@transaction.atomic
def void_match(match: Match, by: User | None, reason: str) -> Match:
    """Void all matches of a match's deal group; they may be rerun later."""
    tournament = _lock_for_decision(match.tournament, by, reason)
    match = _lock_match(match)
    if match.state == Match.State.VOID:
        return match
    _refuse_result(match, by)
    void_all(DealGroup.objects.filter(pk=match.deal_group_id), reason)
    DealGroup.objects.filter(pk=match.deal_group_id).update(finished=Now())
    subject = f"match {match.pk} with deal group {match.deal_group.number}"
    about = [match.deal_group]
    log_decision(tournament, Decision.Kind.VOID, subject, reason, by=by, match=match, about=about)
    advance_soon(tournament.pk)
    match.refresh_from_db()
    return match


def may_decide(match: Match, by: User | None) -> bool:
    """Whether the organizer `by` may decide about a match now."""
    tournament = match.tournament
    ladder_over = tournament.state == Tournament.State.FINISHED and tournament.is_ladder
    if ladder_over or tournament.state not in _DECIDABLE or match.deal_group.retired:
        return False
    return may_withdraw_results(tournament, by) or match.state == Match.State.STUCK


_DECIDABLE = (Tournament.State.RUNNING, Tournament.State.FINISHED)


def _lock_for_decision(tournament: Tournament, by: User | None, reason: str) -> Tournament:
    """The tournament, locked and running; ActionError if `by` may not decide about its matches."""
    tournament = lock_for_organizer(tournament, by)
    if tournament.state not in _DECIDABLE:
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            "you can decide about its matches only while it runs or after its end.",
            "conflict",
        )
    if not checked_text("reason", reason).strip():
        raise ActionError(
            "Give a reason; everybody who can see the match can read it.", field="reason"
        )
    if tournament.state == Tournament.State.FINISHED:
        if tournament.is_ladder:
            raise ActionError(f"{tournament.name} has ended; its results stay.", "conflict")
        tournament.state = Tournament.State.RUNNING
        tournament.finished = None
        tournament.save(update_fields=["state", "finished"])
        repin_rules(tournament)
    return tournament


def _lock_match(match: Match) -> Match:
    """The match, locked after its deal group; ActionError if the deal group is retired."""
    lock_ledger_if_counted(DealGroup.objects.filter(pk=match.deal_group_id))
    match = lock_match(match.pk)
    deal_group = match.deal_group
    if deal_group.retired:
        replacement = Match.objects.filter(
            deal_group__instead_of=deal_group, rotation=match.rotation
        ).first()
        raise ActionError(
            f"Match {match.pk} belongs to a deal group that was dealt again; "
            f"match {replacement.pk} has taken its place."
            if replacement
            else f"Match {match.pk} belongs to a pairing that was replaced; it stays void.",
            "conflict",
        )
    return match


def _refuse_result(match: Match, by: User | None) -> None:
    if match.state != Match.State.STUCK and not may_withdraw_results(match.tournament, by):
        raise ActionError(
            f"Match {match.pk} is {match.get_state_display()}. "
            f"{_staff_only_text(match.tournament)}",
            "forbidden",
        )


def _staff_only_text(tournament: Tournament) -> str:
    return (
        f"{tournament.name} is rated: its organizer may decide only about stuck matches; "
        "only staff can withdraw results."
    )
