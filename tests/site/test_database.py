"""db.database: kinds of errors, timeouts, tasks without a database."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

import psycopg
import pytest
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)
from psycopg import errors

from cardroom_base.core import drain
from cardroom_base.db import database


def wrapped(kind: type[Exception], cause: BaseException) -> Exception:
    """The error as Django raises it."""
    error = kind(str(cause))
    error.__cause__ = cause
    return error


def sqlite_error(code: int, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    error = kind("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("gone"),
        wrapped(OperationalError, psycopg.OperationalError("the connection is closed")),
        wrapped(InterfaceError, psycopg.InterfaceError("the connection is closed")),
        wrapped(OperationalError, errors.AdminShutdown()),
        wrapped(OperationalError, errors.CannotConnectNow()),
        wrapped(OperationalError, errors.TooManyConnections()),
        wrapped(OperationalError, errors.DiskFull()),
        wrapped(OperationalError, errors.QueryCanceled()),
        wrapped(OperationalError, errors.LockNotAvailable()),
        wrapped(OperationalError, errors.DeadlockDetected()),
        wrapped(InternalError, errors.ReadOnlySqlTransaction()),
        wrapped(InternalError, errors.IdleInTransactionSessionTimeout()),
        psycopg.OperationalError("the connection is closed"),
        psycopg.InterfaceError("the connection is closed"),
        errors.AdminShutdown(),
        errors.IdleInTransactionSessionTimeout(),
        wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_BUSY)),
        wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_READONLY | 4 << 8)),
        wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_FULL)),
        wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_IOERR)),
    ],
)
def test_temporary_errors_mean_unavailable(error: Exception) -> None:
    assert database.means_unavailable(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        IntegrityError("twice"),
        ProgrammingError("no such column"),
        DatabaseError("malformed"),
        wrapped(DataError, errors.StringDataRightTruncation()),
        wrapped(OperationalError, errors.TooManyColumns()),
        wrapped(InternalError, errors.InFailedSqlTransaction()),
        errors.InFailedSqlTransaction(),
        errors.UndefinedColumn(),
        psycopg.DataError("too long"),
        wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_ERROR)),
        wrapped(InterfaceError, sqlite_error(sqlite3.SQLITE_MISUSE, sqlite3.InterfaceError)),
    ],
)
def test_mistakes_do_not_mean_unavailable(error: Exception) -> None:
    assert not database.means_unavailable(error)


def test_only_a_lock_timeout_means_locked() -> None:
    assert database.means_locked(wrapped(OperationalError, errors.LockNotAvailable()))
    assert not database.means_locked(wrapped(OperationalError, errors.AdminShutdown()))
    assert not database.means_locked(wrapped(OperationalError, sqlite_error(sqlite3.SQLITE_BUSY)))


def test_a_piece_of_work_that_took_too_long_pauses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    runs: list[Exception] = []

    def fail(error: Exception) -> None:
        runs.append(error)
        raise error

    slow = wrapped(OperationalError, errors.QueryCanceled())
    down = wrapped(OperationalError, errors.AdminShutdown())
    monkeypatch.setattr(database, "_pause_ends", {})
    monkeypatch.setattr(database, "PAUSE_FACTOR", 1e12)
    for name, error in (("bug", ValueError()), ("bug", ValueError()), ("slow", slow)):
        assert database.try_piece(name, fail, error) is None
    assert database.try_piece("slow", fail, slow) is None
    assert [type(error) for error in runs] == [ValueError, ValueError, OperationalError]
    assert "slow took too long" in caplog.text
    with pytest.raises(OperationalError):
        database.try_piece("another", fail, down)


def timeouts() -> dict[str, str]:
    """The timeouts of this connection."""
    names = ["busy_timeout"]
    statement = "PRAGMA {}"
    if connection.vendor == "postgresql":
        names = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"]
        statement = "SHOW {}"
    values = {}
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(statement.format(name))
            values[name] = str(cursor.fetchone()[0])
    return values


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("in_transaction", [False, True])
def test_timeouts_change_temporarily(in_transaction: bool) -> None:
    before = timeouts()
    with transaction.atomic() if in_transaction else database.skip_if_unavailable():
        with database.short_lock_timeout():
            assert timeouts() == before | dict.fromkeys(
                ["lock_timeout"] if connection.vendor == "postgresql" else ["busy_timeout"],
                "200ms" if connection.vendor == "postgresql" else "1000",
            )
            with database.long_timeouts():
                long = {"statement_timeout": "0"}
                long["idle_in_transaction_session_timeout"] = database.LONGEST_IDLE
                now = timeouts()
                assert now | long == now or connection.vendor == "sqlite"
        assert timeouts() == before
    assert timeouts() == before


@pytest.mark.django_db(transaction=True)
def test_timeouts_are_restored_after_a_failure() -> None:
    before = timeouts()
    with pytest.raises(DatabaseError), transaction.atomic(), database.short_lock_timeout():
        connection.cursor().execute("SELECT nothing FROM nowhere")
    assert timeouts() == before
    with pytest.raises(DatabaseError), database.short_lock_timeout():
        connection.cursor().execute("SELECT nothing FROM nowhere")
    assert timeouts() == before


# --- tasks --------------------------------------------------------------------------------------


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause of a task."""
    seconds: list[float] = []
    monkeypatch.setattr(drain, "sleep", seconds.append)
    monkeypatch.setattr(database, "_times_unavailable", 0)
    return seconds


def fail_to_connect(*_: Any) -> None:
    raise OperationalError("It does not answer.\nIs it running?")


@pytest.mark.django_db
def test_a_message_is_not_lost_while_the_database_is_unavailable(
    pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(6):
        with pytest.raises(database.DatabaseUnavailable):
            database.pause_if_unavailable(fail_to_connect)()
    assert pauses == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert [
        (record.levelno, record.getMessage(), record.exc_info) for record in caplog.records
    ] == [(logging.WARNING, "The database cannot be reached: It does not answer.", None)] * 6
    assert database.pause_if_unavailable(lambda: 7)() == 7
    with pytest.raises(database.DatabaseUnavailable):
        database.pause_if_unavailable(fail_to_connect)()
    assert pauses[-1] == 0.5


@pytest.mark.django_db
def test_a_mistake_in_a_task_is_a_failure(pauses: list[float]) -> None:
    def fail() -> None:
        raise IntegrityError("twice")

    with pytest.raises(IntegrityError):
        database.pause_if_unavailable(fail)()


@pytest.mark.django_db
def test_a_skipped_block_leaves_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with database.skip_if_unavailable():
        fail_to_connect()
    assert "cannot be reached" in caplog.text
    with pytest.raises(IntegrityError), database.skip_if_unavailable():
        raise IntegrityError("twice")


@pytest.mark.django_db
def test_driver_errors_are_skipped_and_logged_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Django does not wrap errors from closing a server-side cursor."""

    def fail(error: Exception) -> None:
        raise error

    with database.skip_if_unavailable():
        fail(errors.AdminShutdown("terminating connection\nand more"))
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == "The database cannot be reached: terminating connection"
    with pytest.raises(psycopg.DataError), database.skip_if_unavailable():
        fail(psycopg.DataError("a mistake"))
