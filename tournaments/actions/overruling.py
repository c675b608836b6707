"""What an organizer decides about a match: play it (again), or do not count it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from bots.actions import ActionError
from bots.outbox import announce
from tournaments.actions.organizing import advance, locked_for_organizer
from tournaments.actions.playing import close_fixture, lock_match
from tournaments.actions.scheduling import PLAY_TASK
from tournaments.models import Attempt, Fixture, Ledger, Match, Seat, StoredRecord, Tournament
from tournaments.projections import RATINGS_TASK

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def rerun_match(match: Match, by: User | None, reason: str) -> Match:
    """Have a match played anew, while its tournament runs: a stuck, void or finished one.

    The result it had is set aside; its record stays with the attempt that stored it.
    """
    match = _decided(match, by, reason)
    if match.state in {Match.State.WAITING, Match.State.PLAYING}:
        raise ActionError(f"Match {match.pk} is being played already.", "conflict")
    _set_aside(match, reason)
    match.state = Match.State.WAITING
    match.failures = 0
    match.save()
    Fixture.objects.filter(pk=match.fixture_id).update(finished=None)
    announce(PLAY_TASK)
    return match


@transaction.atomic
def void_match(match: Match, by: User | None, reason: str) -> Match:
    """Do not count a match, while its tournament runs; it may still be played anew later."""
    match = _decided(match, by, reason)
    if match.state == Match.State.VOID:
        return match
    _set_aside(match, reason)
    Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING).update(
        outcome=Attempt.Outcome.FAILED, cause=reason
    )
    match.state = Match.State.VOID
    match.save()
    close_fixture(match)
    transaction.on_commit(partial(advance, match.tournament_id), robust=True)
    return match


def _decided(match: Match, by: User | None, reason: str) -> Match:
    """The match, locked behind its tournament and fixture, if `by` may decide about it now."""
    tournament = locked_for_organizer(match.tournament, by)
    if tournament.state != Tournament.State.RUNNING:
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            "matches can be decided about only while it is running.",
            "conflict",
        )
    if not reason.strip():
        raise ActionError("Give a reason; everybody who sees the match sees it.", field="reason")
    return lock_match(match.pk)


def _set_aside(match: Match, reason: str) -> None:
    """Take a match's result away, keeping the record with its attempt."""
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
