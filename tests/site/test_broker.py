"""How wake-ups reach a worker, and what it does when Redis is away, full, slow or holds rubbish."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from celery import current_app
from django.conf import settings
from django.db import connection
from kombu import Connection
from kombu.asynchronous import Hub
from kombu.exceptions import OperationalError

from bots import stale
from bots.actions import CHECK_TASK
from cardroom import broker
from tests import factories as make
from tests.servers import (
    Redis,
    breakable,
    fill,
    free_port,
    hang,
    mend,
    start_redis,
    wait_for,
)
from tournaments import tasks
from tournaments.actions import claim
from tournaments.queue.messages import ANALYSE_TASK, PLAY_TASK
from tournaments.tasks import LOOK_TASK

pytestmark = pytest.mark.redis

TRANSPORT = "cardroom.broker:Transport"


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    """One that tests may break."""
    with start_redis() as made:
        yield made


@pytest.fixture
def lists(server: Redis) -> Iterator[redis.Redis]:
    """A connection to it; what was broken is mended afterwards."""
    with breakable(server) as made:
        yield made


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks by itself unless a test wants it, and nobody rests for long."""
    monkeypatch.setattr(broker, "LOOK_SECONDS", 1e6)
    monkeypatch.setattr(broker, "REST_SECONDS", 0.1)
    stale.nothing_waited(0.0)


class Worker:
    """A worker's loop with two processes; tasks end when the test says so."""

    def __init__(self, url: str) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.taken: list[Any] = []
        self.hub = Hub()
        self.hub.call_repeatedly(0.05, int)  # with nothing to do, one turn takes a second
        connection: Any = Connection(url, transport=TRANSPORT)
        self.connection = connection
        self.connection.transport.register_with_event_loop(self.connection.connection, self.hub)
        self.channel = self.connection.default_channel
        self.channel.basic_qos(prefetch_count=2)
        for queue in ("matches", "checks"):
            self.channel.basic_consume(queue, False, self._take, queue)

    def _take(self, message: Any) -> None:
        self.taken.append(message)
        self.heard.append((message.headers["task"], message.payload[1]))

    def turn(self) -> None:
        """One turn of the loop; what was taken before is done."""
        while self.taken:
            self.taken.pop().ack()
        next(self.hub.loop)

    def until(self, condition: Callable[[], object], problem: str) -> None:
        def turned() -> object:
            self.turn()
            return condition()

        wait_for(turned, problem)

    def hears(self, message: tuple[str, Any]) -> None:
        self.until(lambda: message in self.heard, f"{message} does not arrive: {self.heard}")

    def close(self) -> None:
        self.connection.close()
        self.hub.close()


@pytest.fixture
def worker(server: Redis, lists: redis.Redis) -> Iterator[Worker]:
    made = Worker(server.url)  # closed before the lists are emptied
    yield made
    made.close()


def send(url: str, task: str = PLAY_TASK, *, sent: float = 0.0, **arguments: Any) -> None:
    """As the outbox does it."""
    queue = settings.CELERY_TASK_ROUTES[task]["queue"]
    with Connection(url, transport=TRANSPORT) as to:
        current_app.send_task(
            task, kwargs=arguments, headers={"sent": sent}, connection=to, queue=queue, retry=False
        )


def message(task: Any = PLAY_TASK, body: Any = None, **more: Any) -> bytes:
    """One as Celery writes it, with something else about it."""
    content = json.dumps([[], {}, {}] if body is None else body).encode()
    made = {
        "body": base64.b64encode(content).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": task, "id": "1", "lang": "py"},
        "properties": {"delivery_tag": "1", "body_encoding": "base64", "delivery_info": {}},
    }
    return json.dumps(made | more).encode()


