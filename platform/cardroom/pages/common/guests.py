"""The person behind a request to a people's table; a session identifies guests."""

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


def person_of(request: HttpRequest) -> Person:
    """The person behind a request."""
    user = request.user if isinstance(request.user, User) else None
    secret: Any = request.session.get(SESSION_KEY)
    guest = hash_secret(secret) if isinstance(secret, str) and secret else ""
    return Person(user, guest, _address(request, guest))


@contextmanager
def joining_person(request: HttpRequest) -> Iterator[Person]:
    """The person behind a request that takes a seat. The session of a new guest is stored only if
    the block ends without an error, so a refusal stores nothing."""
    person = person_of(request)
    if person.user is not None or person.guest:
        yield person
        return
    secret = secrets.token_urlsafe(18)
    guest = hash_secret(secret)
    yield Person(None, guest, _address(request, guest))
    request.session[SESSION_KEY] = secret


def _address(request: HttpRequest, guest: str) -> str:
    """The address under which requests are counted. People in a trusted network share an address,
    so there each guest is counted separately."""
    is_shared = is_in_trusted_network(request.META.get("REMOTE_ADDR", ""))
    return f"{counted_address(request)} {guest}" if is_shared else counted_address(request)
