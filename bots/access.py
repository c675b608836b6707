"""Who may do what with a bot. Actions, pages and REST all ask here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


def owns(bot: Bot, by: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether somebody may do what is the owner's: the owner, staff, the site itself (None)."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False  # whose key is None, as is the owner's of a house bot
    return bool(getattr(by, "is_staff", False)) or bot.owner_id == by.pk
