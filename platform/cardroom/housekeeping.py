"""The housekeeper: what has to be done from time to time, one after the other.

It needs the database and nothing else: what it is asked for it reads in the outbox. What fails is
said, and comes again.
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

from bots import database, moments, outbox
from bots.actions import TRIAL_TASK
from cardroom.tasks import start_dump, start_keeping, tidy_door
from tournaments import tasks
from tournaments.exports import files
from tournaments.queue.messages import RATINGS_TASK

log = logging.getLogger(__name__)

DAY: Final = timedelta(days=1)


@dataclass
class Job:
    """Something that is done again and again."""

    name: str
    do: Callable[[], object]
    every: float
    """Seconds from one beginning to the next."""
    due: float
    """When it is done next, by the machine's own clock."""

    def run(self, now: float) -> None:
        """Do it, waiting for nobody's lock; what goes wrong with it does not hold up the others."""
        self.due = now + self.every
        close_old_connections()
        try:
            with database.impatient():
                self.do()
        except Exception as error:
            if isinstance(error, Error) and database.away(error):
                database.tell(error)
            else:
                log.exception("The housekeeper's part “%s” failed.", self.name)
        finally:
            close_old_connections()


def jobs(now: float) -> list[Job]:
    """All that is to be done; the first time at once, but the dump."""
    parts: dict[str, Callable[[], object]] = {
        "asked": lambda: outbox.done_here(_asked),
        "relay": outbox.relay,
        "sweep": tasks.sweep,
        "ratings": tasks.refresh_ratings,
        "door": tidy_door,
        "keep": start_keeping,
        "exports": files.tidy,
    }
    found = [Job(name, do, settings.HOUSEKEEPING[name], now) for name, do in parts.items()]
    if settings.DUMP_AT:
        wait = until(settings.DUMP_AT, moments.now())
        found.append(Job("dump", start_dump, DAY.total_seconds(), now + wait))
    return found


def until(at: str, now: datetime) -> float:
    """Seconds to the next time that a clock shows `at`, such as 03:15; now shows itself."""
    hour, minute = map(int, at.split(":"))
    next_one = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return ((next_one - now) % DAY).total_seconds()


def keep(stop: threading.Event) -> None:
    """Do all jobs when they are due, until `stop` is set."""
    todo = jobs(time.monotonic())
    while not stop.is_set():
        for job in todo:
            if not stop.is_set() and time.monotonic() >= job.due:
                job.run(time.monotonic())
        stop.wait(max(0.0, min(job.due for job in todo) - time.monotonic()))


def _asked(task: str, arguments: dict[str, Any]) -> None:
    try:
        _ASKED[task](**arguments)
    except Error:
        raise  # not now: it stays in the outbox
    except Exception:  # a mistake of ours, which must not be asked for for ever
        log.exception("What the outbox asks for cannot be done: %s.", task)


_ASKED: Final[dict[str, Callable[..., object]]] = {
    RATINGS_TASK: tasks.refresh_ratings,
    TRIAL_TASK: tasks.try_candidate,
}
