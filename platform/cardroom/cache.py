"""The cache that all web processes share, and what stands in for it while it is away."""

from __future__ import annotations

import time
from typing import Any, Final

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

REST: Final = 5.0
"""Seconds for which nothing is asked of a Redis that failed."""


class SharedCache(BaseCache):
    """Redis; while it cannot be reached, this process's memory.

    Throttles then count for each process by itself: the door stays where it was, neither open nor
    shut.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._shared = RedisCache(location, params)
        self._own = LocMemCache(f"instead of {location}", {})
        self._rests_until = 0.0

    def add(self, key: Any, value: Any, *args: Any, **options: Any) -> bool:
        return bool(self._ask("add", key, value, *args, **options))

    def get(self, key: Any, *args: Any, **options: Any) -> Any:
        return self._ask("get", key, *args, **options)

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        self._ask("set", key, value, *args, **options)

    def touch(self, key: Any, *args: Any, **options: Any) -> bool:
        return bool(self._ask("touch", key, *args, **options))

    def delete(self, key: Any, *args: Any, **options: Any) -> bool:
        return bool(self._ask("delete", key, *args, **options))

    def clear(self) -> None:
        self._own.clear()
        self._ask("clear")

    def _ask(self, verb: str, *args: Any, **options: Any) -> Any:
        if time.monotonic() >= self._rests_until:
            try:
                return getattr(self._shared, verb)(*args, **options)
            except RedisError:
                self._rests_until = time.monotonic() + REST
        return getattr(self._own, verb)(*args, **options)
