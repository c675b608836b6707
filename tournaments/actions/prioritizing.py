"""How urgent a tournament's matches are among those that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from bots.actions import ActionError
from tournaments.actions.rights import locked_for_organizer
from tournaments.models import Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

HIGHEST = 9
OF_ORGANIZERS = 5
"""The highest that organizers may choose; more is for staff."""


def most(by: User | None) -> int:
    """The highest priority that somebody may choose."""
    return HIGHEST if by is None or by.is_staff else OF_ORGANIZERS


@transaction.atomic
def set_priority(tournament: Tournament, priority: int, by: User | None) -> Tournament:
    """Change the priority; matches that wait are moved as well."""
    tournament = locked_for_organizer(tournament, by)
    highest = most(by)
    if not 0 <= priority <= highest:
        raise ActionError(
            f"The priority is from 0 to {highest}, not {priority}."
            + ("" if highest == HIGHEST else " Only staff give more."),
            field="priority",
        )
    before, tournament.priority = tournament.priority, priority
    tournament.save(update_fields=["priority"])
    # Newcomers' matches on a ladder were given more: they keep what they are ahead.
    waiting = tournament.matches.filter(state=Match.State.WAITING)
    for old in list(waiting.order_by().values_list("priority", flat=True).distinct()):
        new = min(HIGHEST, max(0, old + priority - before))
        moved = waiting.filter(priority=old)
        if old != new:
            moved.update(priority=-1 - new)
    for new in range(HIGHEST + 1):
        waiting.filter(priority=-1 - new).update(priority=new)
    return tournament
