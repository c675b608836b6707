"""Serializes requests that count toward the same quota, so that simultaneous ones cannot exceed it.

Every check of a quota that no locked row protects calls this before it counts.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import connection, transaction

DAY: Final = timedelta(hours=24)
"""The period of daily quotas: the 24 hours before a request."""


def lock_account_quotas(*accounts: int | None) -> None:
    """`lock_quotas` for accounts (primary keys); None, the site itself, has no quota."""
    lock_quotas(*(f"account {account}" for account in accounts if account is not None))


def lock_quotas(*owners: str) -> None:
    """Wait for other transactions that count toward the quotas of these owners, and let later ones
    wait until this transaction ends.

    A lock by name rather than a row's, because guests, addresses and the site have no row. SQLite
    runs one writing transaction at a time anyway.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A quota is checked within a transaction.")
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for owner in sorted(owners):  # in order, so that two transactions cannot deadlock
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [owner])
