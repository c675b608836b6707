"""PostgreSQL rights of each service, derived from the models, so that a new model is included.

The web server's role owns the tables and needs no grants. The other services need no passwords,
e-mail addresses, sessions or tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.apps import apps
from django.db import connection

WRITE: Final = "SELECT, INSERT, UPDATE, DELETE"


_ACCOUNTS: Final = {"auth.User": ("id", "username", "is_active", "is_staff")}
_GROUPS: Final = {"auth.Group": ("id", "name"), "auth.User_groups": ("id", "user_id", "group_id")}
"""Weekly tournaments open with the rights of their organizers."""
_WEBHOOKS: Final = {"base.Webhook": ("id", "user_id", "kinds", "state")}
"""Whoever notifies records deliveries; addresses and secrets are for the sender."""


@dataclass(frozen=True, slots=True)
class Role:
    """The rights of a service."""

    does: str
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
        "plays the bots of people's tables", ("play", "base.OutboxMessage"), reads=("bots",)
    ),
    "housekeeping": Role(
        "advances tournaments, sweeps, fits ratings, sends to webhooks, deletes old data",
        ("base", "bots", "tournaments", "play", "axes", "sessions", "usersessions", "cardroom"),
        columns=_ACCOUNTS | _GROUPS,
    ),
}
"""Roles by the name of the service."""


def statements(service: str, role: str) -> Iterator[str]:
    """SQL that gives a database role exactly the rights of the service."""
    rights, to = ROLES[service], connection.ops.quote_name(role)
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {to}"
    yield f"GRANT USAGE ON SCHEMA public TO {to}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {to}"
    yield f"GRANT SELECT ON django_migrations TO {to}"
    written = _tables(rights.writes)
    yield f"GRANT {WRITE} ON {_listed(written)} TO {to}"
    if read := [table for table in _tables(rights.reads) if table not in written]:
        yield f"GRANT SELECT ON {_listed(read)} TO {to}"
    for model, columns in rights.columns.items():
        yield f"GRANT SELECT ({_listed(columns)}) ON {_listed(_tables((model,)))} TO {to}"


def missing(service: str) -> list[str]:
    """The rights that the connected role lacks for the service, as `SELECT on table`."""
    rights = ROLES[service]
    wanted = [(right, table) for table in _tables(rights.writes) for right in WRITE.split(", ")]
    wanted += [("SELECT", table) for table in (*_tables(rights.reads), "django_migrations")]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT privilege, relation FROM unnest(%s::text[], %s::text[]) "
            "AS wanted (privilege, relation) WHERE NOT has_table_privilege(relation, privilege)",
            [[right for right, _ in wanted], [table for _, table in wanted]],
        )
        return [f"{right} on {table}" for right, table in cursor.fetchall()]


def _tables(names: tuple[str, ...]) -> list[str]:
    """The database tables of apps and models, including those of many-to-many fields."""
    models: list[Any] = []
    for name in names:
        if "." in name:
            models.append(apps.get_model(name))
        else:
            models += apps.get_app_config(name).get_models(include_auto_created=True)
    return [model._meta.db_table for model in models]  # noqa: SLF001 - Django's documented way


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(connection.ops.quote_name, names))
