"""How the site connects to its database, and how long anybody may hold it.

A host that freezes or vanishes within a transaction must not keep its locks: on PostgreSQL the
server ends such a session. SQLite has no server: there it lasts until the process ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import dj_database_url

SQLITE_OPTIONS: Final[Mapping[str, Any]] = {
    # WAL: readers never wait for the writer. IMMEDIATE: a transaction that will write takes its
    # lock at once, instead of failing when it would have to upgrade.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
}


@dataclass(frozen=True, slots=True)
class Bound:
    """How long something may take on PostgreSQL before the server ends it."""

    setting: str
    """The server's name of it."""
    variable: str
    """The environment's."""
    seconds: int
    """0: without end."""


BOUNDS: Final = (
    # Between two statements of a transaction nothing of ours computes for more than a second or
    # two; what does says so (`cardroom_base.db.database.patient`).
    Bound("idle_in_transaction_session_timeout", "CARDROOM_DB_IDLE", 20),
    # Locks are held for milliseconds; nobody waits for a page longer than this anyway.
    Bound("lock_timeout", "CARDROOM_DB_LOCK", 10),
    # As long as a lease. The longest query of a page or a task takes a few seconds.
    Bound("statement_timeout", "CARDROOM_DB_STATEMENT", 60),
)

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


def database(url: str, environment: Mapping[str, Any]) -> dict[str, Any]:
    """Django's settings for the database at this URL."""
    config: dict[str, Any] = dict(
        dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)
    )
    given = config.get("OPTIONS", {})
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {**given, **SQLITE_OPTIONS}
    elif config["ENGINE"].endswith("postgresql"):
        config["OPTIONS"] = postgres_options(given, environment)
    return config


def postgres_options(given: Mapping[str, Any], environment: Mapping[str, Any]) -> dict[str, Any]:
    """Ours, and those of the URL, which come after them and so win."""
    wanted = dict(_SERVER)
    for bound in BOUNDS:
        said = environment.get(bound.variable)
        wanted[bound.setting] = f"{bound.seconds if said in {None, ''} else said}s"
    ours = " ".join(f"-c {name}={value}" for name, value in wanted.items())
    options = f"{ours} {given.get('options', '')}".strip()
    return {**_CLIENT, **given, "options": options}
