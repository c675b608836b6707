"""Work is announced in the transaction that makes it and sent after it.

The database alone decides which work has to be done; a message only announces that there is some.
The sweep replaces lost messages; duplicates find nothing to do. The housekeeper's tasks are not
sent at all: it reads them here (`done_here`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import Error, transaction
from django.db.models import QuerySet
from kombu.exceptions import ChannelError

from cardroom_base.db import database
from cardroom_base.db.db_time import Now
from cardroom_base.models import OutboxMessage

log = logging.getLogger(__name__)

RELAY_LIMIT = 100
"""Messages sent on commit, where a person may be waiting; the periodic relay sends the rest."""
BROKEN_SECONDS = 5.0
"""Seconds without sending on commit after a failure, so that a dead broker slows no page."""
MOST_ASKED = 1000
"""Messages to the housekeeper that one call reads."""
KEEP = timedelta(days=1)
"""How long sent messages are kept, for people who ask what happened."""
NOT_FOUND = "404"
"""AMQP's code for a queue that does not exist; kombu's own transports have it as text."""

_broken_until = 0.0


def announce(task: str, **arguments: Any) -> None:
    """Note that `task` has work. It is sent once the transaction has been committed, or, if it is
    one of the housekeeper's tasks, waits for the housekeeper."""
    announce_many(task, [arguments])


def announce_many(task: str, arguments: Sequence[dict[str, Any]]) -> None:
    """Note one message for each dict of arguments."""
    OutboxMessage.objects.bulk_create(
        [OutboxMessage(task=task, arguments=argument) for argument in arguments], batch_size=500
    )
    if task not in settings.HOUSEKEEPER_TASKS:
        transaction.on_commit(_relay_quietly, robust=True)


def _relay_quietly() -> None:
    """Send now if the broker is reachable; otherwise the periodic relay will send."""
    if time.monotonic() < _broken_until:
        return
    with database.spared():
        relay(RELAY_LIMIT)


def relay(limit: int = 1000) -> int:
    """Send what has not been sent, oldest first; how many were sent.

    Two simultaneous relays may send a message twice, which changes nothing. Equal messages are
    not merged: each stands for other work. A failure of the database is raised;
    when the broker fails, the messages stay here.
    """
    global _broken_until
    unsendable = settings.HOUSEKEEPER_TASKS
    messages = _unsent().exclude(task__in=unsendable)
    sent: list[int] = []
    for message in list(messages[:limit]):
        try:
            current_app.send_task(message.task, kwargs=message.arguments, retry=False)
        except Exception as error:  # noqa: BLE001 - brokers fail in many ways; the message stays
            _broken_until = time.monotonic() + BROKEN_SECONDS
            log.warning("The message broker cannot be reached: %s", error)
            break
        sent.append(message.pk)
    _mark_sent(sent)
    return len(sent)


def done_here(tasks: Collection[str], do: Callable[[str, dict[str, Any]], object]) -> int:
    """Do what messages for these tasks ask of the housekeeper; how many messages were answered.

    Oldest first, and only once for equal messages. `do` gets task and arguments. Where somebody
    holds what it needs, the message stays and the next is tried; any other error is raised.
    """
    groups: dict[str, list[OutboxMessage]] = {}
    for message in _unsent().filter(task__in=tasks)[:MOST_ASKED]:
        groups.setdefault(f"{message.task} {message.arguments}", []).append(message)
    answered = 0
    for messages in groups.values():
        try:
            do(messages[0].task, messages[0].arguments)
        except Error as error:
            if not database.locked(error):
                raise
            log.info("%s waits: %s", messages[0].task, database.in_words(error))
            continue
        # Results ask so often that nobody wants to read them afterwards.
        answered += OutboxMessage.objects.filter(
            pk__in=[message.pk for message in messages]
        ).delete()[0]
    return answered


def _unsent() -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(sent__isnull=True)


def _mark_sent(keys: Sequence[int]) -> None:
    if keys:
        OutboxMessage.objects.filter(pk__in=keys).update(sent=Now())


def unsent(task: str, waiting: timedelta = timedelta()) -> bool:
    """Whether messages for this task have waited at least this long without being sent."""
    rows = _unsent().filter(task=task)
    return rows.filter(created__lte=Now() - waiting).exists()


def queued(queue: str) -> int:
    """The number of messages in a queue of the broker, without messages that workers hold.

    Zero while the queue does not exist yet.
    """
    with current_app.connection_for_read() as connection:
        channel: Any = connection.default_channel  # the stubs know only what every channel can do
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except ChannelError as error:
            if str(error.reply_code) != NOT_FOUND:
                raise
            return 0


def purge() -> int:
    """Delete messages that were sent long ago; how many."""
    old = OutboxMessage.objects.filter(sent__lt=Now() - KEEP)
    return old.delete()[0]