RUBBISH = {
    "no text": b"\xff\xfe\x00",
    "nothing": b"",
    "a list": b"[]",
    "an empty object": b"{}",
    "null": b"null",
    "a number of many digits": b"9" * 5000,
    "many brackets": b"[" * 60_000,
    "a body of another type": b'{"headers": {"task": "x"}, "body": 5}',
    "no headers": message(headers=None),
    "headers without a task": message(headers={}),
    "a list for a task": message([1]),
    "an unknown task": message("no.such.task"),
    "a task of Celery's own": message("celery.backend_cleanup"),
    "what workers tell only themselves": message(LOOK_TASK),
    "a check in the queue of matches": message(CHECK_TASK, [[], {"version": 1}, {}]),
    "arguments": message(body=[[], {"more": 1}, {}]),
    "a body that is an object": message(body={}),
    "a body that is no JSON": message(body=None)
    and message().replace(b'"body": "W', b'"body": "X'),
    "far too much": message(padding="x" * 5_000_000),
}


@pytest.mark.parametrize("rubbish", RUBBISH.values(), ids=RUBBISH)
def test_what_is_foreign_is_dropped_at_once(
    rubbish: bytes, server: Redis, lists: redis.Redis, worker: Worker, caplog: Any
) -> None:
    lists.lpush("matches", rubbish)
    send(server.url)
    worker.hears((PLAY_TASK, {}))
    assert worker.heard == [(PLAY_TASK, {})]
    assert "A foreign message in the queue matches is dropped" in caplog.text


@pytest.mark.parametrize("version", ["x", 1.5, True, -1, 10**30, None])
def test_a_check_is_asked_for_by_a_number(version: Any) -> None:
    with pytest.raises(broker.Foreign):
        broker.read(message(CHECK_TASK, [[], {"version": version}, {}]), "checks")
    assert broker.read(message(CHECK_TASK, [[], {"version": 7}, {}]), "checks") == (
        CHECK_TASK,
        {"version": 7},
        0.0,
    )


def test_strange_properties_of_a_message_harm_nobody(lists: redis.Redis, worker: Worker) -> None:
    strange = [
        message(properties=None),
        message(**{"content-type": "application/x-python-serialize"}),
        message(**{"content-encoding": "nonsense"}),
        message(headers={"task": PLAY_TASK, "sent": "x", "eta": "soon", "expires": [], "id": {}}),
        message(headers={"task": PLAY_TASK, "sent": float("nan")}),
    ]
    lists.lpush("matches", *strange)
    worker.until(lambda: len(worker.heard) == len(strange), "Not all arrive")
    assert set(map(str, worker.heard)) == {str((PLAY_TASK, {}))}


def test_queues_are_served_by_turns(server: Redis, worker: Worker) -> None:
    for number in (1, 2):
        send(server.url)
        send(server.url, CHECK_TASK, version=number)
    worker.until(lambda: len(worker.heard) == 4, "Not all arrive")
    assert len({task for task, _ in worker.heard[:2]}) == 2


def test_who_is_busy_takes_no_more_and_gives_back_what_was_not_done(
    server: Redis, lists: redis.Redis, worker: Worker
) -> None:
    for _ in range(4):
        send(server.url)
    worker.until(lambda: len(worker.heard) == 1, "None arrives")
    until = time.monotonic() + 20
    while len(worker.heard) < 2 and time.monotonic() < until:
        next(worker.hub.loop)  # nothing is done
    for _ in range(20):  # of a twentieth of a second
        next(worker.hub.loop)
    assert len(worker.heard) == 2
    assert lists.llen("matches") == 2
    worker.connection.close()
    assert lists.llen("matches") == 4


# --- what happens to Redis ----------------------------------------------------------------------


