"""Announces work in the transaction that creates it, and sends the message after the commit.

Only the database defines the work; a message just announces it. The sweep replaces lost messages;
a duplicate finds nothing to do. Messages to the housekeeper are not sent: it reads them here
(`answer_requests`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from kombu.exceptions import ChannelError

from cardroom_base.db import database
from cardroom_base.db.db_time import Now
from cardroom_base.models import OutboxMessage

log = logging.getLogger(__name__)

RELAY_LIMIT = 100
"""Messages sent on commit, while a person may be waiting; the periodic relay sends others."""
BROKEN_SECONDS = 5.0
"""Seconds after a failure in which commits send nothing, so that a dead broker slows no page."""
MAX_REQUESTS = 1000
"""Messages to the housekeeper that one call of `answer_requests` reads."""
KEEP = timedelta(days=1)
"""How long sent messages are kept, for people who investigate an incident."""
NOT_FOUND = "404"
"""The code for a missing queue, which is a number in AMQP and text in kombu's own transports."""

_broken_until = 0.0


def announce(task: str, **arguments: Any) -> None:
    """Announce work for `task`. The message is sent after the commit; a housekeeper's task waits
    until the housekeeper reads it."""
    announce_many(task, [arguments])


def announce_many(task: str, arguments: Sequence[dict[str, Any]]) -> None:
    """Announce one message for each dict of arguments."""
    OutboxMessage.objects.bulk_create(
        [OutboxMessage(task=task, arguments=argument) for argument in arguments], batch_size=500
    )
    if task not in settings.HOUSEKEEPER_TASKS:
        transaction.on_commit(_relay_quietly, robust=True)


def _relay_quietly() -> None:
    """Send now if the broker can be reached; otherwise the periodic relay will."""
    if time.monotonic() < _broken_until:
        return
    with database.skip_if_unavailable():
        relay(RELAY_LIMIT)


def relay(limit: int = 1000) -> int:
    """Send unsent messages, oldest first; return their number.

    Two simultaneous relays may send a message twice, which is harmless. Equal messages are all
    sent, since each announces other work. Database errors propagate; if the broker fails, the
    messages stay unsent.
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


def answer_requests(
    tasks: Collection[str], do: Callable[[str, dict[str, Any]], object], *, shared: bool = False
) -> int:
    """Do the housekeeper's tasks that messages request; return the number of messages answered.

    The oldest comes first, and equal messages are answered together. `do` receives task and
    arguments. If a task fails, its oldest message stays for later (`database.try_piece`). `shared`:
    each task is a short transaction that locks its messages, so that several housekeepers do
    different tasks.
    """
    groups: dict[str, list[OutboxMessage]] = {}
    for message in _unsent().filter(task__in=tasks)[:MAX_REQUESTS]:
        groups.setdefault(f"{message.task} {message.arguments}", []).append(message)
    answered = 0
    for messages in groups.values():
        name = f"{messages[0].task} {messages[0].arguments}"
        count = database.try_piece(name, _answer_locked if shared else _answer, messages, do)
        if count is None:
            _drop_repeats(messages)
        answered += count or 0
    return answered


@transaction.atomic
def _drop_repeats(messages: Sequence[OutboxMessage]) -> None:
    """Delete all but the oldest of these equal messages, so that they do not fill the limit of
    `answer_requests`, unless another housekeeper answers them."""
    repeats = _unsent().filter(pk__in=[message.pk for message in messages[1:]])
    free = list(repeats.select_for_update(skip_locked=True).values_list("pk", flat=True))
    OutboxMessage.objects.filter(pk__in=free).delete()


@transaction.atomic
def _answer_locked(
    messages: Sequence[OutboxMessage], do: Callable[[str, dict[str, Any]], object]
) -> int:
    """Like `_answer`, but skip messages that another housekeeper answers or has answered."""
    rows = _unsent().filter(pk__in=[message.pk for message in messages])
    free = list(rows.select_for_update(skip_locked=True))
    return _answer(free, do) if free else 0


def _answer(messages: Sequence[OutboxMessage], do: Callable[[str, dict[str, Any]], object]) -> int:
    """Do the task that equal messages request; delete them and return their number."""
    do(messages[0].task, messages[0].arguments)
    # Each result requests tasks, so finished messages would pile up unread.
    keys = [message.pk for message in messages]
    return OutboxMessage.objects.filter(pk__in=keys).delete()[0]


def _unsent() -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(sent__isnull=True)


def _mark_sent(keys: Sequence[int]) -> None:
    if keys:
        OutboxMessage.objects.filter(pk__in=keys).update(sent=Now())


def has_unsent(task: str, waiting: timedelta = timedelta()) -> bool:
    """Whether a message for this task has waited this long to be sent."""
    rows = _unsent().filter(task=task)
    return rows.filter(created__lte=Now() - waiting).exists()


def queue_length(queue: str) -> int:
    """The number of waiting messages in a queue of the broker, without those that workers hold.

    Zero if the queue does not exist yet.
    """
    with current_app.connection_for_read() as connection:
        channel: Any = connection.default_channel  # the stubs lack the methods of this transport
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except ChannelError as error:
            if str(error.reply_code) != NOT_FOUND:
                raise
            return 0


def purge() -> int:
    """Delete messages that were sent long ago; return their number."""
    old = OutboxMessage.objects.filter(sent__lt=Now() - KEEP)
    return old.delete()[0]
