"""db.database: what an error means, how long one waits, what tasks do without a database."""

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
    """As Django raises it."""
    error = kind(str(cause))
    error.__cause__ = cause
    return error


def lite(code: int, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    made = kind("as SQLite says it")
    made.sqlite_errorcode = code
    return made


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
        wrapped(OperationalError, lite(sqlite3.SQLITE_BUSY)),
        wrapped(OperationalError, lite(sqlite3.SQLITE_READONLY | 4 << 8)),
        wrapped(OperationalError, lite(sqlite3.SQLITE_FULL)),
        wrapped(OperationalError, lite(sqlite3.SQLITE_IOERR)),
    ],
)
def test_what_passes_by_itself_is_waited_for(error: Exception) -> None:
    assert database.means_away(error)


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
        wrapped(OperationalError, lite(sqlite3.SQLITE_ERROR)),
        wrapped(InterfaceError, lite(sqlite3.SQLITE_MISUSE, sqlite3.InterfaceError)),
    ],
)
def test_a_mistake_is_not(error: Exception) -> None:
    assert not database.means_away(error)


def test_a_row_that_somebody_holds_says_nothing_of_others() -> None:
    assert database.means_locked(wrapped(OperationalError, errors.LockNotAvailable()))
    assert not database.means_locked(wrapped(OperationalError, errors.AdminShutdown()))
    assert not database.means_locked(wrapped(OperationalError, lite(sqlite3.SQLITE_BUSY)))


def bounds() -> dict[str, str]:
    """How long this connection waits."""
    names = ["busy_timeout"]
    ask = "PRAGMA {}"
    if connection.vendor == "postgresql":
        names = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"]
        ask = "SHOW {}"
    found = {}
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(ask.format(name))
            found[name] = str(cursor.fetchone()[0])
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("inside", [False, True])
def test_bounds_are_changed_for_a_while(inside: bool) -> None:
    before = bounds()
    with transaction.atomic() if inside else database.skip_if_away():
        with database.short_lock_timeout():
            assert bounds() == before | dict.fromkeys(
                ["lock_timeout"] if connection.vendor == "postgresql" else ["busy_timeout"],
                "200ms" if connection.vendor == "postgresql" else "1000",
            )
            with database.long_timeouts():
                long = {"statement_timeout": "0"}
                long["idle_in_transaction_session_timeout"] = database.LONGEST_IDLE
                now = bounds()
                assert now | long == now or connection.vendor == "sqlite"
        assert bounds() == before
    assert bounds() == before


@pytest.mark.django_db(transaction=True)
def test_bounds_come_back_after_a_failure() -> None:
    before = bounds()
    with pytest.raises(DatabaseError), transaction.atomic(), database.short_lock_timeout():
        connection.cursor().execute("SELECT nothing FROM nowhere")
    assert bounds() == before
    with pytest.raises(DatabaseError), database.short_lock_timeout():
        connection.cursor().execute("SELECT nothing FROM nowhere")
    assert bounds() == before


# --- tasks --------------------------------------------------------------------------------------


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a task has rested."""
    found: list[float] = []
    monkeypatch.setattr(drain, "sleep", found.append)
    monkeypatch.setattr(database, "_times_away", 0)
    return found


def gone(*_: Any) -> None:
    raise OperationalError("It does not answer.\nIs it running?")


@pytest.mark.django_db
def test_a_message_is_not_burnt_while_the_database_is_away(
    rests: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(6):
        with pytest.raises(database.DatabaseAway):
            database.pause_if_away(gone)()
    assert rests == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert [
        (record.levelno, record.getMessage(), record.exc_info) for record in caplog.records
    ] == [(logging.WARNING, "The database cannot be reached: It does not answer.", None)] * 6
    assert database.pause_if_away(lambda: 7)() == 7
    with pytest.raises(database.DatabaseAway):
        database.pause_if_away(gone)()
    assert rests[-1] == 0.5


@pytest.mark.django_db
def test_a_mistake_in_a_task_is_a_failure(rests: list[float]) -> None:
    def mistaken() -> None:
        raise IntegrityError("twice")

    with pytest.raises(IntegrityError):
        database.pause_if_away(mistaken)()


@pytest.mark.django_db
def test_what_is_spared_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with database.skip_if_away():
        gone()
    assert "cannot be reached" in caplog.text
    with pytest.raises(IntegrityError), database.skip_if_away():
        raise IntegrityError("twice")


@pytest.mark.django_db
def test_the_drivers_own_errors_are_spared_and_told_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Django does not stand between when a server-side cursor closes."""

    def ask(error: Exception) -> None:
        raise error

    with database.skip_if_away():
        ask(errors.AdminShutdown("terminating connection\nand more"))
    [line] = caplog.records
    assert line.levelno == logging.WARNING
    assert line.getMessage() == "The database cannot be reached: terminating connection"
    with pytest.raises(psycopg.DataError), database.skip_if_away():
        ask(psycopg.DataError("a mistake"))
