"""Start, freeze and stop tournaments at their times, and repeat them.

The housekeeper calls `keep_schedule`; every step locks the tournament and checks it again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from django.db import Error, transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.db import database
from cardroom_base.db.db_time import Now, now
from tournaments.access import locked, locked_for_organizer
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import create_tournament
from tournaments.actions.freezing import freeze
from tournaments.actions.rounds import advance_soon
from tournaments.actions.tournaments import open_, start
from tournaments.course import terms
from tournaments.models import Admission, CoOrganizer, DealGroup, Decision, Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

log = logging.getLogger(__name__)

BEGUN: Final = (Tournament.State.RUNNING, Tournament.State.FINISHED)
"""States in which a weekly tournament is repeated; cancelling it ends the series."""
COPIED: Final = (
    *("description", "format", "partners", "seeding", "tie_breaks", "apart", "late", "categories"),
    "freezes_after",
    *("move_ms", "bank_ms", "fault_policy", "live_delay", "rated", "visibility"),
)
"""Fields that a repetition has from its original; stages and times, too."""
WEEK: Final = timedelta(days=7)
PATIENCE: Final = timedelta(hours=1)
"""The time for which a failed start is tried again."""


def keep_schedule() -> int:
    """Start, freeze, stop and repeat the tournaments whose time has come; return the number of
    steps."""
    tournaments = Tournament.objects.filter(trial=False).order_by("pk")
    to_start = tournaments.filter(state=Tournament.State.OPEN, starts_at__lte=Now())
    to_freeze = tournaments.filter(state=Tournament.State.RUNNING, freezes_at__lte=Now())
    to_stop = tournaments.filter(
        state=Tournament.State.RUNNING, ends_at__lte=Now(), stopped__isnull=True
    )
    count = sum(_done(start_due, tournament) for tournament in to_start)
    count += sum(_done(freeze_due, tournament) for tournament in to_freeze)
    count += sum(_done(stop_due, tournament) for tournament in to_stop)
    to_repeat = tournaments.filter(state__in=BEGUN, repeats__gt=0)
    return count + sum(_done(repeat_due, tournament) for tournament in to_repeat)


def _done(step: Callable[[Tournament], bool], tournament: Tournament) -> bool:
    """Do a step for a tournament; a failure does not stop the others, and is tried again."""
    try:
        return step(tournament)
    except Exception as error:
        if database.away(error):
            raise
        if isinstance(error, Error) and database.locked(error):
            log.info("Tournament %d is locked; its schedule is tried again.", tournament.pk)
        else:
            log.exception("The schedule of tournament %d cannot be kept.", tournament.pk)
        return False


@transaction.atomic
def start_due(tournament: Tournament) -> bool:
    """Start an open tournament whose time has come; store and log why it cannot start.

    After a failure the site tries again for an hour, and then leaves it to the organizer.
    """
    tournament = locked(tournament)
    at = tournament.starts_at
    if tournament.state != Tournament.State.OPEN or at is None or now() < at:
        return False
    if tournament.start_trouble and patient_until(tournament) is None:
        return False
    try:
        with transaction.atomic():
            start(tournament, None)
    except Error:
        raise  # the next round tries again
    except Exception as error:
        why = str(error)
        if not isinstance(error, ActionError):
            log.exception("Tournament %d cannot be started.", tournament.pk)
            why = f"An error of the site itself ({type(error).__name__}); staff find it in its log."
        _note_failure(tournament, why)
        return False
    return True


def patient_until(tournament: Tournament) -> datetime | None:
    """Until when a failed start is tried again; None if it is not."""
    if tournament.state != Tournament.State.OPEN or not tournament.start_trouble:
        return None
    until = tournament.starts_at + PATIENCE if tournament.starts_at else None
    return until if until and until > now() else None


def _note_failure(tournament: Tournament, why: str) -> None:
    """Store why the start failed, and log it once until the reason changes."""
    if why == tournament.start_trouble:
        return
    tournament.start_trouble = why
    tournament.save(update_fields=["start_trouble"])
    log_decision(tournament, Decision.Kind.FAILED, "the scheduled start", why)


@transaction.atomic
def freeze_due(tournament: Tournament) -> bool:
    """Freeze the standings of a running tournament whose time for that has come."""
    tournament = locked(tournament)
    due = tournament.freezes_at is not None and tournament.freezes_at <= now()
    if not due or tournament.frozen or tournament.state != Tournament.State.RUNNING:
        return False
    freeze(tournament, None)
    return True


@transaction.atomic
def stop_due(tournament: Tournament) -> bool:
    """Void the deal groups that have not begun, if the tournament's end has come.

    Begun groups are finished, because half a group would depend on luck. The tournament then
    finishes with its standings (`rounds.advance`).
    """
    tournament = locked(tournament)
    due = tournament.ends_at is not None and tournament.ends_at <= now()
    if not due or tournament.stopped or tournament.state != Tournament.State.RUNNING:
        return False
    if tournament.planned.exists():
        return False  # first create them: void deal groups count in the standings
    tournament.stopped = now()
    tournament.save(update_fields=["stopped"])
    _void_idle(tournament)
    reason = "Its scheduled end has come; deal groups that have begun are finished."
    log_decision(tournament, Decision.Kind.ENDED, "the tournament", reason)
    advance_soon(tournament.pk)
    return True


def _void_idle(tournament: Tournament) -> None:
    """Void the deal groups of which no match has begun."""
    unfinished = tournament.deal_groups.filter(finished__isnull=True, retired__isnull=True)
    with database.patient():  # a large tournament has many
        groups = list(unfinished.order_by("pk").select_for_update().values_list("pk", flat=True))
        waiting = tournament.matches.filter(state=Match.State.WAITING)
        list(waiting.order_by("pk").select_for_update().values_list("pk", flat=True))
        begun = tournament.matches.exclude(state=Match.State.WAITING).values("deal_group")
        idle = DealGroup.objects.filter(pk__in=groups).exclude(pk__in=begun)
        keys = list(idle.values_list("pk", flat=True))
        for batch in (keys[i : i + BATCH] for i in range(0, len(keys), BATCH)):
            Match.objects.filter(deal_group__in=batch).update(state=Match.State.VOID)
            DealGroup.objects.filter(pk__in=batch).update(finished=Now())


BATCH: Final = 500
"""Deal groups per statement."""


# --- repetitions --------------------------------------------------------------------------------


@transaction.atomic
def repeat(
    tournament: Tournament, by: User | None, starts_at: object = None, name: str = ""
) -> Tournament:
    """A draft with the conditions of a tournament, and other cards and entries.

    `starts_at`: its start; the other times keep their distance from it. None: it has no times.
    """
    tournament = locked_for_organizer(tournament, by)
    if tournament.trial:
        raise ActionError("Only tournaments can be repeated.", "conflict")
    try:
        moment = terms.cleaned("starts_at", starts_at)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    times: dict[str, datetime | None] = {"starts_at": moment}
    if moment is not None and tournament.starts_at is not None:
        times = _shifted(tournament, moment - tournament.starts_at)
    copy = create_tournament(
        tournament.organizer,
        name=name.strip() or next_name(tournament.name),
        stages=[asdict(plan) for plan in tournament.plans()],
        **{field: getattr(tournament, field) for field in COPIED},
        **times,
    )
    invited = tournament.admissions.filter(by=Tournament.Visibility.INVITED)
    Admission.objects.bulk_create(
        [Admission(tournament=copy, user_id=row.user_id, by=row.by) for row in invited]
    )
    CoOrganizer.objects.bulk_create(
        [
            CoOrganizer(tournament=copy, user_id=row.user_id)
            for row in tournament.co_organizers.all()
        ]
    )
    copy.repeat_of = tournament
    copy.save(update_fields=["repeat_of"])
    return copy


def next_name(name: str) -> str:
    """The name of a repetition: `Cup` → `Cup 2` → `Cup 3`."""
    base, _, last = name.rpartition(" ")
    number = 2
    if base and last.isascii() and last.isdecimal() and len(last) < 5:
        name, number = base, int(last) + 1
    return f"{name[: terms.MAX_NAME - len(f' {number}')].rstrip()} {number}"


def _shifted(tournament: Tournament, by: timedelta) -> dict[str, datetime | None]:
    times = {field: getattr(tournament, field) for field in terms.TIMES}
    return {field: time + by if time else None for field, time in times.items()}


@transaction.atomic
def repeat_due(tournament: Tournament) -> bool:
    """Open the next tournament of a weekly series, once this one has begun.

    A refusal ends the series, and is in the log.
    """
    tournament = locked(tournament)
    start_at, left = tournament.starts_at, tournament.repeats
    if tournament.state not in BEGUN or not left or start_at is None:
        return False
    tournament.repeats = 0
    tournament.save(update_fields=["repeats"])
    first = min(start_at, tournament.entries_until or start_at)
    weeks = max(1, (now() - first) // WEEK + 1)
    organizer = tournament.organizer
    try:
        with transaction.atomic():
            if organizer is not None and not organizer.is_active:
                raise ActionError("The organizer's account is not active.", "conflict")
            copy = repeat(tournament, None, start_at + weeks * WEEK)
            copy.repeats = left - 1
            copy.save(update_fields=["repeats"])
            open_(copy, organizer)
    except ActionError as error:
        log_decision(tournament, Decision.Kind.FAILED, "the weekly repeat", str(error))
    return True
