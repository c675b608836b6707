"""The cache that all web processes share, and its substitute while Redis is unavailable.

Redis is not trusted: values are signed with the site's key, so that foreign ones are rejected, and
no value is ever executed.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.core.signing import BadSignature, Signer
from redis.exceptions import RedisError, ResponseError

log = logging.getLogger(__name__)

PAUSE_SECONDS: Final = 5.0
"""Seconds for which Redis is not used after a failure."""
OPTIONS: Final = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 0.5,
    "serializer": "cardroom.cache.Signed",
}
MAX_ENTRIES: Final = 20_000
"""The maximum number of entries in a process's memory. An evicted counter restarts at zero."""


class Signed:
    """Serializes values for Redis as signed JSON."""

    def __init__(self) -> None:
        self._signer = Signer(salt="cardroom.cache")

    def dumps(self, value: Any) -> bytes:
        """The signed text of a value."""
        return self._signer.sign_object(value).encode()

    def loads(self, data: bytes) -> Any:
        """The value; BadSignature or ValueError if this site did not sign it."""
        return self._signer.unsign_object(data.decode())


class SharedCache(BaseCache):
    """Redis, or this process's memory while Redis cannot be reached.

    Throttles then count in each process separately: in total, more requests pass than their limits
    allow, but the load of each process stays bounded. The log reports this.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._redis = RedisCache(location, params | {"OPTIONS": OPTIONS})
        local_params = {"OPTIONS": {"MAX_ENTRIES": MAX_ENTRIES}}
        self._local = LocMemCache(f"instead of {location}", local_params)
        self._paused_until = 0.0

    def add(self, key: Any, value: Any, *args: Any, **options: Any) -> bool:
        return bool(self._call("add", key, value, *args, **options))

    def get(self, key: Any, *args: Any, **options: Any) -> Any:
        return self._call("get", key, *args, **options)

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        self._call("set", key, value, *args, **options)

    def touch(self, key: Any, *args: Any, **options: Any) -> bool:
        return bool(self._call("touch", key, *args, **options))

    def delete(self, key: Any, *args: Any, **options: Any) -> bool:
        return bool(self._call("delete", key, *args, **options))

    def clear(self) -> None:
        self._local.clear()
        self._call("clear")

    def _call(self, method: str, *args: Any, **options: Any) -> Any:
        """Call a method of the cache in Redis, or of the local one if Redis fails or is paused."""
        if time.monotonic() >= self._paused_until:
            try:
                return getattr(self._redis, method)(*args, **options)
            except (BadSignature, ValueError):
                self._drop(args[0])
            except ResponseError as error:
                if not str(error).startswith("WRONGTYPE"):
                    self._pause_redis(error)
                else:
                    self._drop(args[0])
            except (RedisError, OSError) as error:
                self._pause_redis(error)
        return getattr(self._local, method)(*args, **options)

    def _drop(self, key: Any) -> None:
        """Remove a foreign value under one of our keys."""
        log.warning(
            "The cache (Redis) contained a value that this site did not write; it was removed."
        )
        try:
            self._redis.delete(key)
        except (RedisError, OSError) as error:
            self._pause_redis(error)

    def _pause_redis(self, error: Exception) -> None:
        self._paused_until = time.monotonic() + PAUSE_SECONDS
        log.warning(
            "The cache (Redis) is unavailable; each process counts its own requests: %s", error
        )
