"""Backups of SQLite: one file, copied from a consistent snapshot while others write."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from django.db import connection

from cardroom.backups.about import BackupError
from cardroom.backups.databases import count_rows, schema
from cardroom.backups.disk import ProgressReporter, Say, size, sync_to_disk

NAME: Final = "sqlite"
FILE: Final = "database.sqlite3"
_PAGES: Final = 2_000
"""Pages copied between two progress reports: 8 MB."""
_SIDE_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""Suffixes of SQLite's files next to an open database."""


def server_version() -> str:
    """The version of the database."""
    return sqlite3.sqlite_version


def copy(to: Path, say: Say) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Write the database into a new file, and verify it; returns its schema and row counts."""
    reporter = ProgressReporter(say)

    def report(_status: int, pages_left: int, pages: int) -> None:
        reporter.report(f"… {100 - 100 * pages_left // max(pages, 1)} % of the database copied")

    with closing(_connection(_path())) as source, closing(sqlite3.connect(to)) as target:
        # This reader sees a snapshot of the database and blocks nobody (WAL). Without it, every
        # write of another process would restart the copy.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target, pages=_PAGES, progress=report)
        target.execute("PRAGMA journal_mode=DELETE")  # everything in one file
        cursor = target.cursor()
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        rows = count_rows(cursor, [name for (name,) in cursor.execute(tables).fetchall()])
        applied = schema(cursor)
    verify(to)
    return applied, rows


def verify(path: Path) -> None:
    """Raise BackupError if the file is damaged, or a foreign key refers to no row."""
    with closing(_connection(path)) as database:
        result = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if result != "ok":
            raise BackupError(f"{path} is damaged: {result}")
        if row := database.execute("PRAGMA foreign_key_check").fetchone():
            raise BackupError(f"{path} is damaged: a row of {row[0]} names a missing {row[2]}.")


# --- restoring ----------------------------------------------------------------------------------


def is_empty() -> bool:
    """Whether the file is missing, or has no tables."""
    path = _path()
    if not path.exists() or not path.stat().st_size:
        return True
    with suppress(sqlite3.DatabaseError), closing(_connection(path)) as database:
        return not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return False  # a damaged one is not empty


def refuse_open_database() -> None:
    """Raise BackupError if another program has the database open."""
    connection.close()
    if not _path().exists():
        return
    try:
        _merge_log(_path())
    except sqlite3.OperationalError as error:
        raise BackupError(
            f"A program still uses {_path()} ({error}). Stop the site first, then restore."
        ) from error
    except sqlite3.DatabaseError:
        return  # damaged, which may be the reason for the restore


@contextmanager
def fill_database(file: Path, *, occupied: bool, say: Say) -> Iterator[str]:  # noqa: ARG001 - as in `postgres`
    """Fill a new database next to the site's from a backup, and yield its path; remove it at the
    end, unless it has been put in place."""
    new = _sibling(_path(), ".restoring")
    _remove(new)  # left by an interrupted restore
    try:
        new.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        say(f"Copying {size(file.stat().st_size)} …")
        shutil.copyfile(file, new)
        verify(new)
        yield str(new)
    finally:
        _remove(new)


def put_in_place(new: str, *, occupied: bool, stamp: str) -> str:
    """Make the new database the site's, in one step; returns the path of the earlier one, if any.

    If the machine stops at any moment, the site has one of the two, complete.
    """
    path, old_path = _path(), _sibling(_path(), f".before-{stamp}")
    _merge_log(Path(new))
    sync_to_disk(Path(new))
    refuse_open_database()
    if occupied:
        for end in ("", "-wal"):  # only a damaged database has the second file
            with suppress(FileNotFoundError):
                os.link(f"{path}{end}", f"{old_path}{end}")
    for end in _SIDE_SUFFIXES:
        _sibling(path, end).unlink(missing_ok=True)
    Path(new).replace(path)
    sync_to_disk(path.parent)
    return str(old_path) if occupied else ""


def skip_numbers(table: str, count: int) -> None:
    """Skip this many primary keys of a table."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [count, table])
        if not cursor.rowcount:  # the table never had a row
            cursor.execute(
                "INSERT INTO sqlite_sequence (seq, name) VALUES (%s, %s)", [count, table]
            )


def _path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _connection(path: Path) -> sqlite3.Connection:
    """A connection to an existing database, without implicit transactions."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _merge_log(path: Path) -> None:
    """Merge the log into the database; OperationalError if another program has it open."""
    with closing(_connection(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")


def _sibling(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _remove(path: Path) -> None:
    for end in ("", *_SIDE_SUFFIXES):
        _sibling(path, end).unlink(missing_ok=True)
