"""Permissions for tournaments in the REST interface."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from bots.api.permissions import HasAccount, HasAccountOrReads
from cardroom_base.core.scopes import ORGANIZE
from tournaments.organizing import organizes


class Organizes(HasAccount):
    """Allows the tournament's organizers and staff."""

    message = "Only the organizers of this tournament may do this."
    scope = ORGANIZE

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return organizes(obj, request.user)


class EntersOrReads(HasAccountOrReads):
    """Allows everybody to read, and anyone with an account to make tournaments and enter bots."""

    scope = ORGANIZE


class OrganizesOrReads(EntersOrReads):
    """Allows everybody to read, and the tournament's organizers and staff to write."""

    message = Organizes.message

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the tournament."""
        return request.method in SAFE_METHODS or organizes(obj, request.user)
