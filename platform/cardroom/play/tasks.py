"""What hosts of tables and the housekeeper do. A message says which table; the rest is in it."""

from __future__ import annotations

import logging
import socket
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown
from django.db import connections

from bots import database, drain, outbox, schema
from bots.processes import alive
from cardroom.play import comparing, hinting, host, judging
from cardroom.play.actions import comparisons, hosting
from cardroom.play.messages import (
    COMPARE_TASK,
    HINT_TASK,
    LOOK_TASK,
    OPINION_TASK,
    QUEUE,
    SEAT_TASK,
)

log = logging.getLogger(__name__)


@shared_task(name=SEAT_TASK)
@database.woken
def seat_bots(table: int) -> int:
    """Play the bots of a table up to a person's move; how many moves that were."""
    return 0 if _left_alone() else host.play_bots(table)


@shared_task(name=HINT_TASK)
@database.woken
def give_hint(hint: int) -> bool:
    """Ask a house bot what it would play; whether it said so."""
    return not _left_alone() and hinting.answer(hint)


@shared_task(name=COMPARE_TASK)
@database.woken
def compare_deals(table: int) -> int:  # noqa: ARG001 - the one that waits longest comes first
    """Play finished deals again with house bots, one table after another; how many deals."""
    return 0 if _left_alone() else comparing.compare_waiting()


@shared_task(name=OPINION_TASK)
@database.woken
def give_opinion(opinion: int) -> int:  # noqa: ARG001 - the one that waits longest comes first
    """Have the expert judge moves of finished matches that people ask about; how many."""
    return 0 if _left_alone() else judging.judge_waiting()


@shared_task(name=LOOK_TASK)
@database.woken
def look() -> int:
    """What a host does that hears nothing: play where bots are to move and nobody does."""
    if _left_alone():
        return 0
    played = sum(host.play_bots(table) for table in hosting.waiting_tables())
    return played + judging.judge_waiting() + comparing.compare_waiting()


def _left_alone() -> bool:
    """Whether this process is to begin nothing: it ends, or the database is of another schema."""
    return drain.draining() or schema.hold()


def sweep() -> int:
    """Send for hosts again where messages, or hosts, were lost; how many messages were sent."""
    waiting = hosting.waiting_tables()
    compare = comparisons.waiting_tables()
    if not (waiting or compare) or outbox.unsent(SEAT_TASK) or outbox.unsent(COMPARE_TASK):
        return 0
    try:
        if outbox.queued(QUEUE):
            return 0
    except Exception as error:  # noqa: BLE001 - brokers fail in many ways; hosts look themselves
        log.warning("The message broker cannot be reached: %s", error)
        return 0
    if compare:
        outbox.announce(COMPARE_TASK, table=compare[0])
    return hosting.wake_tables(waiting)


@worker_ready.connect
def _begin(sender: Any = None, **_: Any) -> None:
    """A host starts, perhaps in the place of one that was killed: what that one held is free."""
    if QUEUE not in sender.app.amqp.queues.consume_from:
        return
    with database.spared():  # the sweep will do it
        hosting.release_dead(socket.gethostname(), alive)
        hosting.wake_tables(hosting.waiting_tables(patience=0))
    connections.close_all()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    host.leave()
