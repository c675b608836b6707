"""Celery tasks of the tournaments app, and what a worker does when it starts and stops.

A message says that there is work; what it is, the database says.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from typing import Any

from celery import shared_task
from celery.signals import worker_init, worker_process_init, worker_process_shutdown
from django.db import DatabaseError, InterfaceError, OperationalError, connections
from django.db.models import Exists, OuterRef, Q

from bots import outbox
from bots.actions import CHECK_TASK, TRIAL_TASK, ActionError, unfinished_checks
from bots.models import BotVersion
from tournaments import play, projections
from tournaments.actions import advance, start_trial
from tournaments.actions.playing import release_worker, sweep_attempts
from tournaments.actions.scheduling import PLAY_TASK
from tournaments.models import Match, Tournament
from tournaments.pairing import OWN_SYSTEMS, SYSTEMS

log = logging.getLogger(__name__)

MAX_WAKE = 200
"""Messages that one sweep sends; the next one looks again."""
REST = 9
"""Ratings rest for so many times as long as they took: a tenth of a processor for them."""

_rested = 0.0


@shared_task(bind=True, name=PLAY_TASK)
def play_matches(self: Any) -> int:
    """Play what waits, for about a second; how many matches got their result."""
    sandbox, cpu = play.place(_process_index())
    worker = f"{self.request.hostname}/{os.getpid()}"
    return play.play_batch(worker, sandbox, cpu, on_hang=_end_hung_process)


@shared_task(name=TRIAL_TASK)
def try_candidate(version: int) -> bool:
    """Try a version that was uploaded as a candidate and has passed its check; whether it began.

    Where it cannot be tried now (another one is, say), its owner may start the trial later.
    """
    found = BotVersion.objects.filter(pk=version).first()
    if found is None or found.trials.exists():
        return False
    try:
        start_trial(found, None)
    except ActionError as error:
        log.info("Version %d is not tried: %s", version, error)
        return False
    return True


@shared_task(name="tournaments.tasks.relay_outbox")
def relay_outbox() -> int:
    """Send the messages that could not be sent when their work was made; how many."""
    return outbox.relay()


@shared_task(name=projections.RATINGS_TASK)
def refresh_ratings() -> bool:
    """Bring the ratings up to date, unless that was just done and takes long; whether it was."""
    global _rested
    began = time.monotonic()
    if began < _rested:
        return False  # the periodic call comes again
    projections.refresh()
    _rested = time.monotonic() + REST * (time.monotonic() - began)
    return True


@shared_task(name="tournaments.tasks.sweep")
def sweep() -> dict[str, int]:
    """Mend what lost workers and lost messages left behind; what was done, for the log."""
    done = {
        "lost": sweep_attempts(),
        "advanced": sum(map(_advance, stalled_tournaments())),
        "woken": wake(),
        "purged": outbox.purge(),
    }
    if any(done.values()):
        log.info("Swept: %s", ", ".join(f"{key} {count}" for key, count in done.items() if count))
    return done


def _advance(tournament: int) -> bool:
    """Move a tournament on; what is wrong with one does not hold the others."""
    try:
        return advance(tournament)
    except (OperationalError, InterfaceError):
        raise  # the database is away: nothing more can be done
    except Exception:
        log.exception("Tournament %d cannot be moved on.", tournament)
        return False


def stalled_tournaments() -> list[int]:
    """Running tournaments in which nothing is left to play: a worker died before moving on.

    And all that have no end: whether enough waits there, their systems know.
    """
    unfinished = Match.objects.filter(tournament=OuterRef("pk"), state__in=Match.UNFINISHED)
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    endless = [each.name for each in (*SYSTEMS.values(), *OWN_SYSTEMS.values()) if each.endless]
    stalled = running.filter(~Exists(unfinished) | Q(stages__system__in=endless))
    return list(stalled.distinct().order_by("pk").values_list("pk", flat=True))


def wake() -> int:
    """Where work waits and its queue is empty, messages were lost: send them again; how many."""
    sent = 0
    if checks := unfinished_checks()[:MAX_WAKE]:
        sent += _wake(CHECK_TASK, "checks", [{"version": version} for version in checks])
    waiting = Match.objects.filter(state=Match.State.WAITING)[:MAX_WAKE].count()
    if waiting:
        sent += _wake(PLAY_TASK, "matches", [{}] * waiting)
    return sent


def _wake(task: str, queue: str, arguments: list[dict[str, Any]]) -> int:
    if outbox.unsent(task) or outbox.queued(queue):
        return 0
    outbox.announce_many(task, arguments)
    return len(arguments)


# --- a worker's start and stop ------------------------------------------------------------------

_node = ""


@worker_init.connect
def _begin(sender: Any = None, **_: Any) -> None:
    """A node of this name starts: processes that went by it before are gone."""
    global _node
    _node = sender.hostname
    with suppress(DatabaseError):  # the sweep will do it
        release_worker(_node, _alive, "The worker ended before the match did.")
    connections.close_all()


@worker_process_init.connect
def _begin_process(**_: Any) -> None:
    """A process of the pool starts, perhaps in the place of one that was killed."""
    if _node:
        with suppress(DatabaseError):
            release_worker(_node, _alive, "The worker process ended before the match did.")


@worker_process_shutdown.connect
def _end_process(**_: Any) -> None:
    play.leave()


def _end_hung_process() -> None:
    """Make room for a new process of the pool; the sweep gives its matches to others."""
    os._exit(os.EX_SOFTWARE)


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _process_index() -> int:
    """0, 1, … among the processes of the pool."""
    from billiard.process import current_process

    return int(getattr(current_process(), "index", 0) or 0)
