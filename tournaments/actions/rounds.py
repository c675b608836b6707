"""Advance a running tournament: create its next rounds and stages, or finish it.

The next step is computed from the results (`reading.course`). So `advance` may be called any number
of times, even after a result has been withdrawn: it retires deal groups that no longer follow from
the results, and creates the new ones.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q

from cardroom_base.core.errors import ActionError
from cardroom_base.db import database
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from engine import Format
from tournaments.actions.deal_groups import create_groups, create_planned, refuse_too_many
from tournaments.actions.freezing import freeze, must_freeze
from tournaments.actions.notifying import Kind, notify_people
from tournaments.actions.verdicts import judge_trial
from tournaments.actions.versions import update_versions
from tournaments.actions.voiding import retire
from tournaments.course.course import Division, first_groups_of_later_stages
from tournaments.models import Decision, Match, PlannedGroups, Tournament
from tournaments.pairing import count_valid_rounds, get_system
from tournaments.queue.task_names import ADVANCE_TASK, RATINGS_TASK
from tournaments.reading.course import course

log = logging.getLogger(__name__)


def advance(tournament_id: int) -> bool:
    """Create the next deal groups or finish, once every match so far is finished or void.

    A large round is first stored as a plan (`PlannedGroups`). Then each call creates one batch of
    its groups, and queues another call until the plan is empty.

    If earlier results have changed, rounds that no longer follow from them are retired even while
    their matches are played. The housekeeper may make one call for many results; redundant calls
    change nothing. True if something changed.
    """
    running = Tournament.objects.filter(pk=tournament_id, state=Tournament.State.RUNNING)
    planned = Exists(PlannedGroups.objects.filter(tournament=OuterRef("pk")))
    tournament = running.annotate(has_planned=planned).first()
    if tournament is None:
        return False
    must_proceed = vars(tournament)["has_planned"] or tournament.trouble or must_freeze(tournament)
    if not must_proceed and _must_wait(tournament) and not _earlier_results_changed(tournament):
        return False
    with transaction.atomic():
        tournament = running.select_for_update().first()
        if tournament is None:
            return False
        # Before the next round is paired, so that no later result is public.
        freezes_now = must_freeze(tournament)
        if freezes_now:
            tournament = freeze(tournament, None)
        if create_planned(tournament):
            advance_soon(tournament_id)
            changed = True
        else:
            has_retired = _earlier_results_changed(tournament) and _retire_outdated(tournament)
            is_advanced = not _must_wait(tournament) and _advance_locked(tournament)
            changed = has_retired or is_advanced or freezes_now
        if tournament.trouble:
            Tournament.objects.filter(pk=tournament_id).update(trouble="")
    return changed


def _advance_locked(tournament: Tournament) -> bool:
    """Advance a locked tournament without unfinished matches; return whether it changed."""
    if tournament.trial and judge_trial(tournament):
        return True
    if pair(tournament):
        return True
    if (tournament.endless and not tournament.stopped) or _must_wait(tournament):
        return False
    tournament.state = Tournament.State.FINISHED
    tournament.finished = now()
    tournament.save(update_fields=["state", "finished"])
    notify_people(tournament, Kind.ENDED, None)
    announce(RATINGS_TASK)
    return True


def advance_soon(tournament_id: int) -> None:
    """Ask the housekeeper to advance a tournament, once this transaction is committed.

    Workers do not advance tournaments themselves: it may take seconds and needs the tournament's
    lock. A message for each deal group is cheap and never waits.
    """
    announce(ADVANCE_TASK, tournament=tournament_id)


def try_advance(tournament_id: int) -> bool:
    """Call `advance` and return its result; False after an error, which is stored for the
    organizer.

    Raises only if the database is unavailable, or the process is being shut down.
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
    """Store the error for the organizer, and log it only when it differs from the stored one."""
    reason = f"an internal error ({type(error).__name__}); see the site's log"
    if isinstance(error, ActionError):
        reason = str(error).rstrip(".")
    failure = f"The tournament could not be advanced: {reason}."
    trouble = f"{failure} The site tries again every five seconds."
    tournaments = Tournament.objects.filter(pk=tournament_id).exclude(trouble=trouble)
    if tournaments.update(trouble=trouble):
        log.error("Tournament %d cannot be advanced.", tournament_id, exc_info=error)


def pair_first(tournament: Tournament) -> None:
    """Create the first deal groups of a tournament that starts; the caller has locked it.

    If they are many, most are only planned (`PlannedGroups`), and `advance` creates them.
    ActionError if this stage or a later one cannot be paired with these entries.
    """
    try:
        refuse_impossible_stages(tournament)
    except ActionError as error:
        raise ActionError(f"{tournament.name} cannot start: {error}", "conflict") from error
    with database.long_timeouts():  # a large first round is created in one transaction
        while _create_next_in_stage(tournament, next(course(tournament, for_pairing=True))):
            if not tournament.is_ladder:
                break  # only a ladder creates several rounds in one call, until enough matches wait


