"""Selects the backup functions for the site's kind of database."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from django.db import connection

from cardroom.backups import postgres, sqlite
from cardroom.backups.disk import Say


class Engine(Protocol):
    """The functions that `sqlite` and `postgres` both have; their docstrings are there."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a constant of the module
    @property
    def FILE(self) -> str: ...  # noqa: N802 - a constant of the module

    def server_version(self) -> str: ...
    def copy(self, to: Path, say: Say) -> tuple[dict[str, list[str]], dict[str, int]]: ...
    def is_empty(self) -> bool: ...
    def refuse_open_database(self) -> None: ...
    def fill_database(
        self, file: Path, *, occupied: bool, say: Say
    ) -> AbstractContextManager[str]: ...
    def put_in_place(self, new: str, *, occupied: bool, stamp: str) -> str: ...
    def skip_numbers(self, table: str, count: int) -> None: ...


_ENGINES: Final[dict[str, Engine]] = {"sqlite": sqlite, "postgresql": postgres}


def site_engine() -> Engine:
    """The module for the database in DATABASE_URL."""
    return _ENGINES[connection.vendor]
