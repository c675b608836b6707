"""Rights over bots, for actions, pages and REST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


def owns(bot: Bot, by: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether somebody has the owner's rights: the owner, staff, the site itself (None)."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False  # their key is None, like the owner's key of a house bot
    return bool(getattr(by, "is_staff", False)) or bot.owner_id == by.pk
