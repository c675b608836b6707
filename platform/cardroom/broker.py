"""How wake-ups travel: Redis lists, and a worker that goes on when there is no Redis.

The database says what has to be done; a message only says that there is something. So the worker's
side of this transport never fails. If Redis fails or sends nonsense, a line in the log says so, and
a worker that has heard nothing for `LOOK_SECONDS` looks for work by itself. Nothing is kept in
Redis about messages on their way: a lost one wakes nobody, and that is all.

The sending side raises errors, and the outbox keeps the message.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from contextlib import suppress
from typing import Any, Final

from amqp.protocol import queue_declare_ok_t
from celery import current_app
from celery.utils import uuid
from django.conf import settings
from kombu.transport import virtual
from redis import ConnectionPool, Redis
from redis.exceptions import RedisError, ResponseError

from bots import stale
from bots.actions import CHECK_TASK
from cardroom.play import messages as play
from tournaments.queue.messages import ANALYSE_TASK, PLAY_TASK
from tournaments.tasks import LOOK_TASK

log = logging.getLogger(__name__)

OPTIONS: Final = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
"""Seconds: nobody waits longer for Redis."""
WAIT_SECONDS: Final = 2
"""How long Redis waits for a message before it says that there is none."""
REST_SECONDS: Final = 5.0
"""How long Redis is left alone after a failure."""
LOOK_SECONDS: Final = 5.0
"""After this much silence a worker looks for work, and plays for as long while there is some."""
MAX_MESSAGE: Final = 65_536
"""Bytes; ours have about a thousand."""
MESSAGES: Final = {
    PLAY_TASK: set[str](),
    ANALYSE_TASK: set[str](),
    CHECK_TASK: {"version"},
    play.SEAT_TASK: {"table"},
    play.HINT_TASK: {"hint"},
    play.COMPARE_TASK: {"table"},
    play.OPINION_TASK: {"opinion"},
}
"""What is sent to workers: tasks, and the names of their arguments, which are numbers."""
FAILURES: Final = (RedisError, OSError)


class Foreign(ValueError):  # noqa: N818 - what it is
    """Not a message of ours; the text says why."""


class Channel(virtual.Channel):
    """Lists in Redis, one a queue."""

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, **options)
        self._redis: Any = Redis.from_url(connection.client.hostname, **OPTIONS)

    def queue_declare(self, queue: str | None = None, *_: Any, **__: Any) -> Any:
        """A list exists as soon as something is in it, so there is nothing to do."""
        return queue_declare_ok_t(queue or "", 0, 0)

    @property
    def queues(self) -> list[str]:
        """The queues that messages are taken from."""
        return self._active_queues

    def wake_up(self, queue: str, task: str, arguments: dict[str, Any], **headers: Any) -> Any:
        """A message, as Celery reads it."""
        made = current_app.amqp.as_task_v2(uuid(), task, kwargs=arguments)
        message = self.prepare_message(
            json.dumps(made.body),
            content_type="application/json",
            content_encoding="utf-8",
            headers=made.headers | headers,
            properties=dict(made.properties),
        )
        self._inplace_augment_message(message, "", queue)
        return message

    def mend(self, queues: list[str]) -> list[str]:
        """Remove what is not a list where a queue should be; the names of what was removed."""
        wrong = [each for each in queues if self._redis.type(each) not in {b"list", b"none"}]
        if wrong:
            self._redis.unlink(*wrong)
        return wrong

    def close(self) -> None:
        """Put back what was not done, and close."""
        super().close()
        self._redis.close()

    def _put(self, queue: str, message: Any, **_: Any) -> None:
        self._redis.lpush(queue, json.dumps(message))

    def _size(self, queue: str) -> int:
        return int(self._redis.llen(queue))

    def _purge(self, queue: str) -> int:
        size = self._size(queue)
        self._redis.unlink(queue)
        return size

    def _restore(self, message: Any) -> None:
        """If Redis is away, the sweep makes up for it; what a worker gave itself is forgotten."""
        if "sent" in message.headers:
            with suppress(*FAILURES):
                super()._restore(message)


class Transport(virtual.Transport):
    """Celery's way to Redis: the broker URL is one that redis-py takes."""

    Channel = Channel
    can_parse_url = True
    driver_type = driver_name = "wake-ups"
    implements = virtual.Transport.implements.extend(
        asynchronous=True, exchange_type=frozenset({"direct", "topic"})
    )
    connection_errors = (*virtual.Transport.connection_errors, *FAILURES)
    _receiver: Receiver | None = None

    def driver_version(self) -> str:
        """Celery shows it."""
        return "1"

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:  # noqa: ARG002 - kombu
        """A worker's loop begins."""
        self._receiver = Receiver(self, loop)

    def close_connection(self, connection: Any) -> None:
        """It ends."""
        if self._receiver is not None:
            self._receiver.close()
        super().close_connection(connection)


