"""Backups of PostgreSQL with its own `pg_dump` and `pg_restore`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.db import Error, connection, transaction
from psycopg.conninfo import make_conninfo

from cardroom.backups.about import BackupError
from cardroom.backups.databases import REBUILT_TABLES, count_rows, schema, use_database
from cardroom.backups.disk import PROGRESS_SECONDS, Say, size
from cardroom.processes import die_with_parent

NAME: Final = "postgresql"
FILE: Final = "database.dump"
_MAINTENANCE_DATABASE: Final = "postgres"
"""A database that every server has, used to create, rename and drop others."""
_PROGRAM_FOLDERS: Final = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Folders, besides PATH, where systems install PostgreSQL's programs, one for each version."""
_PSYCOPG_PARAMETERS: Final = {"client_encoding", "context", "cursor_factory", "prepare_threshold"}
"""Parameters of Django's connections that PostgreSQL's programs do not accept."""
_MAX_NAME: Final = 63 - len("_before_20250131_031500")
"""Length limit of a database's name in bytes, which leaves room for a suffix."""


def server_version() -> str:
    """The version of the database."""
    number = _version_number()
    return f"{number // 10_000}.{number % 10_000}"


def copy(to: Path, say: Say) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Write the database into a new file, and verify it; returns its schema and row counts."""
    dump, restore = _program("pg_dump"), _program("pg_restore")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(f"SET LOCAL {limit} = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        [(snapshot,)] = cursor.fetchall()
        # The rows are counted in the snapshot of the dump, so simultaneous writes do not matter.
        arguments = ["--format=custom", f"--snapshot={snapshot}", f"--file={to}"]
        arguments += [f"--exclude-table-data={table}" for table in REBUILT_TABLES]
        _run(dump, *arguments, database=_name(), report=partial(_report_size, to, say))
        applied = schema(cursor)
        tables = {*connection.introspection.table_names(cursor)} - {*REBUILT_TABLES}
        rows = count_rows(cursor, tables)
    _run(restore, f"--file={os.devnull}", str(to))  # reads every byte
    return applied, rows


def _report_size(file: Path, say: Say) -> None:
    say(f"… {size(file.stat().st_size) if file.exists() else 'nothing'} written")


# --- restoring ----------------------------------------------------------------------------------


def is_empty() -> bool:
    """Whether the database has no tables."""
    return not connection.introspection.table_names()


def refuse_open_database() -> None:
    """Raise BackupError if anybody else is connected to the site's database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), min(application_name), min(host(client_addr)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL"
        )
        [(connections, program, address)] = cursor.fetchall()
    if connections:
        client = ", ".join(filter(None, (program, address)))
        raise BackupError(
            f"The database {_name()} is in use: {connections} other connections"
            f"{client and f' ({client})'}. "
            "Stop web servers, workers and housekeeper on all machines first, then restore."
        )


@contextmanager
def fill_database(file: Path, *, occupied: bool, say: Say) -> Iterator[str]:
    """Fill a database from a backup, and yield its name: the site's own if it is empty, otherwise a
    new one.

    The database is removed unless the block succeeds.
    """
    restore = _program("pg_restore")
    fill = partial(_fill, restore, file, say)
    if not occupied:
        fill(_name())
        try:
            yield _name()
        except BaseException:
            _drop_tables()
            raise
        return
    _refuse_weak_role()
    new = f"{_short_name()}_restoring"
    _create(new)
    try:
        fill(new)
        yield new
    except BaseException:
        with suppress(Error):
            _execute_on_server(f"DROP DATABASE IF EXISTS {_quoted(new)}")
        raise


def put_in_place(new: str, *, occupied: bool, stamp: str) -> str:
    """Make the new database the site's, in one step; return the earlier one's new name, if any."""
    if not occupied:
        return ""
    old_name = f"{_short_name()}_before_{stamp.replace('-', '_')}"
    _execute_on_server(
        f"ALTER DATABASE {_quoted(_name())} RENAME TO {_quoted(old_name)}",
        f"ALTER DATABASE {_quoted(new)} RENAME TO {_quoted(_name())}",
    )
    return old_name


