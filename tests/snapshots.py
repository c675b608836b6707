"""Caches the database rows of fixtures that are slow to create."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, TypeVar

from django.db import connection, transaction

FRESH_SECONDS: Final = 10.0
"""Seconds after which a world is recreated, so that its times are recent."""

World = TypeVar("World")
Rows = dict[str, list[tuple[Any, ...]]]
"""Stored rows by table."""


@dataclass(frozen=True)
class _Kept(Generic[World]):
    """A world with the rows that it added to a database."""

    world: World
    before: Rows
    added: Rows
    made: float


@dataclass
class Snapshot(Generic[World]):
    """Provides worlds of `make`, each with its rows in the test's own database."""

    make: Callable[[], World]
    _kept: dict[bool, _Kept[World]] = field(default_factory=dict)
    """By whether the test is one transaction, which never runs on-commit hooks."""

    def __call__(self) -> World:
        """A world in its state after `make`; its rows are added to the database."""
        if connection.vendor != "sqlite":
            return self.make()
        before = _rows()
        kept = self._kept.get(connection.in_atomic_block)
        if kept is None or kept.before != before or time.monotonic() > kept.made + FRESH_SECONDS:
            return self._make(before)
        _insert(kept.added)
        return deepcopy(kept.world)

    def _make(self, before: Rows) -> World:
        made = self.make()
        added, gone = Rows(), set[tuple[Any, ...]]()
        for table, rows in _rows().items():
            known = set(before[table])
            added[table] = [row for row in rows if row not in known]
            gone |= known - set(rows)
        if not gone:
            kept = _Kept(deepcopy(made), before, added, time.monotonic())
            self._kept[connection.in_atomic_block] = kept
        return made


@cache
def _tables() -> dict[str, list[str]]:
    """The columns of every table except that of migrations."""
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


def _insert(rows: Rows) -> None:
    """Insert rows; foreign keys are checked when the transaction ends."""
    with transaction.atomic():
        for table, found in rows.items():
            places = ", ".join("?" * len(_tables()[table]))
            _database().executemany(f'INSERT INTO "{table}" VALUES ({places})', found)


def _database() -> Any:
    """SQLite's own connection, whose queries Django does not count."""
    connection.ensure_connection()
    return connection.connection
