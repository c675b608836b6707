"""Who runs a tournament, and in which states something may be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bots.actions import ActionError
from tournaments.models import Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def runs(tournament: Tournament, by: User | None) -> bool:
    """Whether somebody may do what is the organizer's."""
    return by is None or by.is_staff or tournament.organizer_id == by.pk


def locked(tournament: Tournament) -> Tournament:
    """The tournament, locked: whoever it is that asks."""
    return Tournament.objects.select_for_update().get(pk=tournament.pk)


def locked_for_organizer(tournament: Tournament, by: User | None) -> Tournament:
    """The tournament, locked, if `by` runs it; else ActionError `forbidden`."""
    tournament = locked(tournament)
    if not runs(tournament, by):
        raise ActionError(f"Only the organizer of {tournament.name} may do that.", "forbidden")
    return tournament


def refuse_unless(tournament: Tournament, verb: str, *states: Tournament.State) -> None:
    """ActionError unless it is in one of these states; `verb`: what cannot be done to it."""
    if tournament.state not in states:
        wanted = " or ".join(state.label for state in states)
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            f"it can be {verb} only while it is {wanted}.",
            "conflict",
        )
