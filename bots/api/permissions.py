"""Permissions of the REST interface: scopes of tokens, and owners of bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission

from bots.access import owns
from cardroom_base.core.scopes import READ, SCOPES, UPLOAD

if TYPE_CHECKING:  # DRF's views ask for the default permission, which is here
    from rest_framework.request import Request
    from rest_framework.views import APIView


class InScope(BasePermission):
    """Checks the scope of a token; the base of all permissions of the REST interface.

    Reading needs the scope `read`; any other request needs the permission's `scope`. If that is
    empty, no token may write. Sessions have no scopes: people may use all of their rights.
    """

    scope = ""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the token has the needed scope. Raises PermissionDenied, which names it."""
        scopes = getattr(request.auth, "scopes", None)
        needed = READ if request.method in SAFE_METHODS else self.scope
        if scopes is None or needed in scopes:
            return True
        raise PermissionDenied(_missing_scope(needed, scopes), code="missing-scope")


class HasAccount(InScope):
    """Allows anyone with an account."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        signed_in = bool(request.user and request.user.is_authenticated)
        return super().has_permission(request, view) and signed_in


class HasAccountOrReads(InScope):
    """Allows everybody to read, and anyone with an account to write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Allow reading without an account."""
        signed_in = bool(request.user and request.user.is_authenticated)
        return super().has_permission(request, view) and (
            signed_in or request.method in SAFE_METHODS
        )


class UploadsOrReads(HasAccountOrReads):
    """Allows everybody to read, and anyone with an account to upload bots."""

    scope = UPLOAD


class OwnsBot(HasAccount):
    """Allows the bot's owner and staff.

    Views check it through `check_object_permissions(request, bot)`.
    """

    message = "Only the owner of this bot may do this."
    scope = UPLOAD

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the bot."""
        return owns(obj, request.user)


class OwnsBotOrReads(UploadsOrReads):
    """Allows everybody to read, and the bot's owner and staff to write."""

    message = OwnsBot.message

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """`obj` is the bot."""
        return request.method in SAFE_METHODS or owns(obj, request.user)


def _missing_scope(needed: str, scopes: list[str]) -> str:
    start = f"This token has the scope {' and '.join(scopes) or 'nothing'}"
    if not needed:
        return f"{start}; this needs a password or a session, and no token can do it."
    return (
        f"{start}; this needs {needed} ({SCOPES[needed]}). Create a token with that scope on your "
        "account page."
    )
