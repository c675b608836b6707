"""How the site connects to its database, and how long anybody may hold it.

A host that freezes or vanishes within a transaction must not keep its locks: on PostgreSQL the
server ends such a session. SQLite has no server: there it lasts until the process ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SQLITE_OPTIONS: Final[Mapping[str, Any]] = {
    # WAL: readers never wait for the writer. IMMEDIATE: a transaction that will write takes its
    # lock at its start; otherwise it could fail when it has to upgrade its lock.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
}


LIMITS: Final[Mapping[str, str]] = {
    # Our code computes for at most two seconds between two statements of a transaction; longer
    # work uses `cardroom_base.db.database.patient`.
    "idle_in_transaction_session_timeout": "20s",
    # Locks are held for milliseconds; nobody waits for a page longer than this anyway.
    "lock_timeout": "10s",
    # As long as a lease. The longest query of a page or a task takes a few seconds.
    "statement_timeout": "60s",
}
"""How long something may take on PostgreSQL before the server ends it."""

# A peer that vanishes without a word (no power, no network) is noticed after 25 s by whoever waits
# for it, including the server: it may hold locks within long work, which has no bounds. What was
# sent and not confirmed is given up after 20 s; the kernel itself would wait 15 minutes or more.
_IDLE, _INTERVAL, _COUNT, _UNCONFIRMED = 10, 5, 3, 20_000

_CLIENT: Final[Mapping[str, Any]] = {
    "connect_timeout": 5,  # for each address of the server; callers try again anyway
    "keepalives": 1,
    "keepalives_idle": _IDLE,
    "keepalives_interval": _INTERVAL,
    "keepalives_count": _COUNT,
    "tcp_user_timeout": _UNCONFIRMED,
}
_SERVER: Final[Mapping[str, str]] = {
    "tcp_keepalives_idle": f"{_IDLE}s",
    "tcp_keepalives_interval": f"{_INTERVAL}s",
    "tcp_keepalives_count": f"{_COUNT}",
    "tcp_user_timeout": f"{_UNCONFIRMED}ms",
}


def with_limits(config: Mapping[str, Any]) -> dict[str, Any]:
    """Add our options to those of a database URL, which win where both say something."""
    options = config.get("OPTIONS", {})
    if config["ENGINE"].endswith("sqlite3"):
        options = {**options, **SQLITE_OPTIONS}
    elif config["ENGINE"].endswith("postgresql"):
        # The server takes the last of two values.
        ours = " ".join(f"-c {name}={value}" for name, value in {**_SERVER, **LIMITS}.items())
        server_options = f"{ours} {options.get('options', '')}".strip()
        options = {**_CLIENT, **options, "options": server_options}
    return {**config, "OPTIONS": options}
