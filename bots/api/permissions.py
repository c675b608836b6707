"""Who may do what with a bot."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from bots.models import Bot


def owns(user: Any, bot: Bot) -> bool:
    """Whether the user may act for the bot: its owner, or staff (house bots have no owner)."""
    if not user.is_authenticated:
        return False
    return user.is_staff or (bot.owner_id is not None and bot.owner_id == user.pk)


class OwnsBot(BasePermission):
    """The bot's owner or staff. Views call it through `check_object_permissions(request, bot)`."""

    message = "Only the owner of this bot may do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Nobody unknown owns a bot."""
        return bool(request.user and request.user.is_authenticated)

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the bot."""
        return owns(request.user, obj)


class OwnsBotOrReads(OwnsBot):
    """Everybody reads; the bot's owner or staff write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Reading needs no account."""
        return request.method in ("GET", "HEAD", "OPTIONS") or super().has_permission(request, view)

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the bot."""
        return request.method in ("GET", "HEAD", "OPTIONS") or owns(request.user, obj)
