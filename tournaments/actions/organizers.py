"""Share the organization of a tournament with other accounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from cardroom_base.core.errors import ActionError
from cardroom_base.db.notifications import notify
from cardroom_base.models import Notification
from tournaments.access import lock_tournament, refuse_too_many_tournaments
from tournaments.actions.decision_log import log_decision
from tournaments.models import CoOrganizer, Decision, Entry, Tournament
from tournaments.organizing import may_choose_organizers, may_create_tournaments

MAX_CO_ORGANIZERS: Final = 20
"""Maximum number of co-organizers of a tournament."""


@transaction.atomic
def change_organizers(
    tournament: Tournament, by: User | None, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> Tournament:
    """Add and remove co-organizers by username; they may do everything but this and offering it
    (`hand_over`).

    Co-organizers may remove themselves.
    """
    tournament = lock_tournament(tournament)
    is_leaving = by is not None and not add and list(remove) == [by.username]
    if not may_choose_organizers(tournament, by) and not is_leaving:
        raise ActionError(
            f"Only the organizer of {tournament.name} can add and remove co-organizers.",
            "forbidden",
        )
    if tournament.trial:
        raise ActionError("Trials and challenges belong to the owner of the bot.", "conflict")
    for name in dict.fromkeys(remove):
        count, _ = tournament.co_organizers.filter(user__username=name).delete()
        if not count:
            raise ActionError(f"{name} is not a co-organizer.", field="remove")
        _log(tournament, name, "No longer organizes the tournament.", by)
    for name in dict.fromkeys(add):
        _add(tournament, name, by)
    if tournament.co_organizers.count() > MAX_CO_ORGANIZERS:
        raise ActionError(
            f"A tournament has at most {MAX_CO_ORGANIZERS} co-organizers.", "conflict", "add"
        )
    return tournament


@transaction.atomic
def hand_over(tournament: Tournament, by: User | None, name: str) -> Tournament:
    """Offer the tournament to the co-organizer with this username, instead of an earlier offer. If
    `by` is that co-organizer, accept: the co-organizer becomes the organizer, and the organizer a
    co-organizer.

    An empty name withdraws the offer. The site itself (None) needs no acceptance.
    """
    tournament = lock_tournament(tournament)
    offers = tournament.co_organizers.select_related("user")
    row = offers.filter(user__username=name).first()
    accepts = by is not None and row is not None and row.user_id == by.pk
    is_offered = accepts and row is not None and row.offered
    if not may_choose_organizers(tournament, by) and not is_offered:
        raise ActionError(f"Only the organizer of {tournament.name} can hand it over.", "forbidden")
    if not accepts:
        offers.update(offered=False)
    if not name:
        return tournament
    if row is None:
        raise ActionError(
            f"{name} is not a co-organizer; only a co-organizer can become the organizer.",
            field="organizer",
        )
    if not may_create_tournaments(row.user):
        raise ActionError(
            f"On this site, only organizers can create tournaments, and {name} is not one.",
            "conflict",
        )
    if by is not None and not accepts:
        offers.filter(pk=row.pk).update(offered=True)
        notify({row.user_id}, Notification.Kind.OFFERED, tournament=tournament.pk)
        return tournament
    old_organizer, tournament.organizer = tournament.organizer, row.user
    if tournament.state in (Tournament.State.OPEN, Tournament.State.RUNNING):
        refuse_too_many_tournaments(tournament, by)
    row.delete()
    if old_organizer is not None and old_organizer.is_active:
        CoOrganizer.objects.create(tournament=tournament, user=old_organizer)
    tournament.save(update_fields=["organizer"])
    _log(tournament, name, "Is the organizer of the tournament from now on.", by)
    return tournament


def _add(tournament: Tournament, name: str, by: User | None) -> None:
    if not name:
        raise ActionError("Write the name of an account.", field="add")
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ActionError(f"No account is called {name}.", field="add")
    if user.pk in tournament.organizer_keys:
        raise ActionError(f"{name} already organizes {tournament.name}.", "conflict", "add")
    CoOrganizer.objects.create(tournament=tournament, user=user)
    reason = "Organizes the tournament from now on."
    owned_by_user = Q(bot__owner=user) | Q(mates__bot__owner=user)
    if Entry.objects.filter(owned_by_user, tournament=tournament, withdrawn__isnull=True).exists():
        reason += " Has a bot in the tournament."
    _log(tournament, name, reason, by)


def _log(tournament: Tournament, name: str, reason: str, by: User | None) -> None:
    if tournament.opened:
        log_decision(tournament, Decision.Kind.ORGANIZER, name, reason, by=by)
