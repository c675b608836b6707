"""Checks whether this program can migrate the database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from cardroom_base.db.schema_number import APPS


def refusal() -> str:
    """Why the site cannot start with its database, and what to do; empty if it can."""
    reason = misfit()
    if not reason:
        return ""
    name = connection.settings_dict["NAME"]
    return (
        f"The database {name} was created by another version of Cardroom, and this one cannot "
        f"bring it up to date: {reason} Nothing has been changed. Start the version that created "
        "it; with that you can also export what you want to keep (archives of tournaments, "
        f"`manage.py dump`). To start afresh with this version, {_fresh_start(Path(name))}."
    )


def misfit() -> str:
    """The first difference between the database and this program's migrations, as part of a
    sentence; empty if there is none. Changes nothing."""
    applied = {key for key in MigrationRecorder(connection).applied_migrations() if key[0] in APPS}
    if names := unknown_migrations(applied):
        more = f" and {len(names) - 1} more" if names[1:] else ""
        return f"it does not know the migration {names[0]}{more}."
    return next((f"there is no {part}." for part in _missing_parts(applied)), "")


def unknown_migrations(applied: Iterable[tuple[str, str]]) -> list[str]:
    """Applied migrations that this program lacks, such as `bots.0002_some`, sorted."""
    migrations = _disk_migrations()
    replaced = {key for migration in migrations.values() for key in migration.replaces}
    keys = migrations.keys() | replaced
    return sorted(f"{app}.{name}" for app, name in applied if (app, name) not in keys)


def _missing_parts(applied: set[tuple[str, str]]) -> Iterable[str]:
    """Tables and columns that the applied migrations should have created, but that are missing.
    This happens because migrations change in place before the first release."""
    migrations = _disk_migrations()
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for app in APPS:
            if {key for key in migrations if key[0] == app} - applied:
                continue  # pending migrations may still create them
            for model in apps.get_app_config(app).get_models(include_auto_created=True):
                options = model._meta  # noqa: SLF001 - documented by Django
                table = options.db_table
                if table not in tables:
                    yield f"table {table}"
                    continue
                description = connection.introspection.get_table_description(cursor, table)
                columns = {str(field.column) for field in options.local_concrete_fields}
                yield from (
                    f"column {name} in {table}"
                    for name in sorted(columns - {column.name for column in description})
                )


def _disk_migrations() -> dict[tuple[str, str], Migration]:
    return MigrationLoader(None).disk_migrations or {}


def _fresh_start(database: Path) -> str:
    """The step that lets the site start with an empty database."""
    if connection.vendor != "sqlite":
        return "name an empty database in DATABASE_URL"
    var_dir = Path(settings.VAR_DIR)
    return f"move {var_dir if database.is_relative_to(var_dir) else database} aside"