def skip_numbers(table: str, count: int) -> None:
    """Skip this many primary keys of a table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
        [(sequence,)] = cursor.fetchall()
        cursor.execute("SELECT setval(%s, nextval(%s) + %s)", [sequence, sequence, count])


def _fill(restore: str, file: Path, say: Say, name: str) -> None:
    """Restore the whole dump, or nothing."""
    message = f"… restoring {size(file.stat().st_size)}"
    options = ("--no-owner", "--exit-on-error", "--single-transaction")
    _run(restore, *options, str(file), database=name, report=partial(say, message))


def _create(new: str) -> None:
    """Create an empty database with the encoding and collation of the site's."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database "
            "WHERE datname = current_database()"
        )
        [(encoding, collation, kind)] = cursor.fetchall()
    _execute_on_server(f"DROP DATABASE IF EXISTS {_quoted(new)}")  # left by an interrupted restore
    _execute_on_server(
        f"CREATE DATABASE {_quoted(new)} TEMPLATE template0 ENCODING '{encoding}' "
        f"LC_COLLATE '{collation}' LC_CTYPE '{kind}'"
    )


def _refuse_weak_role() -> None:
    """Raise BackupError if this role may not replace the site's database by a new one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper OR (rolcreatedb AND pg_has_role(datdba, 'USAGE')) FROM pg_roles, "
            "pg_database WHERE rolname = current_user AND datname = current_database()"
        )
        [(may_replace,)] = cursor.fetchall()
    if not may_replace:
        raise BackupError(
            f"The database {_name()} is not empty, and this role may not put another one in its "
            "place: only the owner may, with CREATEDB. Or make an empty database, name it in "
            "DATABASE_URL, and restore into it."
        )


def _execute_on_server(*statements: str) -> None:
    """Run statements outside the site's database; several run in one transaction."""
    with use_database(_MAINTENANCE_DATABASE), connection.cursor() as cursor:
        if len(statements) == 1:  # databases are made and dropped outside of transactions
            cursor.execute(statements[0])
            return
        with transaction.atomic():
            for statement in statements:
                cursor.execute(statement)


def _drop_tables() -> None:
    """Drop all tables of a database that was empty before."""
    tables = connection.introspection.table_names()
    if tables:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {', '.join(map(_quoted, tables))} CASCADE")


# --- programs -----------------------------------------------------------------------------------


def _program(name: str) -> str:
    """The path of the program in the oldest version that is not older than the server.

    A newer one may write settings into a dump that an older server does not support.
    """
    major = _version_number() // 10_000
    patterns = [f"{folder[1:]}/{name}" for folder in _PROGRAM_FOLDERS]
    paths = [str(path) for pattern in patterns for path in Path("/").glob(pattern)]
    if on_path := shutil.which(name):
        paths.append(on_path)
    programs = [(version, path) for path in paths if (version := _version(path)) >= major]
    if not programs:
        problem = (
            f"those here are older ({max(map(_version, paths))})" if paths else "there is none here"
        )
        raise BackupError(
            f"This needs {name} of PostgreSQL {major} or later, and {problem}. "
            f"On Debian and Ubuntu: apt-get install postgresql-client-{major}"
        )
    return min(programs, key=lambda program: program[0])[1]


def _version(path: str) -> int:
    """The major version of a PostgreSQL program; 0 if it prints none."""
    result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"\(PostgreSQL\) (\d+)", result.stdout)
    return int(match[1]) if match else 0


def _run(
    program: str, *arguments: str, database: str = "", report: Callable[[], None] = lambda: None
) -> None:
    """Run a PostgreSQL program; a BackupError contains its error output."""
    environment = dict(os.environ)
    command = [program, *arguments]
    if database:
        address_text, password = _address(database)
        # Every user of the machine can read command lines, but not environments.
        environment |= {"PGPASSWORD": password} if password else {}
        command += ["--no-password", f"--dbname={address_text}"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=die_with_parent,
    )
    try:
        errors = _error_output(process, report)
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise BackupError(f"{Path(program).name} failed: {errors.strip()[-2000:]}")


def _address(database: str) -> tuple[str, str]:
    """A database's address and user in libpq's form, and the password."""
    parameters: dict[str, Any] = {**connection.get_connection_params(), "dbname": database}
    password = str(parameters.pop("password", ""))
    return make_conninfo(
        **{key: parameters[key] for key in parameters.keys() - _PSYCOPG_PARAMETERS}
    ), password


def _error_output(process: subprocess.Popen[str], report: Callable[[], None]) -> str:
    """The program's error output, once it has ended; until then, call `report` at intervals."""
    while True:
        try:
            return process.communicate(timeout=PROGRESS_SECONDS)[1]
        except subprocess.TimeoutExpired:
            report()


# --- the server ---------------------------------------------------------------------------------


def _version_number() -> int:
    """The server's version as a number: 150004 for 15.4."""
    return connection.pg_version  # type: ignore[attr-defined,no-any-return]  # PostgreSQL's has it


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _short_name() -> str:
    """The site's database name, cut so that there is room for a suffix."""
    return _name().encode()[:_MAX_NAME].decode(errors="ignore")


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
