"""Tasks of table hosts, the sweep, and hooks for a host's start and stop."""

from __future__ import annotations

import logging
import socket
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown
from django.conf import settings
from django.db import connections

from bots.sandbox import detect
from cardroom_base.core.local_process import is_alive
from cardroom_base.db import database, outbox, schema_number
from cardroom_base.db.jobs import release_jobs_of_dead
from cardroom_tables import serving
from cardroom_tables.actions import hosting
from cardroom_tables.fair_queue import Kind
from cardroom_tables.host_task_names import COMPARE_TASK, HINT_TASK, OPINION_TASK, QUEUE, SEAT_TASK
from cardroom_tables.hosts import REPORT_SECONDS
from cardroom_tables.models import ComparisonJob, Hint, Opinion, Table
from cardroom_tables.overdue_work import TASKS, announce_work, overdue_keys

log = logging.getLogger(__name__)


@shared_task(name=SEAT_TASK)
@database.pause_if_unavailable
def seat_bots(table: int) -> int:
    """Play the bots of a table up to a person's move."""
    return _submit("table", table)


@shared_task(name=HINT_TASK)
@database.pause_if_unavailable
def give_hint(hint: int) -> int:
    """Have a house bot answer a hint."""
    return _submit("hint", hint)


@shared_task(name=COMPARE_TASK)
@database.pause_if_unavailable
def compare_deals(table: int) -> int:
    """Replay the finished deals of a table with house bots."""
    return _submit("comparison", table)


@shared_task(name=OPINION_TASK)
@database.pause_if_unavailable
def give_opinion(opinion: int) -> int:
    """Have the expert judge a move of a finished match."""
    return _submit("opinion", opinion)


def _submit(kind: Kind, key: int) -> int:
    """Queue work; return the number of pieces: 0 if the database has another schema."""
    return 0 if schema_number.pause_if_incompatible() else serving.submit(kind, [key])


def sweep() -> int:
    """Announce overdue work with a lost message or host; return the number of messages."""
    lost = overdue_keys()
    if not any(lost.values()) or any(outbox.has_unsent(task) for task, _ in TASKS.values()):
        return 0
    try:
        if outbox.queue_length(QUEUE):
            return 0
    except Exception as error:  # noqa: BLE001 - brokers fail in many ways; the next sweep retries
        log.warning("The message broker cannot be reached: %s", error)
        return 0
    return sum(announce_work(kind, keys) for kind, keys in lost.items())


@worker_ready.connect
def _begin(sender: Any = None, **_: Any) -> None:
    """Release the work of dead hosts of this machine, and announce waiting tables."""
    if QUEUE not in sender.app.amqp.queues.consume_from:
        return
    sender.timer.call_repeatedly(REPORT_SECONDS, _report, (sender,))
    _report(sender)
    with database.skip_if_unavailable():  # the sweep will do it
        for model in (Table, Hint, ComparisonJob, Opinion):
            release_jobs_of_dead(model.objects.all(), socket.gethostname(), is_alive)
        announce_work("table", hosting.waiting_tables(patience=0))
    connections.close_all()


def _report(host: Any) -> None:
    isolation = detect()
    with database.skip_if_unavailable():  # the next report will do
        hosting.report_host(host.hostname, isolation, settings.TABLE_WORKERS)
    connections.close_all()


@worker_shutdown.connect
def _leave(sender: Any = None, **_: Any) -> None:
    if QUEUE in sender.app.amqp.queues.consume_from:
        serving.stop()
        with database.skip_if_unavailable():
            hosting.forget_host(sender.hostname)
