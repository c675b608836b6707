"""Who runs a tournament, and in which states something may be done with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from bots.actions import ActionError
from tournaments.models import Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def runs(tournament: Tournament, by: User | None) -> bool:
    """Whether somebody may do what is the organizer's."""
    return by is None or by.is_staff or tournament.organizer_id == by.pk


def takes_back(tournament: Tournament, by: User | None) -> bool:
    """Whether somebody who runs a tournament may set results aside: rated ones only staff may."""
    return by is None or by.is_staff or not tournament.rated


def takes_out(tournament: Tournament, owners: Collection[int | None], by: User | None) -> bool:
    """Whether somebody may withdraw an entry with bots of these owners (None: the house).

    Any of the owners; the organizer before the start, and later where nothing is at stake for them.
    """
    if by is None or by.is_staff or by.pk in owners:
        return True
    foreign = any(owner is not None for owner in owners)
    bound = tournament.rated and foreign and tournament.state == Tournament.State.RUNNING
    return runs(tournament, by) and not bound


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
