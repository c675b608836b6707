"""Notify the people of a tournament of what happens in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from bots.models import Bot
from cardroom_base.db.db_time import now
from cardroom_base.db.notifications import notify
from cardroom_base.models import Notification
from tournaments.models import Match, Mate, Seat, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Notification.Kind


def notify_people(
    tournament: Tournament, kind: Notification.Kind, by: User | None, subject: int = 0
) -> None:
    """Notify organizers, owners of entered bots and, when it opens, invited people; not `by`."""
    if tournament.trial:
        return
    people = set(tournament.organizer_keys)
    entries = tournament.entries.filter(withdrawn__isnull=True)
    people |= set(entries.order_by().values_list("bot__owner", flat=True))
    mates = Mate.objects.filter(entry__in=entries.order_by().values("pk"))
    people |= set(mates.order_by().values_list("bot__owner", flat=True))
    if kind == Kind.OPENED:
        invited = tournament.admissions.filter(by=Tournament.Visibility.INVITED)
        people |= set(invited.order_by().values_list("user", flat=True))
    people.discard(None if by is None else by.pk)
    notify(people, kind, tournament=tournament.pk, subject=subject)


def notify_invited(tournament: Tournament, entry: int, bots: Collection[Bot]) -> None:
    """Notify the owners of bots that are invited into a team."""
    notify({bot.owner_id for bot in bots}, Kind.TEAM, tournament=tournament.pk, subject=entry)


def notify_first_faults(match: Match, seats: Collection[int]) -> None:
    """Notify the owners of the bots in these seats, once for each bot and tournament.

    While standings are frozen, owners do not see new results, so they are not notified.
    """
    tournament = match.tournament
    if tournament.trial or tournament.frozen is not None:
        return
    rows = Seat.objects.filter(match=match, index__in=seats, version__bot__owner__isnull=False)
    bots = rows.order_by("version__bot").values_list("version__bot", "version__bot__owner")
    for bot, owner in bots.distinct():
        notify({owner}, Kind.FAULT, tournament=tournament.pk, subject=bot)


def notify_stuck(tournament: Tournament) -> None:
    """Notify staff and organizers of stuck matches, at most once an hour."""
    people, hour = tournament.organizer_keys, int(now().timestamp()) // 3600
    notify(people, Kind.STUCK, tournament=tournament.pk, subject=hour, staff=True)
