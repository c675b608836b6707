"""Open, start, cancel and end tournaments, and set their priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from tournaments.access import lock_for_organizer, refuse_too_many_tournaments, refuse_unless
from tournaments.actions.deal_groups import MAX_PRIORITY
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import refuse_missing_round
from tournaments.actions.entrants import finalize_entries
from tournaments.actions.names import refuse_lookalike
from tournaments.actions.notifying import Kind, notify_people
from tournaments.actions.rounds import pair_first
from tournaments.actions.rules import pin_rules
from tournaments.actions.voiding import void_unfinished
from tournaments.course import field_rules
from tournaments.models import Decision, Match, Tournament, Trial
from tournaments.queue.task_names import RATINGS_TASK

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def open_(tournament: Tournament, by: User | None) -> Tournament:
    """Show the tournament and let bots enter."""
    tournament = lock_for_organizer(tournament, by)
    refuse_unless(tournament, "opened", Tournament.State.DRAFT)
    refuse_too_many_tournaments(tournament, by)
    refuse_lookalike(tournament, by)
    _refuse_past(tournament, "entries_until", "starts_at", "freezes_at", "ends_at")
    tournament.state = Tournament.State.OPEN
    tournament.opened = now()
    tournament.save(update_fields=["state", "opened"])
    notify_people(tournament, Kind.OPENED, by)
    return tournament


@transaction.atomic
def start(tournament: Tournament, by: User | None) -> Tournament:
    """Finalize the entries, pair them, and create and announce the matches."""
    tournament = lock_for_organizer(tournament, by)
    refuse_unless(tournament, "started", Tournament.State.OPEN)
    _refuse_past(tournament, "freezes_at", "ends_at")
    finalize_entries(tournament)
    refuse_missing_round(tournament)  # before the pairing, which takes long in a large tournament
    tournament.state = Tournament.State.RUNNING
    tournament.started = now()
    tournament.start_trouble = ""
    tournament.save(update_fields=["state", "started", "start_trouble"])
    pair_first(tournament)
    pin_rules(tournament)
    notify_people(tournament, Kind.STARTED, by)
    return tournament


def _refuse_past(tournament: Tournament, *fields: str) -> None:
    """ActionError if one of these times is in the past."""
    time_now = now()
    try:
        for field in fields:
            field_rules.check_future(field, getattr(tournament, field), time_now)
    except FieldError as error:
        raise ActionError(str(error), "conflict", error.field) from error


@transaction.atomic
def cancel(tournament: Tournament, by: User | None) -> Tournament:
    """End a tournament early: unfinished matches are void, results stay."""
    tournament = lock_for_organizer(tournament, by)
    refuse_unless(
        tournament,
        "cancelled",
        Tournament.State.DRAFT,
        Tournament.State.OPEN,
        Tournament.State.RUNNING,
    )
    if tournament.started:
        reason = "It was cancelled; its results stay."
        log_decision(tournament, Decision.Kind.ENDED, "the tournament", reason, by=by)
    moment = now()
    tournament.state = Tournament.State.CANCELLED
    tournament.finished = moment
    tournament.save(update_fields=["state", "finished"])
    Trial.objects.filter(tournament=tournament, state=Trial.State.RUNNING).update(
        state=Trial.State.ABANDONED, finished=moment
    )
    void_unfinished(tournament, "The tournament was cancelled.")
    if tournament.opened:
        notify_people(tournament, Kind.ENDED, by)
    return tournament


@transaction.atomic
def finish(tournament: Tournament, by: User | None) -> Tournament:
    """End a running ladder: unfinished matches are void, results stay."""
    tournament = lock_for_organizer(tournament, by)
    if tournament.state != Tournament.State.RUNNING:
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; only a running ladder can be "
            "ended.",
            "conflict",
        )
    if not tournament.is_ladder:
        raise ActionError(
            f"{tournament.name} ends automatically when everything has been played; "
            "cancel it to end it sooner.",
            "conflict",
        )
    log_decision(tournament, Decision.Kind.ENDED, "the ladder", "Its results stay.", by=by)
    tournament.state = Tournament.State.FINISHED
    tournament.finished = now()
    tournament.save(update_fields=["state", "finished"])
    void_unfinished(tournament, "The ladder has ended.")
    notify_people(tournament, Kind.ENDED, by)
    announce(RATINGS_TASK)
    return tournament


MAX_ORGANIZER_PRIORITY = 5
"""The highest priority for organizers; higher ones are for staff."""


def max_priority(by: User | None) -> int:
    """The highest priority that `by` may choose."""
    return MAX_PRIORITY if by is None or by.is_staff else MAX_ORGANIZER_PRIORITY


@transaction.atomic
def set_priority(tournament: Tournament, priority: int, by: User | None) -> Tournament:
    """Change the priority, also of waiting matches."""
    tournament = lock_for_organizer(tournament, by)
    highest = max_priority(by)
    if not 0 <= priority <= highest:
        raise ActionError(
            f"The priority must be 0 to {highest}, not {priority}."
            + ("" if highest == MAX_PRIORITY else " Only staff can set a higher one."),
            field="priority",
        )
    old_priority, tournament.priority = tournament.priority, priority
    tournament.save(update_fields=["priority"])
    # Newcomers' matches on a ladder have a higher priority and keep the difference.
    waiting = tournament.matches.filter(state=Match.State.WAITING)
    for old in list(waiting.order_by().values_list("priority", flat=True).distinct()):
        new = min(MAX_PRIORITY, max(0, old + priority - old_priority))
        matches = waiting.filter(priority=old)
        if old != new:
            matches.update(priority=-1 - new)
    for new in range(MAX_PRIORITY + 1):
        waiting.filter(priority=-1 - new).update(priority=new)
    return tournament
