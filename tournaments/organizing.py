"""Decide who organizes a tournament, and who may create one.

Only this module has the rules; actions, pages, REST and `tournaments.visibility` call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from django.conf import settings
from django.db.models import Q

from bots.access import in_group, is_staff
from tournaments.models import CoOrganizer, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

    Person: TypeAlias = AbstractBaseUser | AnonymousUser | None


ORGANIZER: Final = "organizer"
"""The group of accounts that create tournaments if not everybody may."""


def organized_by(user: int) -> Q:
    """The condition for tournaments that the user with this key organizes, alone or with others."""
    shared = CoOrganizer.objects.filter(user=user).values("tournament")
    return Q(organizer=user) | Q(pk__in=shared)


def is_organizer(tournament: Tournament, user: int | None) -> bool:
    """Whether the user with this key is the organizer or a co-organizer."""
    if user is None:  # the organizer of the site's own tournaments is None, too
        return False
    return tournament.organizer_id == user or user in tournament.organizer_keys


def organizes(tournament: Tournament, by: Person) -> bool:
    """Whether `by` is the organizer, a co-organizer, staff or the site itself (None)."""
    return by is None or is_staff(by) or is_organizer(tournament, by.pk)


def may_choose_organizers(tournament: Tournament, by: Person) -> bool:
    """Whether `by` may add and remove co-organizers: the organizer, staff or the site (None)."""
    if by is None or is_staff(by):
        return True
    return by.pk is not None and tournament.organizer_id == by.pk


def may_create_tournaments(by: Person) -> bool:
    """Whether `by` may create tournaments: everybody with an account, or, if the setting
    `ORGANIZERS` is `group`, staff, the group `ORGANIZER` and the site itself (None)."""
    if settings.ORGANIZERS == "group":
        return in_group(by, ORGANIZER)
    return by is None or by.is_authenticated
