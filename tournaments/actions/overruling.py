"""What an organizer decides about matches: play them (again), or do not count them.

A tournament that has finished runs again when a result is taken back; everything that followed from
the result follows anew (`advance`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from bots.actions import ActionError
from bots.outbox import announce
from tournaments.actions.advancing import advance
from tournaments.actions.playing import close_fixture, lock_match
from tournaments.actions.retiring import note, set_aside
from tournaments.actions.rights import locked_for_organizer
from tournaments.actions.scheduling import PLAY_TASK
from tournaments.models import Attempt, Decision, Fixture, Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def rerun_match(match: Match, by: User | None, reason: str) -> Match:
    """Have a match played anew: a stuck, void or finished one.

    The result it had is set aside; its record stays with the attempt that stored it.
    """
    tournament = _decider(match.tournament, by, reason)
    match = _counted(match)
    if match.state in {Match.State.WAITING, Match.State.PLAYING}:
        raise ActionError(f"Match {match.pk} is being played already.", "conflict")
    _wait_again(match, reason)
    note(tournament, Decision.Kind.RERUN, f"match {match.pk}", reason, by=by, match=match)
    announce(PLAY_TASK)
    return match


@transaction.atomic
def rerun_round(
    tournament: Tournament, stage: int, round_: int, by: User | None, reason: str
) -> int:
    """Have every match of a round played anew; how many. `stage` and `round_` count from 1."""
    tournament = _decider(tournament, by, reason)
    matches = tournament.matches.filter(
        fixture__stage__number=stage, fixture__round=round_, fixture__retired__isnull=True
    )
    found = [lock_match(pk) for pk in matches.order_by("pk").values_list("pk", flat=True)]
    again = [m for m in found if m.state not in {Match.State.WAITING, Match.State.PLAYING}]
    if not again:
        raise ActionError(
            f"Nothing of round {round_} of stage {stage} has been played.", "conflict", "round"
        )
    for match in again:
        _wait_again(match, reason)
    note(tournament, Decision.Kind.RERUN, f"round {round_} of stage {stage}", reason, by=by)
    announce(PLAY_TASK)
    return len(again)


@transaction.atomic
def void_match(match: Match, by: User | None, reason: str) -> Match:
    """Do not count a match; it may still be played anew later."""
    tournament = _decider(match.tournament, by, reason)
    match = _counted(match)
    if match.state == Match.State.VOID:
        return match
    set_aside(match, reason)
    Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING).update(
        outcome=Attempt.Outcome.FAILED, cause=reason
    )
    match.state = Match.State.VOID
    match.save()
    note(tournament, Decision.Kind.VOID, f"match {match.pk}", reason, by=by, match=match)
    close_fixture(match)
    transaction.on_commit(partial(advance, match.tournament_id), robust=True)
    return match


def _decider(tournament: Tournament, by: User | None, reason: str) -> Tournament:
    """The tournament, locked and running (again), if `by` may decide about its matches now."""
    tournament = locked_for_organizer(tournament, by)
    if tournament.state not in {Tournament.State.RUNNING, Tournament.State.FINISHED}:
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            "matches can be decided about only while it is running, and after its end.",
            "conflict",
        )
    if not reason.strip():
        raise ActionError("Give a reason; everybody who sees the match sees it.", field="reason")
    if tournament.state == Tournament.State.FINISHED:
        if tournament.by_rating:
            raise ActionError(f"{tournament.name} has ended; its results stay.", "conflict")
        tournament.state = Tournament.State.RUNNING
        tournament.finished = None
        tournament.save(update_fields=["state", "finished"])
    return tournament


def _counted(match: Match) -> Match:
    """The match, locked behind its fixture, if the fixture has a place in the tournament."""
    match = lock_match(match.pk)
    if match.fixture.retired:
        raise ActionError(
            f"Match {match.pk} belongs to a pairing that was made anew; it stays void.", "conflict"
        )
    return match


def _wait_again(match: Match, reason: str) -> None:
    set_aside(match, reason)
    match.state = Match.State.WAITING
    match.failures = 0
    match.save()
    Fixture.objects.filter(pk=match.fixture_id).update(finished=None)
