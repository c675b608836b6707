"""The web processes' shared cache with a Redis that is unavailable, full, or has foreign values."""

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
    """A connection to it; its damage is repaired afterwards."""
    with breakable(own_redis) as connection:
        yield connection


def test_without_redis_a_process_has_its_own_cache() -> None:
    shared = SharedCache(DEAD, {})
    shared.set("a", [1, 2], 60)
    assert shared.get("a") == [1, 2]
    assert shared.add("a", 3, 60) is False
    assert shared.touch("a", 60)
    assert shared.delete("a")
    assert shared.get("a", "nothing") == "nothing"
    shared.clear()


def test_after_a_failure_redis_is_not_used_for_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shared = SharedCache(DEAD, {})
    shared.get("a")
    assert "The cache (Redis) is unavailable; each process counts its own requests" in caplog.text
    monkeypatch.setattr(shared, "_redis", None)  # raises if it is used
    shared.get("a")
    now += cache.PAUSE_SECONDS
    with pytest.raises(AttributeError):
        shared.get("a")


@pytest.mark.redis
def test_processes_share_values_in_redis(redis_server: Redis) -> None:
    one, other = (SharedCache(redis_server.url, {}) for _ in range(2))
    one.set("shared", [7, 1.5], 60)
    assert other.get("shared") == [7, 1.5]
    one.clear()
    assert other.get("shared") is None


class Bomb:
    """An object that runs code when its pickle is read."""

    def __reduce__(self) -> Any:
        return logging.error, ("exploded",)


@pytest.mark.redis
def test_foreign_values_are_ignored(
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
    assert "did not write" in caplog.text
    shared.set("a", 1)
    assert SharedCache(own_redis.url, {}).get("a") == 1


@pytest.mark.redis
def test_a_full_or_read_only_redis_is_replaced(own_redis: Redis, broken: redis.Redis) -> None:
    for harm in (fill_memory, lambda connection: connection.replicaof("127.0.0.1", "1")):
        harm(broken)
        shared = SharedCache(own_redis.url, {})
        shared.set("a", 1)
        assert shared.get("a") == 1


@pytest.mark.redis
def test_a_hanging_redis_is_used_once(
    own_redis: Redis, broken: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "PAUSE_SECONDS", 1000.0)
    shared = SharedCache(own_redis.url, {})
    hang(broken)
    calls = []
    get = shared._redis.get
    shared._redis.get = lambda *key: calls.append(key) or get(*key)  # type: ignore[method-assign,func-returns-value]  # counts
    for _ in range(20):
        assert shared.get("hung") is None
    assert len(calls) == 1


# --- the site -----------------------------------------------------------------------------------


@pytest.fixture
def client(own_redis: Redis, settings: Any) -> Client:
    """A client of a site with this Redis as its cache."""
    cache = {"BACKEND": "cardroom.cache.SharedCache", "LOCATION": own_redis.url}
    settings.CACHES = {"default": cache}
    return Client()


def swap(connection: redis.Redis) -> None:
    """Replace all values by foreign ones."""
    keys = connection.keys("*")
    assert keys
    for key in keys:
        connection.set(key, pickle.dumps(["never", "read"]))


@pytest.mark.redis
@pytest.mark.django_db
@pytest.mark.parametrize("harm", [fill_memory, swap, hang, redis.Redis.flushall])
def test_damage_to_redis_fails_no_page_and_no_request(
    client: Client, broken: redis.Redis, harm: Any
) -> None:
    def visit() -> list[int]:
        stranger = {"username": "stranger", "password": "wrong"}
        new = {"username": "x", "password1": "mossy-nest-3", "password2": "mossy-nest-4"}
        package = SimpleUploadedFile("x.zip", b"no archive")
        responses = [
            *(client.get(address) for address in ("/", "/api/v1/", "/api/v1/bots/")),
            client.post("/login/", stranger),
            client.post("/signup/", new),
            client.post("/api/v1/tokens/", stranger, "application/json"),
            client.post("/api/v1/bots/", {"package": package, "name": "Dunnock"}),
        ]
        return [response.status_code for response in responses]

    client.force_login(make.user("wren"))
    expected = visit()
    assert max(expected) < 500
    harm(broken)
    assert visit() == expected
    assert visit() == expected
