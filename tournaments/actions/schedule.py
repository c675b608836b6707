"""Start, freeze and stop tournaments at their times, and repeat them.

The housekeeper calls `keep_schedule`. Every step locks the tournament and checks it again; it
returns False if there is nothing to do or the start failed.
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
from tournaments.access import lock_for_organizer, lock_tournament
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import create_tournament
from tournaments.actions.freezing import freeze
from tournaments.actions.rounds import advance_soon
from tournaments.actions.tournaments import open_, start
from tournaments.course import field_rules
from tournaments.models import Admission, CoOrganizer, DealGroup, Decision, Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

log = logging.getLogger(__name__)

REPEATED_STATES: Final = (Tournament.State.RUNNING, Tournament.State.FINISHED)
"""States in which a weekly tournament is repeated; cancelling it ends the series."""
COPIED: Final = (
    *("description", "format", "partners", "seeding", "tie_breaks", "apart", "late", "categories"),
    "freezes_after",
    *("move_ms", "bank_ms", "fault_policy", "live_delay", "rated", "visibility"),
)
"""Fields that a repetition copies from its original, besides stages and times."""
WEEK: Final = timedelta(days=7)
RETRY_TIME: Final = timedelta(hours=1)
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
    count = sum(_run_step(start_if_due, tournament) for tournament in to_start)
    count += sum(_run_step(freeze_if_due, tournament) for tournament in to_freeze)
    count += sum(_run_step(stop_if_due, tournament) for tournament in to_stop)
    to_repeat = tournaments.filter(state__in=REPEATED_STATES, repeats__gt=0)
    return count + sum(_run_step(repeat_if_due, tournament) for tournament in to_repeat)


def _run_step(step: Callable[[Tournament], bool], tournament: Tournament) -> bool:
    """Run a step for a tournament; False if there was nothing to do or it failed."""
    name = f"The schedule of tournament {tournament.pk}"
    return database.try_piece(name, step, tournament) or False


@transaction.atomic
def start_if_due(tournament: Tournament) -> bool:
    """Start an open tournament whose time has come; store and log why it cannot start.

    After a failure the site tries again for an hour, and then leaves it to the organizer.
    """
    tournament = lock_tournament(tournament)
    start_time = tournament.starts_at
    if tournament.state != Tournament.State.OPEN or start_time is None or now() < start_time:
        return False
    if tournament.start_trouble and retry_until(tournament) is None:
        return False
    try:
        with transaction.atomic():
            start(tournament, None)
    except Error:
        raise  # the next round tries again
    except Exception as error:
        reason = str(error)
        if not isinstance(error, ActionError):
            log.exception("Tournament %d cannot be started.", tournament.pk)
            reason = f"An internal error ({type(error).__name__}); staff find it in the site's log."
        _store_failure(tournament, reason)
        return False
    return True


def retry_until(tournament: Tournament) -> datetime | None:
    """The time until which a failed start is tried again; None if it is not tried again."""
    if tournament.state != Tournament.State.OPEN or not tournament.start_trouble:
        return None
    retry_end = tournament.starts_at + RETRY_TIME if tournament.starts_at else None
    return retry_end if retry_end and retry_end > now() else None


def _store_failure(tournament: Tournament, reason: str) -> None:
    """Store why the start failed; log it unless the reason is the same as before."""
    if reason == tournament.start_trouble:
        return
    tournament.start_trouble = reason
    tournament.save(update_fields=["start_trouble"])
    log_decision(tournament, Decision.Kind.FAILED, "the scheduled start", reason)


@transaction.atomic
def freeze_if_due(tournament: Tournament) -> bool:
    """Freeze the standings of a running tournament, if the time to freeze them has come."""
    tournament = lock_tournament(tournament)
    is_due = tournament.freezes_at is not None and tournament.freezes_at <= now()
    if not is_due or tournament.frozen or tournament.state != Tournament.State.RUNNING:
        return False
    freeze(tournament, None)
    return True


@transaction.atomic
def stop_if_due(tournament: Tournament) -> bool:
    """Void the deal groups that have not begun, if the tournament's end has come.

    Begun groups are finished, because half a group would depend on luck. The tournament then
    finishes with its standings (`rounds.advance`).
    """
    tournament = lock_tournament(tournament)
    is_due = tournament.ends_at is not None and tournament.ends_at <= now()
    if not is_due or tournament.stopped or tournament.state != Tournament.State.RUNNING:
        return False
    if tournament.planned.exists():
        return False  # first create them: void deal groups count in the standings
    tournament.stopped = now()
    tournament.save(update_fields=["stopped"])
    _void_idle(tournament)
    reason = "Its scheduled end has passed; deal groups that have begun will still be finished."
    log_decision(tournament, Decision.Kind.ENDED, "the tournament", reason)
    advance_soon(tournament.pk)
    return True


def _void_idle(tournament: Tournament) -> None:
    """Void the deal groups of which no match has begun."""
    unfinished = tournament.deal_groups.filter(finished__isnull=True, retired__isnull=True)
    with database.long_timeouts():  # a large tournament has many
        groups = list(unfinished.order_by("pk").select_for_update().values_list("pk", flat=True))
        waiting_matches = tournament.matches.filter(state=Match.State.WAITING)
        list(waiting_matches.order_by("pk").select_for_update().values_list("pk", flat=True))
        begun_groups = tournament.matches.exclude(state=Match.State.WAITING).values("deal_group")
        idle_groups = DealGroup.objects.filter(pk__in=groups).exclude(pk__in=begun_groups)
        keys = list(idle_groups.values_list("pk", flat=True))
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
    """Create a draft with the conditions of a tournament, and other cards and entries.

    `starts_at`: the start of the draft; the other times keep their distance from it. None: the
    draft has no times.
    """
    tournament = lock_for_organizer(tournament, by)
    if tournament.trial:
        raise ActionError("Only tournaments can be repeated.", "conflict")
    if not (tournament.freezes_at or tournament.freezes_after):
        tournament.freezes_at = tournament.past_freezes_at
        tournament.freezes_after = tournament.past_freezes_after
    try:
        start_time = field_rules.clean_field("starts_at", starts_at)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    times: dict[str, datetime | None] = {"starts_at": start_time}
    if start_time is not None and tournament.starts_at is not None:
        times = _shifted_times(tournament, start_time - tournament.starts_at)
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
    base, _, suffix = name.rpartition(" ")
    number = 2
    if base and suffix.isascii() and suffix.isdecimal() and len(suffix) < 5:
        name, number = base, int(suffix) + 1
    return f"{name[: field_rules.MAX_NAME - len(f' {number}')].rstrip()} {number}"


def _shifted_times(tournament: Tournament, by: timedelta) -> dict[str, datetime | None]:
    times = {field: getattr(tournament, field) for field in field_rules.TIMES}
    return {field: time + by if time else None for field, time in times.items()}


@transaction.atomic
def repeat_if_due(tournament: Tournament) -> bool:
    """Open the next tournament of a weekly series, once this one has begun.

    A refusal ends the series and is logged.
    """
    tournament = lock_tournament(tournament)
    start_at, repeats_left = tournament.starts_at, tournament.repeats
    if tournament.state not in REPEATED_STATES or not repeats_left or start_at is None:
        return False
    tournament.repeats = 0
    tournament.save(update_fields=["repeats"])
    first_time = min(start_at, tournament.entries_until or start_at)
    weeks = max(1, (now() - first_time) // WEEK + 1)
    organizer = tournament.organizer
    try:
        with transaction.atomic():
            if organizer is not None and not organizer.is_active:
                raise ActionError("The organizer's account is not active.", "conflict")
            copy = repeat(tournament, None, start_at + weeks * WEEK)
            copy.repeats = repeats_left - 1
            copy.save(update_fields=["repeats"])
            open_(copy, organizer)
    except ActionError as error:
        log_decision(tournament, Decision.Kind.FAILED, "the weekly repeat", str(error))
    return True
