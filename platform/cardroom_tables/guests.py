"""People at tables: with an account, or known by what their session holds."""

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

HERE_SECONDS = 20
"""Who has asked for the table so lately is there: pages ask every few seconds."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever asks."""

    user: User | None = None
    guest: str = ""
    """What the session holds, hashed; empty: nothing yet."""
    address: str = ""
    """Where the request comes from, as requests are counted."""

    @property
    def staff(self) -> bool:
        return self.user is not None and self.user.is_staff

    @property
    def origin(self) -> str:
        """The address as it is kept: nobody reads it back."""
        return salted_hmac("cardroom.play.origin", self.address).hexdigest()[:64]

    @property
    def asker(self) -> str:
        """The key by which questions are shared out: the account, or else the address, because a
        guest can open any number of sessions."""
        return f"account {self.user.pk}" if self.user else f"address {self.origin}"

    def mine(self, prefix: str = "") -> Q:
        """What finds the seats of this person; nobody's, where nothing is known of them."""
        found = Q(pk__in=[])
        if self.user is not None:
            found |= Q(**{f"{prefix}user": self.user})
        if self.guest:
            found |= Q(**{f"{prefix}guest": self.guest})
        return found

    def has(self, seat: TableSeat) -> bool:
        """Whether this person sits, or sat, there."""
        if seat.kind != TableSeat.Kind.PERSON:
            return False
        if self.user is not None and seat.user_id == self.user.pk:
            return True
        return bool(self.guest) and seat.guest == self.guest


def hashed(secret: str) -> str:
    """What is kept of a session's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def touch(table: Table, index: int) -> None:
    """Somebody has just asked for the table from this seat."""
    cache.set(_here(table, index), 1, HERE_SECONDS)


def is_here(table: Table, index: int) -> bool:
    """Whether somebody has asked for the table from this seat of late."""
    return cache.get(_here(table, index)) is not None


def _here(table: Table, index: int) -> str:
    return f"play-here-{table.pk}-{index}"


def invitation(table: Table, index: int) -> str:
    """The secret of the link to an open seat. It follows from the site's key, so it is kept
    nowhere, and whoever made the table can be shown it again."""
    return salted_hmac("cardroom.play.seat", f"{table.key} {index}").hexdigest()[:24]
