"""Formats the site's logs: one line per message, even if its text contains line breaks.

`cardroom.json_logs` formats them as JSON.

A repeated warning or error is logged at most once a minute, with the number of skipped repeats. If
the database or the broker cannot be reached, the log has one line about it, without a traceback.
"""

from __future__ import annotations

import copy
import logging
import math
import re
import time
import traceback
from collections import OrderedDict
from typing import Any, Final

from celery.beat import SchedulingError
from kombu.exceptions import OperationalError as QueueError
from redis.exceptions import RedisError

from cardroom_base.core.safe_text import escape, one_line
from cardroom_base.db import database

SECONDS: Final = 60.0
"""Seconds after a line during which further lines of its kind are only counted."""
MAX_KINDS: Final = 1000
"""Maximum number of remembered kinds of lines; the kind written longest ago is forgotten first."""
_NUMBERS: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|\d+")
"""Numbers and identifiers, which may differ between two lines of a kind."""
_INVITATION: Final = r"invitation(?:=|%3D|%253D|['\"]?: ?\[?['\"])"
_MAILED: Final = "/password/reset/key/|/confirm-email/"
_SECRET: Final = re.compile(rf"((?i:{_INVITATION}))[\w-]+|({_MAILED})[^/\s'\"]+")
"""The invitation from a link to an open seat or a tournament, in an address or in parsed fields;
the secret part of the path of a link that was mailed or that staff passed on."""
_CELERY: Final = ("celery", "kombu")


class Lines(logging.Formatter):
    """Escapes characters that would move a terminal's cursor, hide text, or begin a new line.

    It also removes the secrets of links, so that readers of a log cannot use them.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback below it."""
        return without_secrets(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line."""
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """The escaped traceback."""
        return escape(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        """The escaped stack."""
        return escape(super().formatStack(stack_info))


def without_secrets(text: str) -> str:
    """The text without invitations, and without the secrets of links to set a password or to
    confirm an e-mail address."""
    return _SECRET.sub(r"\1\2***", text)


class Console(logging.StreamHandler[Any]):
    """Writes at most one warning or error of a kind per minute, and all records of lower levels."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: OrderedDict[Any, tuple[float, int]] = OrderedDict()
        """By kind: the time of its last line, and the number of lines skipped since."""

    def handle(self, record: logging.LogRecord) -> bool:
        """Write the record, unless one of its kind was written less than a minute ago."""
        if record.levelno < logging.WARNING:
            return super().handle(record)
        record = _shortened(record)
        skipped = self._count_skipped(_kind(record))
        if skipped is None:
            return False
        if skipped:
            text = f"{record.getMessage()} ({skipped} more like this since the last line)"
            record.msg, record.args = text, None
        return super().handle(record)

    def _count_skipped(self, kind: Any) -> int | None:
        """The number of similar records skipped before this one; None if this one is skipped."""
        now = time.monotonic()
        self.acquire()  # the handler's lock, which logging recreates after a fork
        try:
            written, count = self._kinds.get(kind, (-math.inf, 0))
            if now - written < SECONDS:
                self._kinds[kind] = written, count + 1
                return None
            self._kinds[kind] = now, 0
            self._kinds.move_to_end(kind)
            if len(self._kinds) > MAX_KINDS:
                self._kinds.popitem(last=False)
            return count
        finally:
            self.release()


def unreachable_part(error: object) -> str:
    """The part of the site that this error shows to be unreachable; empty for other errors."""
    if isinstance(error, SchedulingError):
        error = error.__context__  # beat wraps the error of each job that it cannot send
    if isinstance(error, RedisError | QueueError):
        return "The message broker"
    return (
        "The database" if isinstance(error, Exception) and database.means_unavailable(error) else ""
    )


def _shortened(record: logging.LogRecord) -> logging.LogRecord:
    """A copy. If its error only means that a part cannot be reached, a line about the part replaces
    its message and traceback."""
    record = copy.copy(record)
    error = record.exc_info[1] if record.exc_info else None
    if part := unreachable_part(error):
        record.msg, record.args = "%s cannot be reached: %s", (part, _first_line(error))
        record.exc_info = record.exc_text = None
    return record


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _kind(record: logging.LogRecord) -> Any:
    """A key that is equal for similar records.

    Numbers are ignored in records that carry an exception and in Celery's own records, because they
    identify a task or a match. Other records must be exactly equal. Code that logs foreign text
    passes a `kind` itself (`extra`); otherwise strangers could create any number of kinds.
    """
    if kind := getattr(record, "kind", None):
        return record.name, kind
    error = record.exc_info[1] if record.exc_info else None
    arguments = record.args if isinstance(record.args, tuple) else ()
    if error is None and not any(isinstance(argument, BaseException) for argument in arguments):
        text = record.getMessage()
        return record.name, _without_numbers(text) if record.name.startswith(_CELERY) else text
    last = traceback.extract_tb(error.__traceback__)[-1:] if error else []
    place = [(frame.filename, frame.lineno) for frame in last]
    texts = [
        _without_numbers(value)
        for value in (error, *arguments)
        if isinstance(value, BaseException | str)
    ]
    return record.name, _without_numbers(record.msg), type(error), *place, *texts


def _without_numbers(value: object) -> str:
    return _NUMBERS.sub("#", str(value)[:500])
