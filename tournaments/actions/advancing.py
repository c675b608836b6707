"""Moving a running tournament on: later rounds, later stages, the end.

What is to be played follows from what has been played (`projections.course`). So `advance` may be
called any number of times, and after a result was taken back as well: fixtures that do not follow
any more are retired, and what follows now is created.
"""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from bots.actions import ActionError
from bots.outbox import announce
from tournaments.actions.judging import judge
from tournaments.actions.retiring import retire
from tournaments.actions.scheduling import create_groups
from tournaments.actions.versions import renew_versions
from tournaments.divisions import upcoming
from tournaments.models import Match, Tournament
from tournaments.pairing import follows
from tournaments.projections import RATINGS_TASK
from tournaments.projections.course import Division, course


def advance(tournament_id: int) -> bool:
    """Create what comes next, or finish, when every match so far is finished or void.

    Called after each fixture and by the sweep; any number of calls does it once. True if something
    changed.
    """
    running = Tournament.objects.filter(pk=tournament_id, state=Tournament.State.RUNNING)
    tournament = running.first()
    if tournament is None or _waits(tournament):
        return False
    with transaction.atomic():
        tournament = running.select_for_update().first()
        if tournament is None or _waits(tournament):
            return False
        if tournament.trial and judge(tournament):
            return True
        if pair(tournament):
            return True
        if tournament.endless or _waits(tournament):
            return False
        tournament.state = Tournament.State.FINISHED
        tournament.finished = timezone.now()
        tournament.save(update_fields=["state", "finished"])
        announce(RATINGS_TASK)
    return True


def advance_soon(tournament_id: int) -> None:
    """Move a tournament on once what was written is committed; what fails, the sweep does again."""

    def go_on() -> None:  # a function with a name: Django's report of its failure asks for it
        advance(tournament_id)

    transaction.on_commit(go_on, robust=True)


def pair(tournament: Tournament) -> bool:
    """Retire what does not follow any more and create what is to be played now.

    The tournament is locked by the caller. False when there was nothing to do: all is complete, or
    on a ladder enough waits.
    """
    if not tournament.by_rating:
        return _pair(tournament)
    changed = renew_versions(tournament) > 0
    while _pair(tournament):
        changed = True
    return changed


def _pair(tournament: Tournament) -> bool:
    for divisions in course(tournament, light=True):
        changed = False
        for division in divisions:
            changed |= _move(tournament, division)
        if changed:
            later = tournament.fixtures.filter(
                stage__number__gt=divisions[0].stage.number, retired__isnull=True
            )
            retire(tournament, later, "The stage before is not decided any more.")
            return True
        if tournament.matches.filter(
            fixture__stage=divisions[0].stage, state__in=Match.UNFINISHED
        ).exists():
            return False  # the next stage follows from this one when it is complete
    return False


def _move(tournament: Tournament, division: Division) -> bool:
    """Bring one division on by a step; whether anything changed."""
    system, state = division.system, division.state
    kept = follows(system, state)
    if outdated := kept < len(state.rounds):
        gone = tournament.fixtures.filter(
            stage=division.stage,
            division=division.number,
            round__gt=kept,
            retired__isnull=True,
        )
        retire(tournament, gone, "It did not follow any more from the results before it.")
        state = replace(state, rounds=state.rounds[:kept])
        division = replace(division, state=state)
    try:
        step = system.pair(state)
    except ValueError as error:
        raise ActionError(str(error), "conflict") from error
    create_groups(tournament, division, upcoming(step, state, division.groups))
    return bool(outdated or step.more or step.rounds)


def _waits(tournament: Tournament) -> bool:
    """Whether matches must be finished before anything can follow."""
    return tournament.matches.filter(state__in=Match.UNFINISHED).exists() and not tournament.endless
