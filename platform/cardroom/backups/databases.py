"""Queries for both kinds of database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from django.apps import apps
from django.db import connection

from cardroom import schema_compatibility
from cardroom.backups.about import BackupError

REBUILT_TABLES: Final = ("tournaments_exportchunk",)
"""Tables whose rows are not backed up, because the site rebuilds them on request."""


class Cursor(Protocol):
    """The common interface of Django's and sqlite3's cursors."""

    def execute(self, sql: str, /) -> Any: ...
    def fetchall(self) -> list[Any]: ...


@contextmanager
def use_database(name: str) -> Iterator[None]:
    """Direct this thread's queries to the database of that name; on SQLite, to that file."""
    site_name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = site_name


def count_rows(cursor: Cursor, tables: Iterable[str]) -> dict[str, int]:
    """The number of rows of each table."""
    counts = {}
    for table in sorted(tables):
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - names of the database's own tables
        [(counts[table],)] = cursor.fetchall()
    return counts


def schema(cursor: Cursor) -> dict[str, list[str]]:
    """The applied migrations of this program's apps, by app."""
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    migrations: dict[str, list[str]] = {}
    for app, name in cursor.fetchall():
        if app in apps.app_configs:
            migrations.setdefault(app, []).append(name)
    return migrations


def refuse_newer(applied: Mapping[str, Iterable[str]]) -> None:
    """Raise BackupError if the database has migrations that this program lacks."""
    unknown = schema_compatibility.unknown_migrations(
        (app, name) for app, names in applied.items() for name in names
    )
    if unknown:
        raise BackupError(
            f"The backup's schema is newer than this program, which does not know {unknown[-1]}. "
            "Restore it with the version of Cardroom that made it, or a later one."
        )
