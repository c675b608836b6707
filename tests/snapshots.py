"""Caches the database rows of fixtures that are slow to create."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, TypeVar

from django.db import connection, transaction

MAX_AGE_SECONDS: Final = 10.0
"""An older world is created again, so that its times are recent."""

World = TypeVar("World")
Rows = dict[str, list[tuple[Any, ...]]]
"""Stored rows by table."""


@dataclass(frozen=True)
class _StoredWorld(Generic[World]):
    """A world with the rows that it added to a database."""

    world: World
    rows_before: Rows
    added_rows: Rows
    creation_time: float


@dataclass
class Snapshot(Generic[World]):
    """Provides worlds of `make`, each with its rows in the test's own database."""

    make: Callable[[], World]
    _stored_worlds: dict[bool, _StoredWorld[World]] = field(default_factory=dict)
    """The key tells whether the test is one transaction, which never runs on-commit hooks."""

    def __call__(self) -> World:
        """A world in its state after `make`; its rows are added to the database."""
        if connection.vendor != "sqlite":
            return self.make()
        rows_before = _rows()
        stored = self._stored_worlds.get(connection.in_atomic_block)
        if (
            stored is None
            or stored.rows_before != rows_before
            or time.monotonic() > stored.creation_time + MAX_AGE_SECONDS
        ):
            return self._make(rows_before)
        _insert(stored.added_rows)
        return deepcopy(stored.world)

    def _make(self, rows_before: Rows) -> World:
        world = self.make()
        added_rows, removed_rows = Rows(), set[tuple[Any, ...]]()
        for table, rows in _rows().items():
            old_rows = set(rows_before[table])
            added_rows[table] = [row for row in rows if row not in old_rows]
            removed_rows |= old_rows - set(rows)
        if not removed_rows:
            self._stored_worlds[connection.in_atomic_block] = _StoredWorld(
                deepcopy(world), rows_before, added_rows, time.monotonic()
            )
        return world


@cache
def _tables() -> dict[str, list[str]]:
    """The columns of every table except the table of migrations."""
    introspection = connection.introspection
    with connection.cursor() as cursor:
        return {
            table: [column.name for column in introspection.get_table_description(cursor, table)]
            for table in introspection.django_table_names(only_existing=True)
        }


def _rows() -> Rows:
    """All rows. A plus before a column's name returns the stored value without conversion."""
    database = _database()
    return {
        table: database.execute(f'SELECT {columns} FROM "{table}"').fetchall()
        for table, names in _tables().items()
        for columns in [", ".join(f'+"{name}"' for name in names)]
    }


def _insert(rows_by_table: Rows) -> None:
    """Insert rows in one transaction, at whose end the database checks foreign keys."""
    with transaction.atomic():
        for table, rows in rows_by_table.items():
            placeholders = ", ".join("?" * len(_tables()[table]))
            _database().executemany(f'INSERT INTO "{table}" VALUES ({placeholders})', rows)


def _database() -> Any:
    """SQLite's own connection, whose queries Django does not count."""
    connection.ensure_connection()
    return connection.connection
