"""Moving a running tournament on: later rounds, later stages, the end.

What comes next follows from what has been played (`reading.course`). So `advance` may be called
any number of times, even after a result was taken back: deal groups that no longer follow are
retired, and those that follow now are created.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db import database
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from tournaments.actions.deal_groups import create_groups
from tournaments.actions.results import retire
from tournaments.actions.verdicts import judge
from tournaments.actions.versions import renew_versions
from tournaments.course.course import Division
from tournaments.models import Match, Tournament
from tournaments.pairing import follows
from tournaments.queue.messages import ADVANCE_TASK, RATINGS_TASK
from tournaments.reading.course import course

log = logging.getLogger(__name__)


def advance(tournament_id: int) -> bool:
    """Create what comes next, or finish, when every match so far is finished or void.

    The housekeeper calls it once for many results; calling it again changes nothing. True if
    something changed.
    """
    running = Tournament.objects.filter(pk=tournament_id, state=Tournament.State.RUNNING)
    tournament = running.first()
    if tournament is None or (_waits(tournament) and not tournament.trouble):
        return False
    with transaction.atomic():
        tournament = running.select_for_update().first()
        if tournament is None:
            return False
        changed = not _waits(tournament) and _go_on(tournament)
        if tournament.trouble:
            Tournament.objects.filter(pk=tournament_id).update(trouble="")
    return changed


def _go_on(tournament: Tournament) -> bool:
    """The next step of a tournament that is waiting for no match; the caller has locked it."""
    if tournament.trial and judge(tournament):
        return True
    if pair(tournament):
        return True
    if tournament.endless or _waits(tournament):
        return False
    tournament.state = Tournament.State.FINISHED
    tournament.finished = now()
    tournament.save(update_fields=["state", "finished"])
    announce(RATINGS_TASK)
    return True


def advance_soon(tournament_id: int) -> None:
    """Have the housekeeper move a tournament on, once this transaction is committed.

    Whoever stores a result does not do this: it may take seconds, and needs the tournament's
    lock. A message for each deal group costs little and never waits.
    """
    announce(ADVANCE_TASK, tournament=tournament_id)


def move_on(tournament_id: int) -> bool:
    """`advance`; whatever is wrong with the tournament is noted for its organizer, not raised.

    Raised are only that the database is away, or that this process must end.
    """
    try:
        return advance(tournament_id)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if database.away(error):
            raise
        _note_trouble(tournament_id, error)
        return False


def _note_trouble(tournament_id: int, error: BaseException) -> None:
    """Tell the organizer why; the log has it in full, once until something changes."""
    why = f"an error of the site itself ({type(error).__name__}); its log tells more"
    if isinstance(error, ActionError):
        why = str(error).rstrip(".")
    trouble = f"It could not be moved on: {why}. It is tried again every ten seconds."
    tournaments = Tournament.objects.filter(pk=tournament_id).exclude(trouble=trouble)
    if tournaments.update(trouble=trouble):
        log.error("Tournament %d cannot be moved on.", tournament_id, exc_info=error)


def pair_first(tournament: Tournament) -> None:
    """Create the first deal groups of a tournament that starts; the caller has locked it."""
    with database.patient():  # a large tournament is made in one go
        while _create_stage(tournament, next(course(tournament, light=True))):
            if not tournament.by_rating:
                break  # a ladder creates rounds until enough of them wait


def pair(tournament: Tournament) -> bool:
    """Retire what no longer follows and create what comes next.

    The caller has locked the tournament. False when there was nothing to do: all is complete, or a
    ladder has enough waiting.
    """
    if not tournament.by_rating:
        with database.patient():  # a large tournament is made in one go
            return _pair(tournament)
    changed = renew_versions(tournament) > 0
    while _pair(tournament):
        changed = True
    return changed


def _pair(tournament: Tournament) -> bool:
    for divisions in course(tournament, light=True):
        retired = [_retire_outdated(tournament, division) for division in divisions]
        if any(retired):
            _retire_later(tournament, divisions[0].stage)
            _pair(tournament)  # who plays a stage depends on what has been paired of it
            return True
        if _create_stage(tournament, divisions):
            _retire_later(tournament, divisions[0].stage)
            return True
        if tournament.matches.filter(
            deal_group__stage__number=divisions[0].stage, state__in=Match.UNFINISHED
        ).exists():
            return False  # the next stage follows from this one when it is complete
    return False


def _retire_later(tournament: Tournament, stage: int) -> None:
    """A stage goes on, so those after it are no longer decided."""
    later = tournament.stages.filter(number__gt=stage)
    if later.exists():  # a ladder has none, but many deal groups to look through
        gone = tournament.deal_groups.filter(stage__in=later, retired__isnull=True)
        retire(tournament, gone, "The stage before is no longer decided.")


def _retire_outdated(tournament: Tournament, division: Division) -> bool:
    """Retire the rounds of a division that no longer follow; whether there were any."""
    kept = follows(division.system, division.state)
    if kept == len(division.state.rounds):
        return False
    gone = tournament.deal_groups.filter(
        stage__number=division.stage,
        division=division.number,
        round__gt=kept,
        retired__isnull=True,
    )
    retire(tournament, gone, "It no longer followed from the results before it.")
    return True


def _create_stage(tournament: Tournament, divisions: Iterable[Division]) -> bool:
    """Move every division of a stage on by a step; whether any had one."""
    created = [_create_next(tournament, division) for division in divisions]
    return any(created)


def _create_next(tournament: Tournament, division: Division) -> bool:
    """Move one division on by a step; whether there was one."""
    try:
        groups = division.upcoming()
    except ValueError as error:
        raise ActionError(str(error), "conflict") from error
    create_groups(tournament, division, groups)
    return bool(groups)


def _waits(tournament: Tournament) -> bool:
    """Whether matches must be finished before anything can follow."""
    return tournament.matches.filter(state__in=Match.UNFINISHED).exists() and not tournament.endless
