"""What one organizer or author may have (`settings`), so that there is enough for all.

The site itself (`by` None) and staff have no quotas.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Q

from bots.actions import ActionError
from bots.models import Bot
from tournaments.models import Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def refuse_too_many_tournaments(by: User | None) -> None:
    """ActionError where an organizer has as many open and running tournaments as one may."""
    if by is None or by.is_staff:
        return
    states = (Tournament.State.OPEN, Tournament.State.RUNNING)
    active = Tournament.objects.filter(organizer=by, trial=False, state__in=states).count()
    if active >= settings.MAX_ACTIVE_TOURNAMENTS:
        raise ActionError(
            f"{active} of your tournaments are open or running, as many as one may have; "
            "wait until one of them is over, or cancel one.",
            "conflict",
        )


def refuse_too_many_entries(tournament: Tournament, bots: Iterable[Bot], by: User | None) -> None:
    """ActionError where an author of these bots has as many entries here as one may."""
    if by is None or by.is_staff:
        return
    limit = settings.MAX_ENTRIES_PER_AUTHOR
    for owner in {bot.owner_id for bot in bots if bot.owner_id}:
        theirs = Q(bot__owner=owner) | Q(mates__bot__owner=owner)
        here = tournament.entries.filter(theirs, withdrawn__isnull=True).distinct().count()
        if here >= limit:
            whose = "You have" if owner == by.pk else "An author of these bots has"
            raise ActionError(
                f"{whose} {here} entries in {tournament.name}, as many as one author may have; "
                "withdraw one of them first.",
                "conflict",
                "bot",
            )
