"""Who asks."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def signed_in(request: HttpRequest) -> User:
    """The user behind a request of a view that wants one; the views' decorators see to that."""
    if not isinstance(request.user, User):
        raise PermissionDenied("Log in first.")
    return request.user
