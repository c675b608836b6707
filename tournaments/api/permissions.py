"""Who may do what with a tournament."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from tournaments.models import Tournament


def organizes(user: Any, tournament: Tournament) -> bool:
    """Whether the user may run the tournament: its organizer, or staff."""
    if not user.is_authenticated:
        return False
    return user.is_staff or (
        tournament.organizer_id is not None and tournament.organizer_id == user.pk
    )


class Organizes(BasePermission):
    """The tournament's organizer or staff."""

    message = "Only the organizer of this tournament may do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Nobody unknown organizes."""
        return bool(request.user and request.user.is_authenticated)

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return organizes(request.user, obj)


class OrganizesOrReads(Organizes):
    """Everybody reads; the tournament's organizer or staff write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Reading needs no account."""
        return request.method in ("GET", "HEAD", "OPTIONS") or super().has_permission(request, view)

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return request.method in ("GET", "HEAD", "OPTIONS") or organizes(request.user, obj)
