"""The person behind a request, for people's tables; who has no account is known by the session."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from cardroom.addresses import home
from cardroom.play.people import Person, hashed

SESSION_KEY = "guest"
"""Under which a session holds a guest's secret."""


def person(request: HttpRequest, *, remember: bool = False) -> Person:
    """Whoever asks; `remember`: give a guest's session a secret to be known by, if it has none."""
    user = request.user if isinstance(request.user, User) else None
    secret: Any = request.session.get(SESSION_KEY)
    if not isinstance(secret, str):
        secret = ""
    if remember and user is None and not secret:
        secret = request.session[SESSION_KEY] = secrets.token_urlsafe(18)
    return Person(user, hashed(secret) if secret else "", home(request))