HARMS: dict[str, Callable[[redis.Redis], object]] = {
    "nothing": lambda _: None,
    "full": fill,
    "emptied": lambda lists: lists.flushall(),
    "read only": lambda lists: lists.replicaof("127.0.0.1", "1"),
    "hanging": hang,
    "other connections cut": lambda lists: lists.client_kill_filter(skipme=True, _type="normal"),
    "another type under a queue's name": lambda lists: lists.set("matches", "x"),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_whatever_befalls_redis_a_worker_looks_for_work_and_comes_back(
    harm: Any,
    server: Redis,
    lists: redis.Redis,
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(server.url)
    worker.hears((PLAY_TASK, {}))
    harm(lists)
    monkeypatch.setattr(broker, "LOOK_SECONDS", 0.0)
    worker.until(lambda: worker.heard[-1][0] == LOOK_TASK, "It does not look")
    assert sorted(worker.heard[-1][1]["queues"]) == ["checks", "matches"]
    monkeypatch.setattr(broker, "LOOK_SECONDS", 1e6)
    mend(server, lists)
    worker.until(lambda: lists.type("matches") in {b"list", b"none"}, "It is not mended")
    send(server.url, CHECK_TASK, version=3)
    worker.hears((CHECK_TASK, {"version": 3}))


def test_a_redis_that_is_started_anew_is_heard_again(
    server: Redis, lists: redis.Redis, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    worker.turn()
    server.kill()
    worker.until(lambda: "The message broker cannot be reached" in caplog.text, "Not noticed")
    server.start()
    send(server.url)
    worker.hears((PLAY_TASK, {}))


def test_a_redis_that_was_never_there_is_no_reason_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "LOOK_SECONDS", 0.0)
    for url in (f"redis://127.0.0.1:{free_port()}/0", "unix:///nowhere", "rediss://127.0.0.1:1/0"):
        worker = Worker(url)
        worker.until(lambda: len(worker.taken) == 2, "It does not look")  # noqa: B023 - at once
        with pytest.raises(OperationalError):
            send(url)
        worker.close()


# --- wake-ups that come too late ----------------------------------------------------------------


def test_what_was_sent_before_a_look_that_found_nothing_is_dropped(
    server: Redis, lists: redis.Redis, worker: Worker
) -> None:
    stale.nothing_waited(1000.0)
    for number in range(50):
        send(server.url, sent=900.0 + number)
    send(server.url, CHECK_TASK, sent=900.0, version=1)  # that look was not for checks
    send(server.url, ANALYSE_TASK, sent=900.0)  # nor for analyses
    send(server.url, sent=1000.0)  # perhaps it was sent after the look
    send(server.url, sent=1001.0)
    worker.until(lambda: not lists.llen("matches"), "They are not taken")
    worker.until(lambda: len(worker.heard) == 4, "Not all arrive")
    kept = [(CHECK_TASK, {"version": 1}), (ANALYSE_TASK, {}), *2 * [(PLAY_TASK, {})]]
    assert sorted(worker.heard, key=str) == sorted(kept, key=str)


def test_a_look_does_not_count_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    stale.nothing_waited(1000.0)
    assert stale.stale(900.0)
    later = time.monotonic() + stale.VALID_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not stale.stale(900.0)


@pytest.mark.django_db
def test_only_who_sees_that_nothing_waits_lets_wake_ups_be_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [0]
    monkeypatch.setattr(tasks, "_play", lambda _: found[0])
    before = stale.moment()
    make.tournament(2, start=True)
    tasks.play_matches()  # it could not play what waits
    assert not stale.stale(before)
    claim("w/1", 2)
    found[0] = 1
    tasks.play_matches()  # it did not find nothing
    assert not stale.stale(before)
    found[0] = 0
    time.sleep(0.005)
    tasks.play_matches()
    assert stale.stale(before)
    assert not stale.stale(stale.moment())


@pytest.mark.django_db
def test_a_message_says_when_it_was_sent_by_the_clock_of_the_database() -> None:
    from bots.models import OutboxMessage

    OutboxMessage.objects.create(task=PLAY_TASK)
    before = stale.moment()
    [found] = OutboxMessage.objects.annotate(moment=stale.Moment())
    assert before <= found.moment <= stale.moment()
    if connection.vendor == "sqlite":
        assert before == pytest.approx(time.time(), abs=60)


def test_every_task_that_is_sent_is_known() -> None:
    """One that is routed to workers and not known would end each worker that reads it."""
    assert set(broker.MESSAGES) == set(settings.CELERY_TASK_ROUTES)
    for task, route in settings.CELERY_TASK_ROUTES.items():
        content = message(task, [[], dict.fromkeys(broker.MESSAGES[task], 1), {}])
        assert broker.read(content, route["queue"])[0] == task
