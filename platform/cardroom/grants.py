"""Derives each service's PostgreSQL grants from the models, so new models get grants, too.

The web server's role owns the tables and needs no grants. The others need no passwords, e-mail
addresses, sessions and tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.apps import apps
from django.db import connection

WRITE: Final = "SELECT, INSERT, UPDATE, DELETE"


@dataclass(frozen=True, slots=True)
class Role:
    """The rights of a service."""

    does: str
    writes: tuple[str, ...]
    """Apps, by label, or models, as `app.Model`."""
    reads: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"auth.User": ("id", "username", "is_active", "is_staff")}
    )
    """What is read of models of which no more may be known."""


ROLES: Final[Mapping[str, Role]] = {
    "worker": Role(
        "plays matches, checks bots, makes analyses", ("base.OutboxMessage", "bots", "tournaments")
    ),
    "tables": Role(
        "plays the bots of people's tables", ("play", "base.OutboxMessage"), reads=("bots",)
    ),
    "housekeeping": Role(
        "moves tournaments on, sweeps, fits ratings, deletes what is old",
        ("base", "bots", "tournaments", "play", "axes", "sessions", "cardroom"),
    ),
}
"""By the service's name."""


def statements(service: str, role: str) -> Iterator[str]:
    """SQL that gives a role of the database what the service needs, and nothing else."""
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


def _tables(names: tuple[str, ...]) -> list[str]:
    """The tables of apps and models, those between two models included."""
    models: list[Any] = []
    for name in names:
        if "." in name:
            models.append(apps.get_model(name))
        else:
            models += apps.get_app_config(name).get_models(include_auto_created=True)
    return [model._meta.db_table for model in models]  # noqa: SLF001 - Django's documented way


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(connection.ops.quote_name, names))
