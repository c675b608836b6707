"""Rights over bots, for actions, pages and REST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


def owns(bot: Bot, by: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether `by` has the owner's rights; the owner, staff and the site itself (None) do."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False  # an anonymous user's key is None, like the owner's key of a house bot
    return bool(getattr(by, "is_staff", False)) or bot.owner_id == by.pk
