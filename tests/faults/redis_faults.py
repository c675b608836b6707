"""Redis that is full, away, empty, silent or full of rubbish: pages answer, workers play on."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import redis

from tests.faults.cluster import Cluster
from tests.faults.ground import FULL, Fault, Faults

QUEUES = ("matches", "checks", "housekeeping")


@contextmanager
def client(cluster: Cluster) -> Iterator[redis.Redis]:
    """Somebody who talks to Redis."""
    with redis.Redis.from_url(cluster.redis) as made:
        yield made


def endure(cluster: Cluster, what: str) -> None:
    """While this fault lasts pages answer; nobody ends because of it."""
    cluster.faults[what] += 1
    refused = cluster.refused()
    assert not refused, f"{what}: {refused} {cluster.output()}"
    cluster.pause()
    cluster.all_live()


def full(cluster: Cluster) -> None:
    with client(cluster) as server:
        server.config_set("maxmemory-policy", "noeviction")
        server.config_set("maxmemory", "1")
        endure(cluster, "Redis full")
        server.config_set("maxmemory", "0")


def flushed(cluster: Cluster) -> None:
    with client(cluster) as server:
        server.flushall()
    endure(cluster, "Redis flushed")


def away(cluster: Cluster) -> None:
    cluster.server.kill()
    try:
        endure(cluster, "Redis away")
    finally:
        cluster.server.start()


def silent(cluster: Cluster) -> None:
    cluster.server.process.send_signal(signal.SIGSTOP)
    try:
        endure(cluster, "Redis frozen")
    finally:
        cluster.server.process.send_signal(signal.SIGCONT)


def rubbish(cluster: Cluster) -> None:
    """What others put into the queues, and what another version of us might have put there."""
    with client(cluster) as server:
        for number, queue in enumerate(QUEUES):
            # Each costs a start of its reader: one for each queue, in full all.
            ending = _ENDING if FULL else _ENDING[4 * number : 4 * number + 1]
            server.lpush(queue, *ending, *_odd())
    cluster.supervised = True  # what is not JSON ends a worker; whoever started it starts it again
    endure(cluster, "queues fed with rubbish")


def stale(cluster: Cluster) -> None:
    """Thousands of messages of a site that was put back from a copy, or of long ago."""
    with client(cluster) as server:
        message = _message("tournaments.tasks.play_matches", expires="2001-01-01T00:00:00")
        server.lpush("matches", *[message] * (5000 if FULL else 500))
    endure(cluster, "queue full of old messages")


_ENDING: Final = (
    *(b"\x00\xff\xfe", b"", b"{", b"null", b"[]", b"7", b'"text"', b"{}", b"\x80\x04N."),
    b'{"body": 7, "headers": null, "properties": "none"}',
    b'{"properties": {}, "headers": {}, "body": "", "content-type": "application/json"}',
    b"[" * 50_000,
)
"""Messages that end their reader."""


def _odd() -> list[bytes]:
    """Messages that their reader drops, or tasks that fail."""
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
    "Redis is full": Fault(full),
    "Redis is flushed": Fault(flushed),
    "Redis is away": Fault(away),
    "Redis says nothing": Fault(silent),
    "the queues hold rubbish": Fault(rubbish),
    "the queues hold thousands of old messages": Fault(stale),
}
