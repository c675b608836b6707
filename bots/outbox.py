"""Work is announced in the transaction that makes it and sent after it.

The database alone says what is to be done; a message only says that there is something. A lost
message is made good by the sweep, a doubled one finds nothing to do.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils import timezone

from bots.models import OutboxMessage

log = logging.getLogger(__name__)

RELAY_LIMIT = 100
"""Messages sent on commit, where a person may be waiting; the periodic relay sends the rest."""
BROKEN_SECONDS = 5.0
"""After a failure nobody tries to send on commit for so long: a dead broker slows no page."""
KEEP = timedelta(days=1)
"""How long sent messages are kept, for people who ask what happened."""

_broken_until = 0.0


def announce(task: str, **arguments: Any) -> None:
    """Note that `task` has work; it is sent once the transaction has been committed."""
    announce_many(task, [arguments])


def announce_many(task: str, arguments: Sequence[dict[str, Any]]) -> None:
    """Note one message for each dict of arguments."""
    OutboxMessage.objects.bulk_create(
        [OutboxMessage(task=task, arguments=each) for each in arguments], batch_size=500
    )
    transaction.on_commit(_relay_quietly, robust=True)


def _relay_quietly() -> None:
    """Send at once if the broker is there; if not, the periodic relay will."""
    if time.monotonic() >= _broken_until:
        relay(RELAY_LIMIT)


def relay(limit: int = 1000) -> int:
    """Send what has not been sent, oldest first; how many were sent.

    Two relays at once may send a message twice, which changes nothing. Messages that say the same
    are sent as often as they were written: each stands for work of its own.
    """
    global _broken_until
    sent: list[int] = []
    try:
        for message in OutboxMessage.objects.filter(sent__isnull=True)[:limit]:
            current_app.send_task(message.task, kwargs=message.arguments, retry=False)
            sent.append(message.pk)
    except Exception as error:  # noqa: BLE001 - brokers fail in many ways; the message stays
        _broken_until = time.monotonic() + BROKEN_SECONDS
        log.warning("The broker takes no messages now: %s", error)
    if sent:
        OutboxMessage.objects.filter(pk__in=sent).update(sent=timezone.now())
    return len(sent)


def unsent(task: str, waiting: timedelta = timedelta()) -> bool:
    """Whether messages for this task still wait to be sent, and have waited so long."""
    left = OutboxMessage.objects.filter(sent__isnull=True, task=task)
    return left.filter(created__lte=timezone.now() - waiting).exists()


def queued(queue: str) -> int:
    """Messages that wait in a queue of the broker; what workers hold is not counted."""
    with current_app.connection_for_read() as connection:
        channel: Any = connection.default_channel  # the stubs know only what all channels can do
        # Not passive: a queue that nobody has sent to yet would be an error.
        declared = channel.queue_declare(queue, passive=False)
        return int(declared.message_count)


def purge() -> int:
    """Delete messages that were sent long ago; how many."""
    old = OutboxMessage.objects.filter(sent__lt=timezone.now() - KEEP)
    return old.delete()[0]