def refuse_impossible_stages(tournament: Tournament) -> None:
    """ActionError if a stage after the first would be too small or too large."""
    sides = len(Format.parse(tournament.format).sides)
    try:
        steps = first_groups_of_later_stages(course(tournament, for_pairing=True))
    except ValueError as error:
        raise ActionError(str(error), "conflict") from error
    for groups in steps:
        refuse_too_many(len(groups) * sides)


def pair(tournament: Tournament) -> bool:
    """Retire deal groups that no longer follow from the results, and create the next ones.

    The caller has locked the tournament. False if there was nothing to do: all is complete, it has
    been stopped, or a ladder has enough waiting matches.
    """
    if not tournament.is_ladder:
        with database.long_timeouts():  # a large first round is created in one transaction
            return _pair_once(tournament)
    if tournament.stopped:
        return False
    changed = update_versions(tournament) > 0
    while _pair_once(tournament):
        changed = True
    return changed


def _pair_once(tournament: Tournament) -> bool:
    for divisions in course(tournament, for_pairing=True):
        if _retire_outdated_of_stage(tournament, divisions):
            # Start again: who still counts as an entrant depends on which rounds remain.
            _pair_once(tournament)
            return True
        if not tournament.stopped and _create_next_in_stage(tournament, divisions):
            _retire_later_stages(tournament, divisions[0].stage)
            return True
        if tournament.matches.filter(
            deal_group__stage__number=divisions[0].stage, state__in=Match.UNFINISHED
        ).exists():
            return False  # the next stage follows when this one is complete
    return False


def _earlier_results_changed(tournament: Tournament) -> bool:
    """Whether matches are still to be played in a round that was paired before a result of an
    earlier round changed."""
    changes = tournament.decisions.filter(kind__in=(Decision.Kind.RERUN, Decision.Kind.VOID))
    if not changes.exists():
        return False
    stages = {stage.pk: stage for stage in tournament.stages.all()}
    systems = {pk: get_system(stage.system) for pk, stage in stages.items()}
    if len(stages) == 1 and not any(system.by_results for system in systems.values()):
        return False
    unfinished = tournament.matches.filter(state__in=Match.UNFINISHED)
    places = unfinished.order_by("-deal_group__stage__number", "-deal_group__round")
    last = places.values_list("deal_group__stage", "deal_group__round").first()
    if last is None:
        return False
    stage, number = stages[last[0]], last[1]
    paired = tournament.deal_groups.filter(stage=stage, round=number).aggregate(
        at=Min("matches__created")
    )
    earlier = Q(stage__number__lt=stage.number)
    if systems[stage.pk].by_results:
        earlier |= Q(stage=stage, round__lt=number)
    changed = tournament.deal_groups.filter(earlier, finished__gt=paired["at"])
    return changed.filter(retired__isnull=True).exists()


def _retire_outdated(tournament: Tournament) -> bool:
    """Retire the rounds that no longer follow from the results; return whether there were any.

    Stages after unfinished matches are not judged.
    """
    for divisions in course(tournament, for_pairing=True):
        with database.long_timeouts():  # a large round has many matches
            has_retired = _retire_outdated_of_stage(tournament, divisions)
        if has_retired:
            return True
        if any(group.open for division in divisions for group in division.groups):
            return False
    return False


def _retire_outdated_of_stage(tournament: Tournament, divisions: Sequence[Division]) -> bool:
    """Retire a stage's rounds that no longer follow from the results, and all later stages; return
    whether there were any."""
    retired_some = [_retire_outdated_of_division(tournament, division) for division in divisions]
    if any(retired_some):
        _retire_later_stages(tournament, divisions[0].stage)
    return any(retired_some)


def _retire_later_stages(tournament: Tournament, stage: int) -> None:
    """Retire the deal groups of later stages, because this stage continues."""
    later = tournament.stages.filter(number__gt=stage)
    if later.exists():  # saves a slow query on a ladder, which has one stage
        outdated = tournament.deal_groups.filter(stage__in=later, retired__isnull=True)
        retire(tournament, outdated, "The previous stage is open again.")


def _retire_outdated_of_division(tournament: Tournament, division: Division) -> bool:
    """Retire a division's rounds that no longer follow from the results; return whether there were
    any."""
    if tournament.stopped and division.system.places is None and division.settled:
        return False  # no round would replace them, and points alone decide the places
    valid = count_valid_rounds(division.system, division.state)
    if valid == len(division.state.rounds):
        return False
    outdated = tournament.deal_groups.filter(
        stage__number=division.stage,
        division=division.number,
        round__gt=valid,
        retired__isnull=True,
    )
    retire(tournament, outdated, "Earlier results changed, so this pairing no longer applies.")
    return True


def _create_next_in_stage(tournament: Tournament, divisions: Iterable[Division]) -> bool:
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


def _must_wait(tournament: Tournament) -> bool:
    """Whether unfinished matches keep the tournament from its next step."""
    if tournament.endless and not tournament.stopped:
        return False
    return tournament.matches.filter(state__in=Match.UNFINISHED).exists()
