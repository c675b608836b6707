"""Worlds that are made once and then put back: a test that asks for one need not make it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, TypeVar

from django.db import connection, transaction

FRESH_SECONDS: Final = 10.0
"""A world that was made longer ago is made anew, so that nothing in it is old."""

World = TypeVar("World")
Rows = dict[str, list[tuple[Any, ...]]]
"""By table, as they are stored."""


@dataclass(frozen=True)
class _Kept(Generic[World]):
    """What was made, and what it added to which database."""

    world: World
    before: Rows
    added: Rows
    made: float


@dataclass
class Snapshot(Generic[World]):
    """Gives worlds that `make` made, each with its rows in the test's own database."""

    make: Callable[[], World]
    _kept: dict[bool, _Kept[World]] = field(default_factory=dict)
    """By whether the test is one transaction: only then nothing happens on commit."""

    def __call__(self) -> World:
        """A world as it is just after `make`; the database holds it and what was there before."""
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
    """The columns of every table, but for that of migrations."""
    introspection = connection.introspection
    with connection.cursor() as cursor:
        return {
            table: [column.name for column in introspection.get_table_description(cursor, table)]
            for table in introspection.django_table_names(only_existing=True)
        }


def _rows() -> Rows:
    """All rows there are. A column with a plus before it is given as it is stored."""
    database = _database()
    return {
        table: database.execute(f'SELECT {columns} FROM "{table}"').fetchall()
        for table, names in _tables().items()
        for columns in [", ".join(f'+"{name}"' for name in names)]
    }


def _insert(rows: Rows) -> None:
    """Put rows into their tables; foreign keys are looked at when the transaction ends."""
    with transaction.atomic():
        for table, found in rows.items():
            places = ", ".join("?" * len(_tables()[table]))
            _database().executemany(f'INSERT INTO "{table}" VALUES ({places})', found)


def _database() -> Any:
    """SQLite's own connection, which counts no queries."""
    connection.ensure_connection()
    return connection.connection
