"""PostgreSQL privileges of each service, derived from the models.

The web server's role owns the tables and needs no grants. The other services need no passwords,
e-mail addresses, sessions or tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.apps import apps
from django.db import connection

WRITE_PRIVILEGES: Final = "SELECT, INSERT, UPDATE, DELETE"


_ACCOUNTS: Final = {"auth.User": ("id", "username", "is_active", "is_staff")}
_GROUPS: Final = {"auth.Group": ("id", "name"), "auth.User_groups": ("id", "user_id", "group_id")}
"""For the permissions of organizers, which the site checks when it opens weekly tournaments."""
_WEBHOOKS: Final = {"base.Webhook": ("id", "user_id", "kinds", "state")}
"""For services that notify and record deliveries; only the sender needs addresses and secrets."""


@dataclass(frozen=True, slots=True)
class Role:
    """The privileges of a service's role."""

    purpose: str
    writes: tuple[str, ...]
    """Apps, by label, or models, as `app.Model`."""
    reads: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _ACCOUNTS)
    """By model: the only columns that the service may read."""


ROLES: Final[Mapping[str, Role]] = {
    "worker": Role(
        "plays matches, checks bots, makes analyses",
        (
            *("base.OutboxMessage", "base.Notification", "base.WebhookDelivery"),
            *("bots", "tournaments"),
        ),
        columns=_ACCOUNTS | _WEBHOOKS,
    ),
    "tables": Role(
        "runs the bots of people's tables", ("play", "base.OutboxMessage"), reads=("bots",)
    ),
    "housekeeping": Role(
        "advances tournaments, sweeps, fits ratings, sends to webhooks, deletes old data",
        ("base", "bots", "tournaments", "play", "axes", "sessions", "usersessions", "cardroom"),
        columns=_ACCOUNTS | _GROUPS,
    ),
}
"""Roles by the name of the service."""


def statements(service: str, role: str) -> Iterator[str]:
    """SQL that gives a database role exactly the privileges of the service."""
    needed, to = ROLES[service], connection.ops.quote_name(role)
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {to}"
    yield f"GRANT USAGE ON SCHEMA public TO {to}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {to}"
    yield f"GRANT SELECT ON django_migrations TO {to}"
    written = _tables(needed.writes)
    yield f"GRANT {WRITE_PRIVILEGES} ON {_quoted_list(written)} TO {to}"
    if read := [table for table in _tables(needed.reads) if table not in written]:
        yield f"GRANT SELECT ON {_quoted_list(read)} TO {to}"
    for model, columns in needed.columns.items():
        yield f"GRANT SELECT ({_quoted_list(columns)}) ON {_quoted_list(_tables((model,)))} TO {to}"


def missing_privileges(service: str) -> list[str]:
    """The privileges that the connected role lacks for the service, as `SELECT on table`."""
    needed = ROLES[service]
    write_privileges = WRITE_PRIVILEGES.split(", ")
    required = [
        (privilege, table) for table in _tables(needed.writes) for privilege in write_privileges
    ]
    required += [("SELECT", table) for table in (*_tables(needed.reads), "django_migrations")]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT privilege, relation FROM unnest(%s::text[], %s::text[]) "
            "AS required (privilege, relation) WHERE NOT has_table_privilege(relation, privilege)",
            [[privilege for privilege, _ in required], [table for _, table in required]],
        )
        return [f"{privilege} on {table}" for privilege, table in cursor.fetchall()]


def _tables(names: tuple[str, ...]) -> list[str]:
    """The database tables of apps and models, including those of many-to-many fields."""
    models: list[Any] = []
    for name in names:
        if "." in name:
            models.append(apps.get_model(name))
        else:
            models += apps.get_app_config(name).get_models(include_auto_created=True)
    return [model._meta.db_table for model in models]  # noqa: SLF001 - Django's documented way


def _quoted_list(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(connection.ops.quote_name, names))
