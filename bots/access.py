"""Rights over bots, for actions, pages and REST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import User
from django.db.models import Exists

from bots.models import Bot
from cardroom_base.core.errors import ActionError

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

MODERATOR: Final = "moderator"
"""The group of accounts that may moderate without being staff."""


def is_staff(by: AbstractBaseUser | AnonymousUser) -> bool:
    return bool(getattr(by, "is_staff", False))


def owns(bot: Bot, by: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether `by` has the owner's rights; the owner, staff and the site itself (None) do."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False  # an anonymous user's key is None, like the owner's key of a house bot
    return is_staff(by) or bot.owner_id == by.pk


def in_group(by: AbstractBaseUser | AnonymousUser | None, name: str) -> bool:
    """Whether `by` is staff, in the group of this name, or the site itself (None)."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False
    if is_staff(by):
        return True
    groups = getattr(by, "groups", None)
    return groups is not None and groups.filter(name=name).exists()


def moderator(user: int) -> Exists:
    """The condition that the user with this key is in the group `MODERATOR`."""
    members = User.groups.through.objects.filter(user=user, group__name=MODERATOR)
    return Exists(members)


def moderates(by: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether `by` is staff, in the group `MODERATOR`, or the site itself (None)."""
    return in_group(by, MODERATOR)


def refuse_unless_moderator(by: User | None) -> None:
    """ActionError unless `by` moderates."""
    if not moderates(by):
        raise ActionError("Only moderators may do that.", "forbidden")


def refuse_quarantined(*bots: Bot) -> None:
    """ActionError if one of the bots is quarantined."""
    for bot in bots:
        if bot.quarantined:
            raise ActionError(
                f"{bot.name} is quarantined by the moderators; it cannot play.", "conflict", "bot"
            )
