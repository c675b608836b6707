"""Tasks of workers and the housekeeper, and hooks for the start and stop of a worker.

A message only announces work; the work itself is in the database.
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
from django.db import connections
from django.db.models import Exists, OuterRef, Q

from bots.actions import CHECK_TASK, unfinished_checks
from bots.models import BotVersion
from bots.tasks import check_waiting, process_index
from bots.workers import health
from cardroom_base.core import drain
from cardroom_base.core.errors import ActionError
from cardroom_base.core.local_process import is_alive
from cardroom_base.db import database, outbox, schema_number
from engine import rules
from tournaments import analysing, projections, worker
from tournaments.actions import start_trial
from tournaments.actions.analyses import request_featured_analysis
from tournaments.actions.attempts import release_quarantined, release_worker, sweep_attempts
from tournaments.actions.live_moves import delete_ended_moves
from tournaments.actions.rounds import try_advance
from tournaments.models import Analysis, Match, PlannedGroups, Tournament
from tournaments.pairing import OWN_SYSTEMS, SYSTEMS
from tournaments.queue import scheduler
from tournaments.queue.task_names import ANALYSE_TASK, PLAY_TASK

log = logging.getLogger(__name__)

LOOP_SECONDS = 600.0
"""Duration of a playing task, after which it announces the remaining matches and ends. It continues
for as long again if the message cannot be sent."""
MAX_MESSAGES = 64
"""Maximum number of messages that one sweep sends for each kind of work."""
MAX_ANALYSIS_MESSAGES = 16
"""Maximum number of messages that one sweep sends for analyses."""
PAUSE_FACTOR = 9
"""The pause after a refresh is this many times as long, so ratings use a tenth of a processor."""

REFRESH_SECONDS = 1.0
"""Seconds after which the pause begins instead of another fit."""

_pause_end = 0.0


@shared_task(bind=True, name=PLAY_TASK)
@database.pause_if_unavailable
def play_matches(self: Any) -> int:
    """Play batches until no match waits; returns the number of results stored.

    A worker that also checks bots runs a waiting check between batches, because the message that
    announces it may be queued behind this task.
    """
    hostname = self.request.hostname
    runs_checks = "checks" in self.app.amqp.queues.consume_from
    end_time = time.monotonic() + LOOP_SECONDS
    stored_total = 0
    while True:
        if drain.draining() or time.monotonic() >= end_time:
            outbox.announce(PLAY_TASK)  # for another process
            if drain.draining() or not outbox.has_unsent(PLAY_TASK):
                return stored_total
            # The broker is unavailable, so no other process would play.
            end_time = time.monotonic() + LOOP_SECONDS
        stored = _play(hostname)
        if not stored:
            return stored_total
        stored_total += stored
        if runs_checks:
            check_waiting(hostname)


@shared_task(name=ANALYSE_TASK)
@database.pause_if_unavailable
def analyse_matches() -> bool:
    """Judge a piece of an analysis unless a match waits; return whether it was stored.

    Storing a piece announces the next one. If matches came first, the sweep announces the analysis
    again.
    """
    return (
        not drain.draining()
        and not schema_number.pause_if_incompatible()
        and analysing.analyse_piece()
    )


def _play(hostname: str) -> int:
    """Play a batch, then spend the time owed to requested analyses; return the number of results.

    An ill process waits here, so that messages reach other processes.
    """
    if schema_number.pause_if_incompatible():
        return 0
    sandbox, core = worker.sandbox_and_core(process_index())
    name = f"{hostname}/{os.getpid()}"
    process_health = health.of_process(name)
    stored = worker.play_batch(name, sandbox, core, on_hang=_end_hung_process)
    if process_health.ill:
        worker.close_sandbox()
    analysing.analyse_share()
    process_health.wait_until_ready()
    return stored


def try_candidate(version: int) -> bool:
    """Start the trial of a candidate that has passed its check; return whether it started.

    If it cannot start now, for example because another trial runs, the owner may start it later.
    """
    bot_version = BotVersion.objects.filter(pk=version).first()
    if bot_version is None or bot_version.trials.exists():
        return False
    try:
        start_trial(bot_version, None)
    except ActionError as error:
        log.info("No trial of version %d was started: %s", version, error)
        return False
    return True


def advance_tournament(tournament: int) -> bool:
    """Advance a tournament after a match has ended; return whether it changed."""
    return try_advance(tournament)


def refresh_ratings() -> bool:
    """Update the ratings for about a second; False during the pause that follows.

    The next periodic call continues.
    """
    global _pause_end
    start_time = time.monotonic()
    if start_time < _pause_end:
        return False
    while projections.refresh_next() and time.monotonic() - start_time < REFRESH_SECONDS:
        pass
    _pause_end = time.monotonic() + PAUSE_FACTOR * (time.monotonic() - start_time)
    return True


def sweep() -> dict[str, int]:
    """Repair the effects of lost workers and messages; returns the number of repairs by kind."""
    parts: dict[str, Callable[[], int]] = {
        "lost": sweep_attempts,
        "quarantined": release_quarantined,
        "advanced": advance_stalled,
        "featured": request_featured_analysis,
        "woken": announce_waiting,
        "purged": outbox.purge,
        "live": delete_ended_moves,
    }
    counts = {
        name: database.try_piece(f"The sweep’s part “{name}”", function) or 0
        for name, function in parts.items()
    }
    if any(counts.values()):
        log.info("Swept: %s", ", ".join(f"{name} {n}" for name, n in counts.items() if n))
    return counts


def advance_stalled() -> int:
    """Advance stalled tournaments; return the number that changed.

    Locked ones are left to the next sweep.
    """
    with database.short_lock_timeout():
        return sum(
            database.try_piece(f"Tournament {tournament}", try_advance, tournament) or False
            for tournament in stalled_tournaments()
        )


def stalled_tournaments() -> list[int]:
    """Running tournaments without unfinished matches or with planned ones, because a process died
    before it advanced them.

    Includes all endless tournaments, whose pairing systems decide whether enough matches wait.
    """
    unfinished = Match.objects.filter(tournament=OuterRef("pk"), state__in=Match.UNFINISHED)
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    endless = [
        system.name for system in (*SYSTEMS.values(), *OWN_SYSTEMS.values()) if system.endless
    ]
    planned = PlannedGroups.objects.filter(tournament=OuterRef("pk"))
    stalled = running.filter(~Exists(unfinished) | Exists(planned) | Q(stages__system__in=endless))
    return list(stalled.distinct().order_by("pk").values_list("pk", flat=True))


def announce_waiting() -> int:
    """Announce work that waits while its queue is empty; return the number of messages."""
    sent = 0
    if checks := unfinished_checks()[:MAX_MESSAGES]:
        arguments = [{"version": version} for version in checks]
        sent += _announce_if_idle(CHECK_TASK, "checks", arguments)
    if waiting := scheduler.due_matches()[:MAX_MESSAGES].count():
        sent += _announce_if_idle(PLAY_TASK, "matches", [{}] * waiting)
    elif analyses := Analysis.objects.free()[:MAX_ANALYSIS_MESSAGES].count():
        sent += _announce_if_idle(ANALYSE_TASK, "matches", [{}] * analyses)
    return sent


def _announce_if_idle(task: str, queue: str, arguments: list[dict[str, Any]]) -> int:
    if outbox.has_unsent(task):
        return 0
    try:
        if outbox.queue_length(queue):
            return 0
    except Exception as error:  # noqa: BLE001 - brokers fail in many ways; the next sweep retries
        log.warning("The message broker cannot be reached: %s", error)
        return 0
    outbox.announce_many(task, arguments)
    return len(arguments)


# --- a worker's start and stop ------------------------------------------------------------------

_node_name = ""


@worker_init.connect
def _release_node_work(sender: Any = None, **_: Any) -> None:
    """Release the work of earlier processes of this node."""
    global _node_name
    rules.editions(), schema_number.program_number()  # cache them now: the files may change later
    if "matches" not in sender.app.amqp.queues.consume_from:
        return  # a host of tables, whose role in the database may not read matches
    _node_name = sender.hostname
    with database.skip_if_unavailable():  # the sweep will do it
        release_worker(_node_name, is_alive, "The worker ended before the match did.")
    connections.close_all()


@worker_ready.connect
def _ask_for_work(sender: Any = None, **_: Any) -> None:
    """Announce waiting work, because this may be the only worker."""
    if "matches" in sender.app.amqp.queues.consume_from:
        with database.skip_if_unavailable():  # the sweep will do it
            announce_waiting()
        connections.close_all()


@worker_process_init.connect
def _release_process_work(**_: Any) -> None:
    """Release the work of the process that this one may replace."""
    worker.plan_once()
    if _node_name:
        with database.skip_if_unavailable():
            release_worker(_node_name, is_alive, "The worker process ended before the match did.")


@worker_process_shutdown.connect
def _close_sandbox(**_: Any) -> None:
    worker.close_sandbox()


def _end_hung_process() -> None:
    """Exit, so that the pool starts a new process; the sweep gives the matches to others."""
    os._exit(os.EX_SOFTWARE)
