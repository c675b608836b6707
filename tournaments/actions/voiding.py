"""Withdraw results: void matches and retire deal groups."""

from __future__ import annotations

from django.db.models import QuerySet

from cardroom_base.db.db_time import Now, now
from cardroom_base.db.outbox import announce
from tournaments.actions.decision_log import log_decision
from tournaments.models import (
    Attempt,
    DealGroup,
    Decision,
    Ledger,
    Match,
    Seat,
    StoredRecord,
    Tournament,
)
from tournaments.projections.live_elo import lock_ledger
from tournaments.queue.task_names import RATINGS_TASK


def retire(tournament: Tournament, deal_groups: QuerySet[DealGroup], reason: str) -> int:
    """Retire deal groups, so that their matches do not count, and log it; return their number."""
    groups = retire_without_log(deal_groups, reason)
    if not groups:
        return 0
    first_group = groups[0]
    rounds = sorted({deal_group.round for deal_group in groups})
    span = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
    subject = f"{span} of stage {first_group.stage.number}"
    log_decision(tournament, Decision.Kind.RETIRED, subject, reason)
    return len(groups)


def retire_without_log(deal_groups: QuerySet[DealGroup], reason: str) -> list[DealGroup]:
    """Retire deal groups without logging; the caller has locked the tournament."""
    groups = void_all(deal_groups, reason)
    time = now()
    DealGroup.objects.filter(pk__in=[deal_group.pk for deal_group in groups]).update(retired=time)
    for deal_group in groups:
        deal_group.retired = time
    return groups


def void_all(deal_groups: QuerySet[DealGroup], reason: str) -> list[DealGroup]:
    """Lock these deal groups and void their matches; running attempts fail with `reason`."""
    lock_ledger_if_counted(deal_groups)
    rows = list(deal_groups.select_for_update(of=("self",)).order_by("pk"))
    matches = Match.objects.select_for_update().filter(deal_group__in=rows)
    for match in matches.exclude(state=Match.State.VOID).order_by("pk"):
        withdraw_result(match, reason)
        Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING).update(
            outcome=Attempt.Outcome.FAILED, cause=reason, finished=Now()
        )
        match.state = Match.State.VOID
        match.save()
    return rows


def lock_ledger_if_counted(deal_groups: QuerySet[DealGroup]) -> None:
    """Lock the ledger of the ratings if it includes results of these deal groups.

    Call it before locking matches, because a holder of the ledger may wait for a match.
    """
    if Match.objects.filter(deal_group__in=deal_groups, ordinal__isnull=False).exists():
        lock_ledger()


def void_unfinished(tournament: Tournament, cause: str) -> None:
    """Void unfinished matches and delete planned ones; running attempts fail with `cause`. The
    caller has locked the tournament."""
    tournament.planned.all().delete()
    unfinished = tournament.matches.filter(state__in=Match.UNFINISHED)
    keys = list(unfinished.order_by("pk").select_for_update().values_list("pk", flat=True))
    Match.objects.filter(tournament=tournament, state__in=Match.UNFINISHED).update(
        state=Match.State.VOID
    )
    Attempt.objects.filter(
        match__tournament=tournament, match__in=keys, outcome=Attempt.Outcome.RUNNING
    ).update(outcome=Attempt.Outcome.FAILED, cause=cause, finished=Now())


def withdraw_result(match: Match, reason: str) -> None:
    """Withdraw a match's result; its attempt keeps the record. The caller saves the match."""
    record = StoredRecord.objects.filter(match=match).first()
    if record is None:
        return
    Attempt.objects.filter(match=match, outcome=Attempt.Outcome.STORED).update(
        outcome=Attempt.Outcome.OVERRULED, cause=reason, record=record.content
    )
    record.delete()
    match.results.all().delete()
    Seat.objects.filter(match=match).update(
        fault="", cpu_ms=None, wall_ms=None, peak_memory_kib=None, log=b""
    )
    if match.ordinal is not None:
        match.ordinal = None
        Ledger.objects.update(stale=True)
        announce(RATINGS_TASK)
    match.reason = ""
    match.faulted = False
    match.moves_played = 0
    match.finished = None
