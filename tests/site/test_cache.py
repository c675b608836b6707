"""The cache of all web processes, and a Redis that is away, is full, or holds foreign values."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cardroom import cache
from cardroom.cache import SharedCache
from tests import factories as make
from tests.servers import Redis, breakable, fill_memory, hang, start_redis

DEAD = "redis://127.0.0.1:1/0"


@pytest.fixture(scope="module")
def own_redis() -> Iterator[Redis]:
    """A server that tests may break."""
    with start_redis() as server:
        yield server


@pytest.fixture
def broken(own_redis: Redis) -> Iterator[redis.Redis]:
    """A connection to it; what was broken is mended afterwards."""
    with breakable(own_redis) as connection:
        yield connection


def test_without_redis_the_process_remembers_by_itself() -> None:
    shared = SharedCache(DEAD, {})
    shared.set("a", [1, 2], 60)
    assert shared.get("a") == [1, 2]
    assert shared.add("a", 3, 60) is False
    assert shared.touch("a", 60)
    assert shared.delete("a")
    assert shared.get("a", "nothing") == "nothing"
    shared.clear()


def test_a_redis_that_failed_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shared = SharedCache(DEAD, {})
    shared.get("a")
    assert "The cache (Redis) is away; each process counts its own requests" in caplog.text
    monkeypatch.setattr(shared, "_redis", None)  # would raise if it were asked
    shared.get("a")
    now += cache.PAUSE_SECONDS
    with pytest.raises(AttributeError):
        shared.get("a")


@pytest.mark.redis
def test_processes_share_what_redis_has(redis_server: Redis) -> None:
    one, other = (SharedCache(redis_server.url, {}) for _ in range(2))
    one.set("shared", [7, 1.5], 60)
    assert other.get("shared") == [7, 1.5]
    one.clear()
    assert other.get("shared") is None


class Bomb:
    """Whoever reads its pickle runs what it says."""

    def __reduce__(self) -> Any:
        return logging.error, ("exploded",)


@pytest.mark.redis
def test_what_somebody_else_wrote_is_not_there(
    own_redis: Redis, broken: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    shared = SharedCache(own_redis.url, {})
    key = shared._redis.make_and_validate_key("a")
    for foreign in (pickle.dumps(Bomb()), b"\xff\xfe", b"[1, 2]", b'"x"', b"7", b"", b"WzFd:x"):
        broken.set(key, foreign)
        assert shared.get("a", "nothing") == "nothing"
    broken.rpush(key, "a list")
    assert shared.get("a", "nothing") == "nothing"
    assert "exploded" not in caplog.text
    assert "something foreign" in caplog.text
    shared.set("a", 1)
    assert SharedCache(own_redis.url, {}).get("a") == 1


@pytest.mark.redis
def test_a_full_redis_and_one_that_only_reads_are_stood_in_for(
    own_redis: Redis, broken: redis.Redis
) -> None:
    for harm in (fill_memory, lambda each: each.replicaof("127.0.0.1", "1")):
        harm(broken)
        shared = SharedCache(own_redis.url, {})
        shared.set("a", 1)
        assert shared.get("a") == 1


@pytest.mark.redis
def test_a_redis_that_hangs_is_asked_once(
    own_redis: Redis, broken: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "PAUSE_SECONDS", 1000.0)
    shared = SharedCache(own_redis.url, {})
    hang(broken)
    asked = []
    ask = shared._redis.get
    shared._redis.get = lambda *key: asked.append(key) or ask(*key)  # type: ignore[method-assign,func-returns-value]  # counts
    for _ in range(20):
        assert shared.get("hung") is None
    assert len(asked) == 1


# --- the site -----------------------------------------------------------------------------------


@pytest.fixture
def client(own_redis: Redis, settings: Any) -> Client:
    """Of a site that has this Redis for its cache."""
    here = {"BACKEND": "cardroom.cache.SharedCache", "LOCATION": own_redis.url}
    settings.CACHES = {"default": here}
    return Client()


def swap(connection: redis.Redis) -> None:
    """Somebody else's values under all of our names."""
    keys = connection.keys("*")
    assert keys
    for key in keys:
        connection.set(key, pickle.dumps(["never", "read"]))


@pytest.mark.redis
@pytest.mark.django_db
@pytest.mark.parametrize("harm", [fill_memory, swap, hang, redis.Redis.flushall])
def test_no_page_and_no_request_fails_because_of_redis(
    client: Client, broken: redis.Redis, harm: Any
) -> None:
    def visit() -> list[int]:
        stranger = {"username": "stranger", "password": "wrong"}
        new = {"username": "x", "password1": "mossy-nest-3", "password2": "mossy-nest-4"}
        package = SimpleUploadedFile("x.zip", b"no archive")
        answers = [
            *(client.get(address) for address in ("/", "/api/v1/", "/api/v1/bots/")),
            client.post("/login/", stranger),
            client.post("/signup/", new),
            client.post("/api/v1/tokens/", stranger, "application/json"),
            client.post("/api/v1/bots/", {"package": package, "name": "Dunnock"}),
        ]
        return [answer.status_code for answer in answers]

    client.force_login(make.user("wren"))
    usual = visit()
    assert max(usual) < 500
    harm(broken)
    assert visit() == usual
    assert visit() == usual
