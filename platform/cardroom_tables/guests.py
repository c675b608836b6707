"""People at tables: accounts, and guests identified by their session."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Q
from django.utils.crypto import salted_hmac

from cardroom_tables.models import Table, TableSeat

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PRESENCE_SECONDS = 20
"""Seconds after a request for which a person counts as present; pages poll more often."""


@dataclass(frozen=True, slots=True)
class Person:
    """The person behind a request."""

    user: User | None = None
    guest: str = ""
    """The hash of the session's secret; empty before there is one."""
    address: str = ""
    """The address whose requests are counted together."""

    @property
    def is_staff(self) -> bool:
        return self.user is not None and self.user.is_staff

    @property
    def origin(self) -> str:
        """A keyed hash of the address."""
        return salted_hmac("cardroom.play.origin", self.address).hexdigest()[:64]

    @property
    def asker(self) -> str:
        """The key by which the expert's time is shared fairly: the account or, for a guest, the
        address, because a guest can open any number of sessions."""
        return f"account {self.user.pk}" if self.user else f"address {self.origin}"

    def own_seats(self, prefix: str = "") -> Q:
        """The condition for this person's seats; it matches no seat if the person is unknown."""
        condition = Q(pk__in=[])
        if self.user is not None:
            condition |= Q(**{f"{prefix}user": self.user})
        if self.guest:
            condition |= Q(**{f"{prefix}guest": self.guest})
        return condition

    def has(self, seat: TableSeat) -> bool:
        """Whether this person has the seat or has left it."""
        if seat.kind != TableSeat.Kind.PERSON:
            return False
        if self.user is not None and seat.user_id == self.user.pk:
            return True
        return bool(self.guest) and seat.guest == self.guest


def hash_secret(secret: str) -> str:
    """The stored hash of a session's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def note_presence(table: Table, index: int) -> None:
    """Store that the person in this seat sent a request."""
    cache.set(_presence_key(table, index), 1, PRESENCE_SECONDS)


def is_present(table: Table, index: int) -> bool:
    """Whether the person in this seat sent a request within the last `PRESENCE_SECONDS`."""
    return cache.get(_presence_key(table, index)) is not None


def _presence_key(table: Table, index: int) -> str:
    return f"play-here-{table.pk}-{index}"


def invitation(table: Table, index: int) -> str:
    """The secret in the link to an open seat, derived from the site's key and not stored."""
    return salted_hmac("cardroom.play.seat", f"{table.key} {index}").hexdigest()[:24]
