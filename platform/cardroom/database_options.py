"""Options of database connections, among them time limits of transactions that hold locks.

A host that freezes or vanishes within a transaction must not keep its locks: PostgreSQL ends such a
session. SQLite has no server, so its locks last until the process ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SQLITE_OPTIONS: Final[Mapping[str, Any]] = {
    # WAL: readers never wait for the writer. IMMEDIATE: a transaction takes the write lock when it
    # begins; otherwise it could fail when it first writes.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
}


LIMITS: Final[Mapping[str, str]] = {
    # Our code needs at most a second or two between two statements of a transaction; exceptions use
    # `cardroom_base.db.database.long_timeouts`.
    "idle_in_transaction_session_timeout": "20s",
    # Locks are held for milliseconds, and no reader of a page waits longer than this.
    "lock_timeout": "10s",
    # The length of a lease. The longest query of a page or a task takes a few seconds.
    "statement_timeout": "60s",
}
"""Limits after which PostgreSQL ends a statement, a lock wait or an idle transaction."""

# Client and server notice after 25 s that the other has lost power or network. The server must
# notice, because a lost client may hold locks in long work, which has no limits. Both wait at most
# 20 s for the confirmation of sent data; by default the kernel waits 15 minutes or more.
_IDLE, _INTERVAL, _COUNT, _UNCONFIRMED = 10, 5, 3, 20_000

_CLIENT: Final[Mapping[str, Any]] = {
    "connect_timeout": 5,  # per address of the server; callers retry anyway
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
    """The configuration of a database URL with our options; on PostgreSQL, those of the URL take
    precedence."""
    options = config.get("OPTIONS", {})
    if config["ENGINE"].endswith("sqlite3"):
        options = {**options, **SQLITE_OPTIONS}
    elif config["ENGINE"].endswith("postgresql"):
        # Of two values for a setting, the server uses the last.
        settings = " ".join(f"-c {name}={value}" for name, value in {**_SERVER, **LIMITS}.items())
        server_options = f"{settings} {options.get('options', '')}".strip()
        options = {**_CLIENT, **options, "options": server_options}
    return {**config, "OPTIONS": options}
