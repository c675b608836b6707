"""The cache of all web processes, and a Redis that goes away."""

from __future__ import annotations

import time

import pytest

from cardroom import cache
from cardroom.cache import SharedCache
from tests.servers import Redis

DEAD = "redis://127.0.0.1:1/0"


def test_without_redis_the_process_remembers_by_itself() -> None:
    shared = SharedCache(DEAD, {})
    shared.set("a", [1, 2], 60)
    assert shared.get("a") == [1, 2]
    assert shared.add("a", 3, 60) is False
    assert shared.touch("a", 60)
    assert shared.delete("a")
    assert shared.get("a", "nothing") == "nothing"
    shared.clear()


def test_a_redis_that_failed_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shared = SharedCache(DEAD, {})
    shared.get("a")
    monkeypatch.setattr(shared, "_shared", None)  # would raise if it were asked
    shared.get("a")
    now += cache.REST
    with pytest.raises(AttributeError):
        shared.get("a")


@pytest.mark.redis
def test_processes_share_what_redis_has(redis_server: Redis) -> None:
    one, other = (SharedCache(redis_server.url, {}) for _ in range(2))
    one.set("shared", 7, 60)
    assert other.get("shared") == 7
    one.clear()
    assert other.get("shared") is None
