"""Housekeeping: periodic Celery tasks with a queue of their own.

`celery beat` sends them (`CELERY_BEAT_SCHEDULE`), and a worker with threads runs them, so that no
tournament waits for a long task. A failed task is logged and runs again at its next time. Timing
need not be exact, and a second beat does no harm. Several housekeepers share the queue and the
requests in the outbox.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Final

from celery import shared_task
from celery.signals import worker_shutdown
from django.db import Error, close_old_connections

from bots.actions import TRIAL_TASK
from cardroom import last_runs, webhooks
from cardroom.tasks import start_dump, start_keeping, stop_started, tidy_logins
from cardroom_base.db import database, notifications, outbox, schema_number
from cardroom_base.models import IdempotentRequest
from cardroom_tables import tasks as table_tasks
from cardroom_tables.actions.opinions import delete_old_opinions
from cardroom_tables.actions.tables import delete_old_tables
from tournaments import projections, tasks
from tournaments.actions.schedule import keep_schedule
from tournaments.exports import export_files
from tournaments.queue.task_names import ADVANCE_TASK, RATINGS_TASK

log = logging.getLogger(__name__)

TASKS: Final[dict[str, Callable[[], object]]] = {}
"""The function of each task, by the last part of the task's name."""

_locks: Final = defaultdict[str, Lock](Lock)


def run(
    name: str, function: Callable[[], object], *, lock: str = "", recorded: bool = True
) -> None:
    """Run a task; record its success, or log its failure. It waits only briefly for database locks.

    Does nothing while a task of this name or `lock` still runs, or while the database has another
    schema than this program.
    """
    task_lock = _locks[lock or name]
    if not task_lock.acquire(blocking=False):
        return
    close_old_connections()
    try:
        if schema_number.is_compatible("This housekeeper does nothing."):
            with database.short_lock_timeout():
                function()
                if recorded:
                    last_runs.record_frequent(name)
    except Exception as error:
        if database.means_unavailable(error):
            database.log_if_unavailable(error)
        else:
            log.exception("The housekeeper's task “%s” failed.", name)
    finally:
        close_old_connections()
        task_lock.release()


def housekeeping_task(
    lock: str = "", *, recorded: bool = True
) -> Callable[[Callable[[], object]], Any]:
    """Register a function as a task of the queue `housekeeping`; see `run`.

    recorded: False if the function only starts its work, which another process then records.
    """

    def decorate(function: Callable[[], object]) -> Any:
        name = function.__name__

        @wraps(function)
        def task() -> None:
            run(name, function, lock=lock, recorded=recorded)

        TASKS[name] = function
        return shared_task(name=f"cardroom.housekeeping.{name}")(task)

    return decorate


# --- short tasks ----------------------------------------------------------------------------------


@housekeeping_task()
def advance() -> None:
    """Advance the tournaments and begin the trials that the outbox requests."""
    answer_requests()


@housekeeping_task()
def relay() -> None:
    """Send the messages that could not be sent on commit."""
    outbox.relay()


@housekeeping_task()
def sweep() -> None:
    """Find lost attempts, stalled tournaments and unannounced work, and continue them."""
    tasks.sweep()


@housekeeping_task()
def schedule() -> None:
    """Start and stop tournaments at their times."""
    keep_schedule()


@housekeeping_task()
def tables() -> None:
    """Announce tables, hints, comparisons and opinions that no host has begun."""
    table_tasks.sweep()


@housekeeping_task()
def old_tables() -> None:
    """Delete people's tables and opinions that are too old."""
    delete_old_tables()
    delete_old_opinions()


@housekeeping_task()
def door() -> None:
    """Delete old log-in failures, sessions, tokens, notifications, deliveries and responses."""
    tidy_logins()
    notifications.purge()
    IdempotentRequest.objects.expired().delete()


@housekeeping_task()
def keep() -> None:
    """Count bot statistics and recompute stale cached data, in a separate process."""
    start_keeping()


@housekeeping_task(recorded=False)
def dump() -> None:
    """Write the dump of all public data, in a separate process."""
    start_dump()


@housekeeping_task()
def deliver() -> None:
    """Send notifications to webhooks."""
    webhooks.send_due()


# --- long tasks -----------------------------------------------------------------------------------


@housekeeping_task(lock="ratings")
def asked_ratings() -> None:
    """Fit the ratings if the outbox requests it."""
    outbox.answer_requests(_LONG_TASKS, _answer)


@housekeeping_task(lock="ratings")
def ratings() -> None:
    """Fit the ratings."""
    tasks.refresh_ratings()


@housekeeping_task()
def exports() -> None:
    """Delete export files that are too old or exceed the limit."""
    export_files.delete_expired()


@worker_shutdown.connect
def _stop_started(**_: Any) -> None:
    """Stop the separate processes when the housekeeper stops."""
    stop_started()


# --- requests in the outbox ----------------------------------------------------------------------


def answer_requests() -> int:
    """Do the short work that the outbox requests, then update the live ratings once for all of it;
    return the number of requests."""
    count = outbox.answer_requests(_SHORT_TASKS, _answer, shared=True)
    if count:
        projections.update_live()
    return count


def _answer(task: str, arguments: dict[str, Any]) -> None:
    try:
        {**_SHORT_TASKS, **_LONG_TASKS}[task](**arguments)
    except Exception as error:
        if isinstance(error, Error) or database.means_unavailable(error):
            raise  # a temporary failure: the message stays in the outbox
        # This is a bug of ours; the message must not return forever.
        log.exception("The outbox requests %s, which failed.", task)


_SHORT_TASKS: Final[dict[str, Callable[..., object]]] = {
    ADVANCE_TASK: tasks.advance_tournament,
    TRIAL_TASK: tasks.try_candidate,
}
_LONG_TASKS: Final[dict[str, Callable[..., object]]] = {RATINGS_TASK: tasks.refresh_ratings}
