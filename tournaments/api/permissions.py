"""Who may do what with a tournament."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from bots.api.permissions import Known, KnownOrReads
from bots.scopes import ORGANIZE
from tournaments.models import Tournament


def organizes(user: Any, tournament: Tournament) -> bool:
    """Whether the user may run the tournament: its organizer, or staff."""
    if not user.is_authenticated:
        return False
    return user.is_staff or (
        tournament.organizer_id is not None and tournament.organizer_id == user.pk
    )


class Organizes(Known):
    """The tournament's organizer or staff."""

    message = "Only the organizer of this tournament may do this."
    scope = ORGANIZE

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return organizes(request.user, obj)


class EntersOrReads(KnownOrReads):
    """Everybody reads; whoever has an account makes tournaments and enters bots."""

    scope = ORGANIZE


class OrganizesOrReads(EntersOrReads):
    """Everybody reads; the tournament's organizer or staff write."""

    message = Organizes.message

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return request.method in SAFE_METHODS or organizes(request.user, obj)
