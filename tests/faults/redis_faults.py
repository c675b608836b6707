"""Faults of Redis, which must stop neither pages nor workers."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import redis

from tests.faults.cluster import Cluster
from tests.faults.faulty_site import FULL, Faults, InjectedFault

QUEUES = ("matches", "checks", "housekeeping")


@contextmanager
def client(cluster: Cluster) -> Iterator[redis.Redis]:
    """A Redis client."""
    with redis.Redis.from_url(cluster.redis) as connection:
        yield connection


def check_tolerates(cluster: Cluster, fault: str) -> None:
    """Check that pages respond and that no host ends during this fault."""
    cluster.faults[fault] += 1
    failures = cluster.failed_requests()
    assert not failures, f"{fault}: {failures} {cluster.output()}"
    cluster.pause()
    cluster.check_all_run()


def is_full(cluster: Cluster) -> None:
    with client(cluster) as server:
        server.config_set("maxmemory-policy", "noeviction")
        server.config_set("maxmemory", "1")
        check_tolerates(cluster, "Redis full")
        server.config_set("maxmemory", "0")


def is_flushed(cluster: Cluster) -> None:
    with client(cluster) as server:
        server.flushall()
    check_tolerates(cluster, "Redis flushed")


def is_down(cluster: Cluster) -> None:
    cluster.server.kill()
    try:
        check_tolerates(cluster, "Redis unavailable")
    finally:
        cluster.server.start()


def is_silent(cluster: Cluster) -> None:
    cluster.server.process.send_signal(signal.SIGSTOP)
    try:
        check_tolerates(cluster, "Redis frozen")
    finally:
        cluster.server.process.send_signal(signal.SIGCONT)


def holds_invalid_messages(cluster: Cluster) -> None:
    """Other programs, or other versions of the site, may write messages that workers can't read."""
    with client(cluster) as server:
        for number, queue in enumerate(QUEUES):
            # Each of these messages makes its reader restart, so small runs send one to each queue.
            fatal = _FATAL_MESSAGES if FULL else _FATAL_MESSAGES[4 * number : 4 * number + 1]
            server.lpush(queue, *fatal, *_rejected_messages())
    cluster.supervised = True  # a message that is not JSON ends a worker, which must be restarted
    check_tolerates(cluster, "queues fed with garbage")


def holds_expired_messages(cluster: Cluster) -> None:
    """A restored backup or a long outage may leave thousands of old messages."""
    with client(cluster) as server:
        message = _message("tournaments.tasks.play_matches", expires="2001-01-01T00:00:00")
        server.lpush("matches", *[message] * (5000 if FULL else 500))
    check_tolerates(cluster, "queue full of old messages")


_FATAL_MESSAGES: Final = (
    *(b"\x00\xff\xfe", b"", b"{", b"null", b"[]", b"7", b'"text"', b"{}", b"\x80\x04N."),
    b'{"body": 7, "headers": null, "properties": "none"}',
    b'{"properties": {}, "headers": {}, "body": "", "content-type": "application/json"}',
    b"[" * 50_000,
)
"""Messages that end their reader."""


def _rejected_messages() -> list[bytes]:
    """Messages that their reader drops, or whose task fails."""
    return [
        _message("no.such.task"),
        _message("tournaments.tasks.play_matches", content="application/x-python-serialize"),
        _message("tournaments.tasks.play_matches", body="bm90IGpzb24="),
        _message("tournaments.tasks.play_matches", body="W1sxLDIsM10sIHsieCI6IDF9LCB7fV0="),
        _message("bots.tasks.check_version", body="W1tdLCB7InZlcnNpb24iOiAieCJ9LCB7fV0="),
    ]


def _message(
    task: str,
    body: str = "W1tdLCB7fSwge31d",  # [[], {}, {}]
    content: str = "application/json",
    expires: str | None = None,
) -> bytes:
    """A message as Celery writes it."""
    headers = {"lang": "py", "task": task, "id": "1", "root_id": "1", "parent_id": None}
    info = {"exchange": "", "routing_key": "matches"}
    properties = {
        "correlation_id": "1",
        "delivery_mode": 2,
        "delivery_info": info,
        "delivery_tag": "1",
        "body_encoding": "base64",
    }
    message = {
        "body": body,
        "content-encoding": "utf-8",
        "content-type": content,
        "headers": headers | {"expires": expires, "retries": 0, "eta": None, "group": None},
        "properties": properties,
    }
    return json.dumps(message).encode()


FAULTS: Faults[Cluster] = {
    "Redis is full": InjectedFault(is_full),
    "Redis is flushed": InjectedFault(is_flushed),
    "Redis is unavailable": InjectedFault(is_down),
    "Redis does not answer": InjectedFault(is_silent),
    "the queues hold garbage": InjectedFault(holds_invalid_messages),
    "the queues hold thousands of old messages": InjectedFault(holds_expired_messages),
}