class Receiver:
    """Receives wake-ups within a worker's event loop, which never waits for Redis or fails."""

    def __init__(self, transport: Transport, loop: Any) -> None:
        self._transport, self._loop = transport, loop
        url = str(transport.client and transport.client.hostname)
        self._redis: Any = ConnectionPool.from_url(url, **OPTIONS).make_connection()
        self._fileno: int | None = None
        self._asked: float | None = None
        """Since when Redis owes an answer."""
        self._rests_until = 0.0
        self._heard = time.monotonic()
        """When there last was a message, or a look for work."""
        self._served = ""
        """The queue that gave the last message; it comes last in the next turn."""
        loop.on_tick.add(self._ask)
        self._timer = loop.call_repeatedly(1.0, self._look)

    def close(self) -> None:
        """Listen no more."""
        self._loop.on_tick.discard(self._ask)
        self._timer.cancel()
        self._leave()

    # --- Redis ----------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask for the next message, if one can be taken and none was asked for."""
        now = time.monotonic()
        if self._asked is not None or now < self._rests_until or not self._free():
            return
        queues = self._queues()
        if not queues:
            return
        try:
            if self._fileno is None:
                self._redis.connect()
                self._fileno = self._redis._sock.fileno()  # noqa: SLF001 - as kombu does
                self._loop.add_reader(self._fileno, self._read)
            self._redis.send_command("BRPOP", *queues, WAIT_SECONDS)
        except FAILURES as error:
            self._fail(error)
        else:
            self._asked = now

    def _read(self) -> None:
        try:
            if not self._redis.can_read(timeout=0):
                return
            answer = self._redis.read_response()
        except ResponseError as error:
            self._refused(error)
            return
        except FAILURES as error:
            self._fail(error)
            return
        self._asked = None
        if answer:
            self._take(answer[0].decode(), answer[1])

    def _refused(self, error: ResponseError) -> None:
        """Something else may be where a queue should be; then it must be removed."""
        try:
            removed = self._channel.mend(self._queues())
        except FAILURES as failure:
            self._fail(failure)
            return
        if not removed:
            self._fail(error)
            return
        self._leave()
        log.warning("What was no queue is removed from the message broker: %s", ", ".join(removed))

    def _fail(self, error: Exception) -> None:
        self._leave()
        self._rests_until = time.monotonic() + REST_SECONDS
        log.warning("The message broker cannot be reached: %s", error)

    def _leave(self) -> None:
        if self._fileno is not None:
            self._loop.remove_reader(self._fileno)
        self._fileno = self._asked = None
        with suppress(*FAILURES):
            self._redis.disconnect()

    # --- messages -------------------------------------------------------------------------------

    def _take(self, queue: str, content: bytes) -> None:
        """Pass a message on, unless it is foreign or stale."""
        self._heard, self._served = time.monotonic(), queue
        try:
            task, arguments, sent = read(content, queue)
        except Foreign as error:
            log.warning(
                "A foreign message in the queue %s is dropped: %s",
                queue,
                error,
                extra={"kind": f"foreign in {queue}"},
            )
            return
        if task != PLAY_TASK or not stale.stale(sent):
            self._deliver(queue, self._channel.wake_up(queue, task, arguments, sent=sent))

    def _look(self) -> None:
        """After a silence, have every free process look for work."""
        now = time.monotonic()
        if self._overdue(now):
            self._read()  # it may be there: this process, too, may have been held up
        if self._overdue(now):
            self._fail(TimeoutError("It does not answer."))
        queues = self._queues()
        if not queues or now - self._heard < LOOK_SECONDS:
            return
        if queues == [play.QUEUE]:
            self._heard = now  # one look of a host is for all of its threads
            self._deliver(play.QUEUE, self._channel.wake_up(play.QUEUE, play.LOOK_TASK, {}))
            return
        while self._free():
            self._heard = now
            asked = {"queues": queues, "seconds": LOOK_SECONDS}
            self._deliver(queues[0], self._channel.wake_up(queues[0], LOOK_TASK, asked))

    def _deliver(self, queue: str, message: Any) -> None:
        try:
            self._transport._deliver(message, queue)  # noqa: SLF001 - as kombu's own do
        except Exception:
            log.exception("A message in the queue %s cannot be taken.", queue)

    # --- the worker -----------------------------------------------------------------------------

    @property
    def _channel(self) -> Any:
        channels: list[Any] = self._transport.channels or []
        return next((each for each in channels if each.queues), channels[0])

    def _queues(self) -> list[str]:
        """Those that this worker takes messages from, by turns."""
        return sorted(self._channel.queues, key=self._served.__eq__)

    def _overdue(self, now: float) -> bool:
        return self._asked is not None and now - self._asked > WAIT_SECONDS + REST_SECONDS

    def _free(self) -> bool:
        """Whether a process has nothing to do."""
        return bool(self._channel.qos.can_consume())


def read(content: bytes, queue: str) -> tuple[str, dict[str, int], float]:
    """Task, arguments and time of sending of a message as Celery writes them; Foreign if it is not
    one that the outbox sends to this queue."""
    if len(content) > MAX_MESSAGE:
        raise Foreign(f"it has {len(content)} bytes")
    try:
        message = json.loads(content)
        headers = message["headers"]
        task, sent = headers["task"], headers.get("sent", 0.0)
        body = json.loads(base64.b64decode(message["body"]))
        arguments = body[1]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise Foreign("it has another form") from None
    ours = isinstance(task, str) and task in MESSAGES
    if not ours or settings.CELERY_TASK_ROUTES.get(task) != {"queue": queue}:
        raise Foreign(f"its task is {task!r:.100}")
    known = isinstance(arguments, dict) and set(arguments) == MESSAGES[task]
    if not known or not all(type(each) is int and 0 < each < 2**63 for each in arguments.values()):
        raise Foreign(f"{task} cannot be asked for in this way")
    return task, arguments, sent if type(sent) is float else 0.0
