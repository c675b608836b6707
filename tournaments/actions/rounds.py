"""Advance a running tournament: create its next rounds and stages, or finish it.

The next step is computed from the results (`reading.course`). So `advance` may be called any number
of times, even after a result was taken back: it retires deal groups that no longer follow from the
results and creates the new ones.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef

from cardroom_base.core.errors import ActionError
from cardroom_base.db import database
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from tournaments.actions.deal_groups import create_groups, create_planned
from tournaments.actions.freezing import freeze, must_freeze
from tournaments.actions.notifying import Kind, notify_people
from tournaments.actions.verdicts import judge_trial
from tournaments.actions.versions import update_versions
from tournaments.actions.voiding import retire
from tournaments.course.course import Division
from tournaments.models import Match, PlannedGroups, Tournament
from tournaments.pairing import count_valid_rounds
from tournaments.queue.messages import ADVANCE_TASK, RATINGS_TASK
from tournaments.reading.course import course

log = logging.getLogger(__name__)


def advance(tournament_id: int) -> bool:
    """Create the next deal groups or finish, once every match so far is finished or void.

    As long as groups are only planned, each call creates some of them and requests the next call.

    The housekeeper calls it once for many results; another call changes nothing. True if something
    changed.
    """
    running = Tournament.objects.filter(pk=tournament_id, state=Tournament.State.RUNNING)
    planned = Exists(PlannedGroups.objects.filter(tournament=OuterRef("pk")))
    tournament = running.annotate(has_planned=planned).first()
    if tournament is None:
        return False
    needs_lock = vars(tournament)["has_planned"] or tournament.trouble or must_freeze(tournament)
    if not needs_lock and _has_unfinished(tournament):
        return False
    with transaction.atomic():
        tournament = running.select_for_update().first()
        if tournament is None:
            return False
        # Before the next round is paired, so that no later result is public.
        was_frozen = must_freeze(tournament)
        if was_frozen:
            tournament = freeze(tournament, None)
        if create_planned(tournament):
            advance_soon(tournament_id)
            changed = True
        else:
            is_advanced = not _has_unfinished(tournament) and _advance_locked(tournament)
            changed = is_advanced or was_frozen
        if tournament.trouble:
            Tournament.objects.filter(pk=tournament_id).update(trouble="")
    return changed


def _advance_locked(tournament: Tournament) -> bool:
    """Advance a locked tournament without unfinished matches; return whether it changed."""
    if tournament.trial and judge_trial(tournament):
        return True
    if pair(tournament):
        return True
    if (tournament.endless and not tournament.stopped) or _has_unfinished(tournament):
        return False
    tournament.state = Tournament.State.FINISHED
    tournament.finished = now()
    tournament.save(update_fields=["state", "finished"])
    notify_people(tournament, Kind.ENDED, None)
    announce(RATINGS_TASK)
    return True


def advance_soon(tournament_id: int) -> None:
    """Request the housekeeper to advance a tournament, once this transaction is committed.

    Workers do not advance tournaments themselves: it may take seconds and needs the tournament's
    lock. A message for each deal group is cheap and never waits.
    """
    announce(ADVANCE_TASK, tournament=tournament_id)


def try_advance(tournament_id: int) -> bool:
    """Call `advance`, and store errors for the organizer instead of raising them.

    Raises only if the database is unavailable, or this process must end.
    """
    try:
        with transaction.atomic():  # so that the caller's transaction can store the error
            return advance(tournament_id)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if database.means_unavailable(error):
            raise
        _store_trouble(tournament_id, error)
        return False


def _store_trouble(tournament_id: int, error: BaseException) -> None:
    """Store the error for the organizer, and log it once until it changes."""
    reason = f"an error of the site itself ({type(error).__name__}); see its log"
    if isinstance(error, ActionError):
        reason = str(error).rstrip(".")
    trouble = f"It could not be advanced: {reason}. The site tries again every five seconds."
    tournaments = Tournament.objects.filter(pk=tournament_id).exclude(trouble=trouble)
    if tournaments.update(trouble=trouble):
        log.error("Tournament %d cannot be advanced.", tournament_id, exc_info=error)


def pair_first(tournament: Tournament) -> None:
    """Create the first deal groups of a tournament that starts; the caller has locked it.

    `advance` creates the planned ones.
    """
    with database.long_timeouts():  # a large first round is created in one transaction
        while _create_stage(tournament, next(course(tournament, light=True))):
            if not tournament.by_rating:
                break  # a ladder creates rounds until enough of them wait


def pair(tournament: Tournament) -> bool:
    """Retire deal groups that no longer follow, and create the next ones.

    The caller has locked the tournament. False if there was nothing to do: all is complete, it has
    been stopped, or a ladder has enough waiting matches.
    """
    if not tournament.by_rating:
        with database.long_timeouts():  # a large first round is created in one transaction
            return _pair_once(tournament)
    if tournament.stopped:
        return False
    changed = update_versions(tournament) > 0
    while _pair_once(tournament):
        changed = True
    return changed


def _pair_once(tournament: Tournament) -> bool:
    for divisions in course(tournament, light=True):
        any_outdated = [_retire_outdated(tournament, division) for division in divisions]
        if any(any_outdated):
            _retire_later(tournament, divisions[0].stage)
            _pair_once(tournament)  # the entrants of a stage depend on its paired rounds
            return True
        if not tournament.stopped and _create_stage(tournament, divisions):
            _retire_later(tournament, divisions[0].stage)
            return True
        if tournament.matches.filter(
            deal_group__stage__number=divisions[0].stage, state__in=Match.UNFINISHED
        ).exists():
            return False  # the next stage follows when this one is complete
    return False


def _retire_later(tournament: Tournament, stage: int) -> None:
    """Retire the deal groups of later stages, because this stage continues."""
    later = tournament.stages.filter(number__gt=stage)
    if later.exists():  # saves a slow query on a ladder, which has one stage
        outdated = tournament.deal_groups.filter(stage__in=later, retired__isnull=True)
        retire(tournament, outdated, "The stage before is no longer decided.")


def _retire_outdated(tournament: Tournament, division: Division) -> bool:
    """Retire a division's rounds that no longer follow; return whether there were any."""
    valid = count_valid_rounds(division.system, division.state)
    if valid == len(division.state.rounds):
        return False
    outdated = tournament.deal_groups.filter(
        stage__number=division.stage,
        division=division.number,
        round__gt=valid,
        retired__isnull=True,
    )
    retire(tournament, outdated, "It no longer followed from the results before it.")
    return True


def _create_stage(tournament: Tournament, divisions: Iterable[Division]) -> bool:
    """Create the next deal groups of all divisions of a stage; return whether there were any."""
    created = [_create_next(tournament, division) for division in divisions]
    return any(created)


def _create_next(tournament: Tournament, division: Division) -> bool:
    """Create a division's next deal groups; return whether there were any."""
    try:
        groups = division.upcoming()
    except ValueError as error:
        raise ActionError(str(error), "conflict") from error
    create_groups(tournament, division, groups)
    if tournament.planned.exists():
        advance_soon(tournament.pk)
    return bool(groups)


def _has_unfinished(tournament: Tournament) -> bool:
    """Whether matches must be finished before the next step."""
    if tournament.endless and not tournament.stopped:
        return False
    return tournament.matches.filter(state__in=Match.UNFINISHED).exists()
