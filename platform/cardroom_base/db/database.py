"""Detects that the database is unavailable, and limits how long work waits for it.

"Unavailable" means any temporary trouble: a server that is gone or refuses writes, a full disk, a
lock that another connection holds. A mistake in a query does not count: it fails immediately.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from celery.exceptions import Ignore
from django.db import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connection,
)

from cardroom_base.core import drain

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

LOCK_SECONDS: Final = 0.2
BUSY_SECONDS: Final = 1.0
"""Limits of the wait for a lock in `short_lock_timeout`: for a row in PostgreSQL, and for the
whole database in SQLite."""
LONGEST_IDLE: Final = "10min"
"""Longest pause between two statements in `long_timeouts`; after it, a frozen host loses its
locks."""
PAUSES: Final = (0.5, 1.0, 2.0, 4.0)
"""Seconds that a process pauses when the database is unavailable, by the number of times in a row.
They are shorter than the time that a worker has to shut down."""

_BUGS: Final = (IntegrityError, DataError, ProgrammingError, NotSupportedError)
_ERROR_CLASSES: Final = {
    kind.__name__: kind
    for kind in (*_BUGS, InternalError, OperationalError, InterfaceError, DatabaseError, Error)
}
_AWAY_CLASSES: Final = frozenset({"08", "40", "53", "57", "58"})
"""Classes of SQLSTATE that mean "unavailable": lost connections, conflicts between transactions,
full disks, shutdowns, time-outs, I/O errors."""
_AWAY_STATES: Final = frozenset({"25006", "25P03", "25P04", "55006", "55P03"})
"""Further SQLSTATEs that mean "unavailable": the server is read-only; it ended a transaction that
was idle or took too long; an object is in use; a row is locked."""
_LOCKED_STATES: Final = frozenset({"40P01", "55P03"})
_CANCELLED: Final = "57014"
"""The SQLSTATE of a statement that took too long."""
_TIMED_OUT_STATES: Final = frozenset({"25P03", "25P04", _CANCELLED})
_AWAY_SQLITE_CODES: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)


# --- meanings of errors -------------------------------------------------------------------------


def means_unavailable(error: BaseException) -> bool:
    """Whether the error means that the database cannot be reached or cannot work now."""
    error = _as_django_error(error)
    cause = error.__cause__
    if isinstance(error, InterfaceError):
        return not isinstance(cause, sqlite3.Error)  # SQLite cannot store this value
    if not isinstance(error, DatabaseError) or isinstance(error, _BUGS):
        return False
    if state := _state(error):
        return state in _AWAY_STATES or state[:2] in _AWAY_CLASSES
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in _AWAY_SQLITE_CODES
    return isinstance(error, OperationalError)  # a connection that was lost has no code


def means_locked(error: BaseException) -> bool:
    """Whether the error only means that another transaction holds a row; other rows may be free.

    Always False on SQLite, where a writer locks the whole database.
    """
    error = _as_django_error(error)
    return isinstance(error, DatabaseError) and _state(error) in _LOCKED_STATES


def means_timed_out(error: BaseException) -> bool:
    """Whether the error only means that PostgreSQL ended a statement or transaction that took too
    long (`cardroom.database_options.LIMITS`); other work may be shorter."""
    error = _as_django_error(error)
    return isinstance(error, DatabaseError) and _state(error) in _TIMED_OUT_STATES


def _as_django_error(error: BaseException) -> BaseException:
    """The error as Django would have raised it. Where Django does not wrap psycopg, as when a
    server-side cursor closes, psycopg raises its own classes, which have the same names."""
    for kind in type(error).__mro__:
        if kind.__module__.partition(".")[0] == "psycopg" and kind.__name__ in _ERROR_CLASSES:
            django_error = _ERROR_CLASSES[kind.__name__](*error.args)
            django_error.__cause__ = error
            return django_error
    return error


def _state(error: BaseException) -> str:
    """The SQLSTATE; empty if the error has none."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def unavailable_text(error: BaseException) -> str:
    """A line for the log about a database that is unavailable."""
    error = _as_django_error(error)
    state, is_sqlite = _state(error), isinstance(error.__cause__, sqlite3.Error)
    unreachable = state.startswith(("08", "57P")) or not (state or is_sqlite)
    first_line = str(error).partition("\n")[0]
    problem = "cannot be reached" if unreachable else "cannot do this now"
    return f"The database {problem}: {first_line}"


def drop_connection() -> None:
    """Close a connection that may be broken; the next query opens another."""
    if not connection.in_atomic_block:
        connection.close()


