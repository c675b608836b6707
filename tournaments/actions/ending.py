"""Ending a ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from bots.actions import ActionError
from bots.moments import now
from bots.outbox import announce
from tournaments.actions.retiring import note, void_unfinished
from tournaments.actions.rights import locked_for_organizer
from tournaments.models import Decision, Tournament
from tournaments.projections import RATINGS_TASK

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def finish(tournament: Tournament, by: User | None) -> Tournament:
    """End a running ladder: results stay, what is not finished will not be played."""
    tournament = locked_for_organizer(tournament, by)
    if tournament.state != Tournament.State.RUNNING:
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; only what is running can be "
            "ended.",
            "conflict",
        )
    if not tournament.by_rating:
        raise ActionError(
            f"{tournament.name} ends by itself when everything has been played; cancel it to end "
            "it before.",
            "conflict",
        )
    note(tournament, Decision.Kind.ENDED, "the ladder", "What was played stays.", by=by)
    tournament.state = Tournament.State.FINISHED
    tournament.finished = now()
    tournament.save(update_fields=["state", "finished"])
    void_unfinished(tournament, "The ladder has ended.")
    announce(RATINGS_TASK)
    return tournament
