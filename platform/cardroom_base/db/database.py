"""Detects that the database is away, and waits or retries.

"Away" is any failure that may pass: a server that is gone or takes no writes, a full disk, a lock
of another session. A mistake in a query is not: it fails immediately.
"""

from __future__ import annotations

import logging
import sqlite3
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
"""How long work that will be tried again anyway waits for a lock (`impatient`): for a row of
PostgreSQL, and for the one lock of SQLite, which passes from hand to hand."""
LONGEST_IDLE: Final = "10min"
"""At most, between two statements of long work (`patient`): then a frozen host loses its locks."""
PAUSES: Final = (0.5, 1.0, 2.0, 4.0)
"""Seconds that a process rests when it finds the database away, by how often in a row. Shorter than
the time that a worker has for ending in good order."""

_OURS: Final = (IntegrityError, DataError, ProgrammingError, NotSupportedError)
_KINDS: Final = {
    kind.__name__: kind
    for kind in (*_OURS, InternalError, OperationalError, InterfaceError, DatabaseError, Error)
}
_CLASSES: Final = frozenset({"08", "40", "53", "57", "58"})
"""Classes of SQLSTATE: lost connections, clashes, full disks, shutdowns, time-outs, I/O errors."""
_STATES: Final = frozenset({"25006", "25P03", "25P04", "55006", "55P03"})
"""Read-only; ended because it was idle or took too long in a transaction; in use; locked."""
_LOCKED: Final = frozenset({"40P01", "55P03"})
_SQLITE: Final = frozenset(
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


# --- what an error means ------------------------------------------------------------------------


def away(error: BaseException) -> bool:
    """Whether this means that the database cannot be reached, or cannot take it now."""
    error = _as_django_says(error)
    cause = error.__cause__
    if isinstance(error, InterfaceError):
        return not isinstance(cause, sqlite3.Error)  # there it means a value that cannot be stored
    if not isinstance(error, DatabaseError) or isinstance(error, _OURS):
        return False
    if state := _state(error):
        return state in _STATES or state[:2] in _CLASSES
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in _SQLITE
    return isinstance(error, OperationalError)  # a connection that was lost has no code


def locked(error: BaseException) -> bool:
    """Whether somebody holds a row, and nothing else is wrong: other rows may be free.

    Never on SQLite, where a writer holds everything.
    """
    error = _as_django_says(error)
    return isinstance(error, DatabaseError) and _state(error) in _LOCKED


def _as_django_says(error: BaseException) -> BaseException:
    """The error as Django would have raised it. Where it does not stand between, as when a
    server-side cursor closes, psycopg raises its own; the names of their classes are the same."""
    for kind in type(error).__mro__:
        if kind.__module__.partition(".")[0] == "psycopg" and kind.__name__ in _KINDS:
            django_error = _KINDS[kind.__name__](*error.args)
            django_error.__cause__ = error
            return django_error
    return error


def _state(error: BaseException) -> str:
    """The SQLSTATE; empty where there is none."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def in_words(error: BaseException) -> str:
    """A line for the log about a database that is away."""
    error = _as_django_says(error)
    state, lite = _state(error), isinstance(error.__cause__, sqlite3.Error)
    lost = state.startswith(("08", "57P")) or not (state or lite)
    first_line = str(error).partition("\n")[0]
    return f"The database {'cannot be reached' if lost else 'cannot take this now'}: {first_line}"


def leave() -> None:
    """Give up a connection that may be broken; the next query makes another."""
    if not connection.in_atomic_block:
        connection.close()


@contextmanager
def spared() -> Iterator[None]:
    """Skip the work in this block, with a line in the log, if the database is away."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - any other is raised again
        tell(error)


def tell(error: Exception) -> None:
    """Log that the database is away, and go on; any other error is raised."""
    if not away(error):
        raise error
    # A row that somebody holds for a moment is not worth a word.
    log.log(logging.INFO if locked(error) else logging.WARNING, in_words(error))
    leave()


# --- how long to wait ---------------------------------------------------------------------------


@contextmanager
def impatient() -> Iterator[None]:
    """Wait for nobody's lock: what is held is left to the next time. Then the error is `away`."""
    if connection.vendor == "sqlite":
        with _busy_timeout(BUSY_SECONDS):
            yield
    else:
        with _settings(lock_timeout=f"{LOCK_SECONDS * 1000:.0f}ms"):
            yield


@contextmanager
def patient() -> Iterator[None]:
    """No time limit for a statement, and a long one between two, for work known to take long.

    For PostgreSQL; SQLite has no such bounds.
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
        before = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
    try:
        yield
    finally:
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {before}")


@contextmanager
def _settings(**settings: str) -> Iterator[None]:
    """Settings of PostgreSQL for the block; inside a transaction for no longer than that."""
    inside = connection.in_atomic_block
    before = _set(settings, local=inside)
    try:
        yield
    finally:
        # A failed transaction undoes them itself; a lost connection has forgotten them.
        with suppress(Error):
            _set(before, local=inside)


def _set(settings: dict[str, str], *, local: bool) -> dict[str, str]:
    """What these settings were before."""
    columns = ", ".join("current_setting(%s), set_config(%s, %s, %s)" for _ in settings)
    values = [
        argument for name, value in settings.items() for argument in (name, name, value, local)
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", values)
        return dict(zip(settings, cursor.fetchone()[::2], strict=True))


# --- tasks --------------------------------------------------------------------------------------

_misses = 0
"""How many tasks of this process in a row found the database away."""


class Away(Ignore):
    """Raised by a task that found the database away and logged it. Celery counts no failure."""


def woken(task: Callable[P, T]) -> Callable[P, T]:
    """Decorate a task that a message starts: pause while the database is away, so that messages
    are not all used up. The sweep sends new ones."""

    @wraps(task)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        global _misses
        try:
            result = task(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - any other is raised again
            tell(error)
            drain.rest(PAUSES[min(_misses, len(PAUSES) - 1)])
            _misses += 1
            raise Away(in_words(error)) from None
        _misses = 0
        return result

    return run
