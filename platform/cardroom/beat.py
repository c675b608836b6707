"""Beat's scheduler, which sends nothing while nobody reads its messages."""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from celery import beat

from cardroom_base.db import outbox

log = logging.getLogger(__name__)

QUEUE: Final = "housekeeping"
"""The queue of all tasks that beat sends."""
MAX_WAITING: Final = 1000
"""Messages in the queue above which beat sends no more; a working housekeeper leaves a few."""
CHECK_SECONDS: Final = 10.0
"""Seconds between two readings of the queue's length."""


class Scheduler(beat.Scheduler):
    """Sends tasks when they are due, unless many messages wait for the housekeeper.

    Redis keeps even expired messages in memory: hundreds of megabytes a day.
    """

    _next_check = 0.0
    _is_full = False

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        """Send the message of a task, unless the queue is full."""
        if time.monotonic() >= self._next_check:
            self._next_check = time.monotonic() + CHECK_SECONDS
            self._check_queue()
        return None if self._is_full else super().apply_async(*args, **kwargs)

    def _check_queue(self) -> None:
        try:
            count = outbox.queue_length(QUEUE)
        except Exception:  # noqa: BLE001 - brokers fail in many ways; sending fails, too, and logs it
            count = 0
        if count > MAX_WAITING and not self._is_full:
            log.error(
                "%d messages wait for the housekeeper, so beat sends none. Start the housekeeper.",
                count,
            )
        self._is_full = count > MAX_WAITING
