"""Notify the people of a tournament of what happens in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.conf import settings

from bots.models import Bot
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.notifications import notify
from cardroom_base.db.quotas import DAY, lock_account_quotas
from cardroom_base.models import Notification
from tournaments.models import Match, Mate, Seat, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Notification.Kind


def notify_people(
    tournament: Tournament, kind: Notification.Kind, by: User | None, subject: int = 0
) -> None:
    """Notify organizers, owners of entered bots and, when it opens, invited people; not `by`.

    Owners of bots that were asked into a team are notified once they have agreed. ActionError if
    `by` exceeds the quota; starts and ends do not count, because each opening has only one.
    """
    if tournament.trial:
        return
    people = set(tournament.organizer_keys)
    entries = tournament.entries.filter(withdrawn__isnull=True)
    people |= set(entries.order_by().values_list("bot__owner", flat=True))
    mates = Mate.objects.filter(entry__in=entries.order_by().values("pk"), agreed=True)
    people |= set(mates.order_by().values_list("bot__owner", flat=True))
    if kind == Kind.OPENED:
        invited = tournament.admissions.filter(by=Tournament.Visibility.INVITED)
        people |= set(invited.order_by().values_list("user", flat=True))
    people -= {None, by and by.pk}
    if kind in (Kind.OPENED, Kind.ANNOUNCED):
        _notify_within_quota(people, kind, tournament, subject, by)
    else:
        notify(people, kind, tournament=tournament.pk, subject=subject)


def notify_invited(
    tournament: Tournament, entry: int, bots: Collection[Bot], by: User | None
) -> None:
    """Notify the owners of bots that `by` invites into a team; ActionError beyond the quota."""
    _notify_within_quota({bot.owner_id for bot in bots}, Kind.TEAM, tournament, entry, by)


def _notify_within_quota(
    people: Collection[int | None],
    kind: Notification.Kind,
    tournament: Tournament,
    subject: int,
    by: User | None,
) -> None:
    """Notify people of an action of `by`; ActionError if it is beyond the quota."""
    counted = None if by is None or by.is_staff else by
    if counted is not None and people:
        _refuse_too_many(counted)
    key = None if counted is None else counted.pk
    notify(people, kind, tournament=tournament.pk, subject=subject, by=key)


def _refuse_too_many(by: User) -> None:
    lock_account_quotas(by.pk)
    rows = Notification.objects.filter(by=by, at__gt=Now() - DAY).order_by()
    limit = settings.MAX_NOTIFYING_PER_DAY
    if rows.values("kind", "tournament", "subject").distinct().count() >= limit:
        raise ActionError(
            f"You have notified others {limit} times within 24 hours, by opening tournaments, "
            "announcements and requests to partners, which is the limit; try again later.",
            "conflict",
        )


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
