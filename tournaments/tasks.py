"""What workers and the housekeeper do, and what a worker does when it starts and stops.

A message says that there is work; what it is, the database says.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Any

from celery import shared_task
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
)
from django.db import Error, connections
from django.db.models import Exists, OuterRef, Q

from bots.actions import CHECK_TASK, unfinished_checks
from bots.models import BotVersion
from bots.tasks import check_waiting
from bots.workers import health
from cardroom_base.core import drain
from cardroom_base.core.errors import ActionError
from cardroom_base.core.local_process import alive
from cardroom_base.db import database, outbox, schema
from engine import rules
from tournaments import analysing, projections, worker
from tournaments.actions import start_trial
from tournaments.actions.analyses import ask_featured
from tournaments.actions.attempts import release_worker, sweep_attempts
from tournaments.actions.live_moves import tidy_live_moves
from tournaments.actions.rounds import move_on
from tournaments.models import Analysis, Match, Tournament
from tournaments.pairing import OWN_SYSTEMS, SYSTEMS
from tournaments.queue.messages import ANALYSE_TASK, PLAY_TASK
from tournaments.queue.scheduler import DUE

log = logging.getLogger(__name__)

LOOP_SECONDS = 600.0
"""The longest that a task goes on playing; then it announces the remaining matches."""
MAX_WAKE = 64
"""How many messages one sweep sends; the next one looks again."""
MOST_ANALYSES = 16
"""How many messages a sweep sends for analyses."""
REST = 9
"""Ratings rest for this many times as long as they took: a tenth of a processor for them."""

TURNS = 1.0
"""Seconds after which no other pool is fitted before the rest."""

_rested = 0.0


@shared_task(bind=True, name=PLAY_TASK)
@database.woken
def play_matches(self: Any) -> int:
    """Play batch after batch until nothing is left to play here; the number of results stored.

    A worker that also checks bots makes one waiting check between two batches, because a message
    that asks for it may wait behind this one.
    """
    hostname = self.request.hostname
    checks = "checks" in self.app.amqp.queues.consume_from
    until = time.monotonic() + LOOP_SECONDS
    total = 0
    while not drain.draining() and time.monotonic() < until:
        stored = _play(hostname)
        if not stored:
            return total
        total += stored
        if checks:
            check_waiting(hostname)
    outbox.announce(PLAY_TASK)  # for another process
    return total


@shared_task(name=ANALYSE_TASK)
@database.woken
def analyse_matches() -> bool:
    """Make a piece of an analysis, if no match waits; whether it came further.

    What is left then is announced with the piece; what matches kept waiting, by the sweep.
    """
    return not drain.draining() and not schema.hold() and analysing.analyse_piece()


def _play(hostname: str) -> int:
    """Play a batch, then give awaited analyses what they are owed. A process that is not well rests
    in here, so that waiting messages wake others."""
    if schema.hold():
        return 0
    sandbox, cpu = worker.place(_process_index())
    name = f"{hostname}/{os.getpid()}"
    own = health.of_worker(name)
    played = worker.play_batch(name, sandbox, cpu, on_hang=_end_hung_process)
    if own.ill:
        worker.leave()
    analysing.analyse_share()
    own.rest()
    return played


def try_candidate(version: int) -> bool:
    """Try a version that was uploaded as a candidate and has passed its check; whether that began.

    If it cannot be tried now (another one is being tried, say), its owner may start it later.
    """
    bot_version = BotVersion.objects.filter(pk=version).first()
    if bot_version is None or bot_version.trials.exists():
        return False
    try:
        start_trial(bot_version, None)
    except ActionError as error:
        log.info("Version %d is not tried: %s", version, error)
        return False
    return True


def advance_tournament(tournament: int) -> bool:
    """Move a tournament on in which something has ended; whether it changed."""
    return move_on(tournament)


def refresh_ratings() -> bool:
    """Bring the ratings up to date, turn after turn for about a second; whether that was done.

    What is not done then, or asked for during the rest that follows, the periodic call does.
    """
    global _rested
    began = time.monotonic()
    if began < _rested:
        return False
    while projections.refresh_turn() and time.monotonic() - began < TURNS:
        pass
    _rested = time.monotonic() + REST * (time.monotonic() - began)
    return True


def sweep() -> dict[str, int]:
    """Repair what lost workers and lost messages left behind; what was done, for the log."""
    parts: dict[str, Callable[[], int]] = {
        "lost": sweep_attempts,
        "advanced": advance_stalled,
        "featured": ask_featured,
        "woken": wake,
        "purged": outbox.purge,
        "live": tidy_live_moves,
    }
    done = {name: _part(name, do) for name, do in parts.items()}
    if any(done.values()):
        log.info("Swept: %s", ", ".join(f"{key} {count}" for key, count in done.items() if count))
    return done


def _part(name: str, do: Callable[[], int]) -> int:
    """A part of the sweep; a failure in one does not stop the others."""
    try:
        return do()
    except Exception as error:
        if database.away(error):
            raise
        log.exception("A part of the sweep failed: %s.", name)
        return 0


def advance_stalled() -> int:
    """Move on the tournaments that wait for nothing; how many changed.

    One that somebody has locked is left to the next sweep.
    """
    changed = 0
    with database.impatient():
        for tournament in stalled_tournaments():
            try:
                changed += move_on(tournament)
            except Error as error:
                if not database.locked(error):
                    raise
                log.info("Tournament %d is locked by somebody; it is left for now.", tournament)
    return changed


def stalled_tournaments() -> list[int]:
    """Running tournaments with nothing left to play: a worker died before moving them on.

    Also all that have no end: their systems know whether enough is waiting there.
    """
    unfinished = Match.objects.filter(tournament=OuterRef("pk"), state__in=Match.UNFINISHED)
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    endless = [each.name for each in (*SYSTEMS.values(), *OWN_SYSTEMS.values()) if each.endless]
    stalled = running.filter(~Exists(unfinished) | Q(stages__system__in=endless))
    return list(stalled.distinct().order_by("pk").values_list("pk", flat=True))


def wake() -> int:
    """Send messages again where work waits and its queue is empty, so they were lost; how many."""
    sent = 0
    if checks := unfinished_checks()[:MAX_WAKE]:
        sent += _wake(CHECK_TASK, "checks", [{"version": version} for version in checks])
    waiting = Match.objects.filter(DUE, state=Match.State.WAITING)[:MAX_WAKE].count()
    if waiting:
        sent += _wake(PLAY_TASK, "matches", [{}] * waiting)
    elif analyses := Analysis.objects.free()[:MOST_ANALYSES].count():
        sent += _wake(ANALYSE_TASK, "matches", [{}] * analyses)
    return sent


def _wake(task: str, queue: str, arguments: list[dict[str, Any]]) -> int:
    if outbox.unsent(task):
        return 0
    try:
        if outbox.queued(queue):
            return 0
    except Exception as error:  # noqa: BLE001 - brokers fail in many ways; the next sweep asks
        log.warning("The message broker cannot be reached: %s", error)
        return 0
    outbox.announce_many(task, arguments)
    return len(arguments)


# --- a worker's start and stop ------------------------------------------------------------------

_node = ""


@worker_init.connect
def _begin(sender: Any = None, **_: Any) -> None:
    """A node of this name starts: earlier processes of that name are gone."""
    global _node
    _node = sender.hostname
    rules.editions(), schema.number()  # as they are now: the files may change under it
    with database.spared():  # the sweep will do it
        release_worker(_node, alive, "The worker ended before the match did.")
    connections.close_all()


@worker_ready.connect
def _ask_for_work(sender: Any = None, **_: Any) -> None:
    """Announce what waits: nobody else may be there to wake this worker."""
    if "matches" in sender.app.amqp.queues.consume_from:
        with database.spared():  # the sweep will do it
            wake()
        connections.close_all()


@worker_process_init.connect
def _begin_process(**_: Any) -> None:
    """A process of the pool starts, perhaps in place of one that was killed."""
    worker.plan_once()
    if _node:
        with database.spared():
            release_worker(_node, alive, "The worker process ended before the match did.")


@worker_process_shutdown.connect
def _end_process(**_: Any) -> None:
    worker.leave()


def _end_hung_process() -> None:
    """Make room for a new process of the pool; the sweep gives its matches to others."""
    os._exit(os.EX_SOFTWARE)


def _process_index() -> int:
    """0, 1, … among the processes of the pool."""
    from billiard.process import current_process

    return int(getattr(current_process(), "index", 0) or 0)