@contextmanager
def skip_if_unavailable() -> Iterator[None]:
    """Skip the work in this block, with a line in the log, if the database is unavailable."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - any other is raised again
        log_if_unavailable(error)


def log_if_unavailable(error: Exception) -> None:
    """Log that the database is unavailable; raise any other error."""
    if not means_unavailable(error):
        raise error
    # A row that is locked for a moment deserves no warning.
    log.log(logging.INFO if means_locked(error) else logging.WARNING, unavailable_text(error))
    drop_connection()


# --- how long to wait ---------------------------------------------------------------------------


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """Wait only briefly for locks, in work that is retried; `means_unavailable` is true for the
    error."""
    if connection.vendor == "sqlite":
        with _busy_timeout(BUSY_SECONDS):
            yield
    else:
        with _settings(lock_timeout=f"{LOCK_SECONDS * 1000:.0f}ms"):
            yield


@contextmanager
def long_timeouts() -> Iterator[None]:
    """Allow long work: statements without a time limit, and long pauses between them.

    This applies to PostgreSQL; SQLite has no such limits.
    """
    if connection.vendor == "sqlite":
        yield
        return
    with _settings(statement_timeout="0", idle_in_transaction_session_timeout=LONGEST_IDLE):
        yield


@contextmanager
def _busy_timeout(seconds: float) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        previous = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
    try:
        yield
    finally:
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {previous}")


@contextmanager
def _settings(**settings: str) -> Iterator[None]:
    """Change settings of PostgreSQL in the block; in a transaction, at most until it ends."""
    in_transaction = connection.in_atomic_block
    previous = _set(settings, local=in_transaction)
    try:
        yield
    finally:
        # A failed transaction resets them itself; a lost connection has no settings left.
        with suppress(Error):
            _set(previous, local=in_transaction)


def _set(settings: dict[str, str], *, local: bool) -> dict[str, str]:
    """Apply the settings; return their previous values."""
    columns = ", ".join("current_setting(%s), set_config(%s, %s, %s)" for _ in settings)
    values = [
        argument for name, value in settings.items() for argument in (name, name, value, local)
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", values)
        return dict(zip(settings, cursor.fetchone()[::2], strict=True))


# --- pieces of work -----------------------------------------------------------------------------

PAUSE_FACTOR: Final = 9
"""The pause after a piece of work that took too long, as a multiple of its duration, so that it
takes at most a tenth of the others' time."""
_pause_ends: Final[dict[str, float]] = {}
"""When the pauses of pieces of work end, by their names."""


def try_piece(name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Do one of several independent pieces of work, such as a step of a tournament; its result.

    If it fails, log this and return None, so that the others follow. Raises only if the database
    is unavailable for all. None also in the pause after it took too long.
    """
    start_time = time.monotonic()
    if start_time < _pause_ends.get(name, 0.0):
        return None
    try:
        result = work(*args, **kwargs)
    except Exception as error:
        if means_timed_out(error):
            pause = PAUSE_FACTOR * (time.monotonic() - start_time)
            _pause_ends[name] = time.monotonic() + pause
            line = str(error).partition("\n")[0]
            log.warning("%s took too long. It pauses for %.0f s: %s", name, pause, line)
            if _state(_as_django_error(error)) != _CANCELLED:  # the limit ended the session
                drop_connection()
        elif means_locked(error):
            log.info("%s waits: %s", name, unavailable_text(error))
        elif means_unavailable(error):
            raise
        else:
            log.exception("%s failed.", name)
        return None
    _pause_ends.pop(name, None)
    return result


# --- tasks --------------------------------------------------------------------------------------

_times_unavailable = 0
"""Number of this process's tasks in a row that found the database unavailable."""


class DatabaseUnavailable(Ignore):
    """A task found the database unavailable and logged it. Celery counts this as no failure."""


def pause_if_unavailable(task: Callable[P, T]) -> Callable[P, T]:
    """Decorate a task that a message starts: if the database is unavailable, pause before the task
    ends, so that the worker does not use up all messages. The sweep sends new ones."""

    @wraps(task)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        global _times_unavailable
        try:
            result = task(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - any other is raised again
            log_if_unavailable(error)
            drain.sleep(PAUSES[min(_times_unavailable, len(PAUSES) - 1)])
            _times_unavailable += 1
            raise DatabaseUnavailable(unavailable_text(error)) from None
        _times_unavailable = 0
        return result

    return run
