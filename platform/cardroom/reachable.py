"""Checks within a bounded time whether database and broker answer.

A frozen server may keep a connection waiting for minutes, whatever its time-outs. So each check
runs in a thread of its own, which serves all callers, and which the process abandons at its end.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from celery import current_app
from django.conf import settings
from django.db import connections

from cardroom_base.db import schema_number

log = logging.getLogger(__name__)

WAIT_SECONDS: Final = 2.0
"""Seconds to wait for an answer."""
SILENT: Final = f"It has not answered within {WAIT_SECONDS:.0f} seconds."


class ReachabilityCheck:
    """Checks whether a part of the site answers; the result is valid for some seconds."""

    def __init__(self, ask: Callable[[], str], valid_seconds: float) -> None:
        self._ask = ask
        self._valid_seconds = valid_seconds
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._began = -float("inf")
        self._answer = ""
        self._running = False

    def trouble(self) -> str:
        """Why the part does not answer: a sentence that names no hosts; empty if it answers."""
        with self._lock:
            if not self._running and time.monotonic() - self._began >= self._valid_seconds:
                self._began, self._running = time.monotonic(), True
                self._answered.clear()
                threading.Thread(target=self._run, name="check", daemon=True).start()
            seconds_left = self._began + WAIT_SECONDS - time.monotonic()
        return self._answer if self._answered.wait(max(0.0, seconds_left)) else SILENT

    def forget(self) -> None:
        """Discard the result, so that the next caller checks again."""
        self._began = -float("inf")

    def _run(self) -> None:
        try:
            self._answer = self._ask()
        except Exception as error:  # noqa: BLE001 - drivers fail in many ways
            log.warning("A check failed: %s: %s", type(error).__name__, error)
            self._answer = "It cannot be reached."
        finally:
            connections.close_all()  # those of this thread
            with self._lock:
                self._running = False
                self._answered.set()


def _schema_misfit() -> str:
    return schema_number.incompatibility(
        schema_number.database_number(), schema_number.program_number()
    )


def _ask_broker() -> str:
    with current_app.connection_for_read() as connection:
        # `connect` would try again after two seconds.
        connection.transport.close_connection(connection.transport.establish_connection())
    return ""


database: Final = ReachabilityCheck(_schema_misfit, 1.0)
"""Whether the database answers, and has this program's schema."""
broker: Final = ReachabilityCheck(_ask_broker, 5.0)
"""Whether the message broker answers."""


def troubles() -> dict[str, str]:
    """The parts that keep this process from serving, each with a sentence.

    The broker counts only if the site's settings name one.
    """
    checks = {"database": database} | ({} if settings.EMBEDDED_BROKER else {"broker": broker})
    sentences = {part: check.trouble() for part, check in checks.items()}
    return {part: sentence for part, sentence in sentences.items() if sentence}
