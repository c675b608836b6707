"""Rights over bots, for actions, pages and REST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.models import User
from django.db.models import Exists

from bots.models import Bot
from cardroom_base.core.errors import ActionError

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

MODERATOR: Final = "moderator"
"""The group of accounts that may moderate without being staff."""


def is_staff(account: AbstractBaseUser | AnonymousUser) -> bool:
    return bool(getattr(account, "is_staff", False))


def owns(bot: Bot, account: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether `account` has the owner's rights; the owner, staff and the site itself (None) do."""
    if account is None:
        return True
    if not account.is_authenticated:
        return False  # an anonymous user's key is None, like the owner's key of a house bot
    return is_staff(account) or bot.owner_id == account.pk


def in_group(account: AbstractBaseUser | AnonymousUser | None, name: str) -> bool:
    """Whether `account` is staff, in the group of this name, or the site itself (None)."""
    if account is None:
        return True
    if not account.is_authenticated:
        return False
    if is_staff(account):
        return True
    groups = getattr(account, "groups", None)
    return groups is not None and groups.filter(name=name).exists()


def moderator(user: int) -> Exists:
    """The condition that the user with this key is in the group `MODERATOR`."""
    members = User.groups.through.objects.filter(user=user, group__name=MODERATOR)
    return Exists(members)


def moderates(account: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether `account` is staff, in the group `MODERATOR`, or the site itself (None)."""
    return in_group(account, MODERATOR)


def refuse_unless_moderator(account: User | None) -> None:
    """ActionError unless `account` moderates."""
    if not moderates(account):
        raise ActionError("Only moderators may do that.", "forbidden")


def refuse_locked_texts(subject: Any, account: User | None, field: str) -> None:
    """ActionError if moderators have locked the texts of a bot or tournament; they may change them
    themselves."""
    if subject.texts_locked and not moderates(account):
        raise ActionError(
            f"Moderators have changed texts of {subject.name} and locked them. Ask a moderator to "
            "unlock them.",
            "forbidden",
            field,
        )


def refuse_quarantined(*bots: Bot) -> None:
    """ActionError if one of the bots is quarantined."""
    for bot in bots:
        if bot.quarantined:
            raise ActionError(
                f"{bot.name} is quarantined by the moderators; it cannot play.", "conflict", "bot"
            )
