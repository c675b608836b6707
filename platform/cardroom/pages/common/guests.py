"""The person behind a request, for people's tables; a session identifies guests."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from cardroom.addresses import counted_address, is_in_trusted_network
from cardroom_tables.guests import Person, hash_secret

SESSION_KEY = "guest"
"""The session's key for a guest's secret."""


def person(request: HttpRequest) -> Person:
    """The person behind a request."""
    user = request.user if isinstance(request.user, User) else None
    secret: Any = request.session.get(SESSION_KEY)
    guest = hash_secret(secret) if isinstance(secret, str) and secret else ""
    return Person(user, guest, _address(request, guest))


@contextmanager
def seated(request: HttpRequest) -> Iterator[Person]:
    """The person behind the request, who is about to get a seat. A guest's session is stored
    only if the block ends without an error, so a refusal leaves nothing behind."""
    player = person(request)
    if player.user is not None or player.guest:
        yield player
        return
    secret = secrets.token_urlsafe(18)
    yield Person(None, hash_secret(secret), _address(request, hash_secret(secret)))
    request.session[SESSION_KEY] = secret


def _address(request: HttpRequest, guest: str) -> str:
    """The address whose requests are counted together; in a trusted network, each guest's own."""
    shared = is_in_trusted_network(request.META.get("REMOTE_ADDR", ""))
    return f"{counted_address(request)} {guest}" if shared else counted_address(request)
