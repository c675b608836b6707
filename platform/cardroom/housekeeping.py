"""The housekeeper does what has to be done from time to time.

It needs nothing but the database: it reads in the outbox what it is asked for. Failures are logged,
and the job comes again. Jobs are done one after another; those that may take long have their own
thread, so that no tournament waits for them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import Error, close_old_connections

from bots import database, moments, outbox, schema
from bots.actions import TRIAL_TASK
from cardroom.play import tasks as play
from cardroom.play.actions.opinions import tidy_opinions
from cardroom.play.actions.tables import tidy_tables
from cardroom.tasks import start_dump, start_keeping, stop_started, tidy_door
from tournaments import projections, tasks
from tournaments.exports import files
from tournaments.queue.messages import ADVANCE_TASK, RATINGS_TASK

log = logging.getLogger(__name__)

DAY: Final = timedelta(days=1)


@dataclass
class Job:
    """Something that is done again and again."""

    name: str
    do: Callable[[], object]
    every: float
    """Seconds from one start to the next."""
    due: float
    """When it is next due, by the machine's own clock."""
    long: bool = False
    """Whether it may take so long that others must not wait for it."""

    def run(self, now: float) -> None:
        """Do it, waiting for nobody's lock; if it fails, the others go on. Nothing is done while
        the database is of another schema than this program."""
        self.due = now + self.every
        close_old_connections()
        try:
            if schema.fits("Nothing is kept in order from here."):
                with database.impatient():
                    self.do()
        except Exception as error:
            if database.away(error):
                database.tell(error)
            else:
                log.exception("The housekeeper's part “%s” failed.", self.name)
        finally:
            close_old_connections()


def jobs(now: float) -> list[Job]:
    """All jobs; each is due at once, except the dump."""
    short: dict[str, Callable[[], object]] = {
        "asked": do_asked,
        "relay": outbox.relay,
        "sweep": tasks.sweep,
        "tables": play.sweep,
        "old tables": lambda: tidy_tables() + tidy_opinions(),
        "door": tidy_door,
        "keep": start_keeping,
    }
    long: dict[str, Callable[[], object]] = {
        "ratings asked": lambda: outbox.done_here(_LONG, _do),
        "ratings": tasks.refresh_ratings,
        "exports": files.tidy,
    }
    every = settings.HOUSEKEEPING
    found = [Job(name, do, every[name], now) for name, do in short.items()]
    found += [Job(name, do, every[name], now, long=True) for name, do in long.items()]
    if settings.DUMP_AT:
        wait = until(settings.DUMP_AT, moments.now())
        found.append(Job("dump", start_dump, DAY.total_seconds(), now + wait))
    return found


def until(at: str, now: datetime) -> float:
    """Seconds from `now` until a clock next shows `at`, such as 03:15."""
    hour, minute = map(int, at.split(":"))
    next_one = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return ((next_one - now) % DAY).total_seconds()


def keep(stop: threading.Event) -> None:
    """Do all jobs as they fall due, until `stop` is set."""
    todo = jobs(time.monotonic())
    long = [job for job in todo if job.long]
    beside = threading.Thread(target=_keep, args=(long, stop), name="long jobs")
    beside.start()
    try:
        _keep([job for job in todo if not job.long], stop)
    finally:
        stop.set()
        beside.join()
        stop_started()


def _keep(todo: list[Job], stop: threading.Event) -> None:
    while todo and not stop.is_set():
        for job in todo:
            if not stop.is_set() and time.monotonic() >= job.due:
                job.run(time.monotonic())
        stop.wait(max(0.0, min(job.due for job in todo) - time.monotonic()))


def do_asked() -> int:
    """Do the quick jobs that the outbox asks for; how many messages asked.

    Where deal groups have ended, the live ratings are moved as well, once for all of them.
    """
    answered = outbox.done_here(_SHORT, _do)
    if answered:
        projections.take_in()
    return answered


def _do(task: str, arguments: dict[str, Any]) -> None:
    try:
        {**_SHORT, **_LONG}[task](**arguments)
    except Exception as error:
        if isinstance(error, Error) or database.away(error):
            raise  # not now: it stays in the outbox
        # A mistake of ours, which must not come back for ever.
        log.exception("What the outbox asks for cannot be done: %s.", task)


_SHORT: Final[dict[str, Callable[..., object]]] = {
    ADVANCE_TASK: tasks.advance_tournament,
    TRIAL_TASK: tasks.try_candidate,
}
_LONG: Final[dict[str, Callable[..., object]]] = {RATINGS_TASK: tasks.refresh_ratings}
