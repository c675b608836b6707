"""The cache that all web processes share, and its substitute while Redis is away.

Redis is not trusted: cached values are signed with the site's key, so that foreign values are
rejected, and nothing is ever executed.
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

REST: Final = 5.0
"""Seconds to wait after a failure before Redis is used again."""
OPTIONS: Final = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 0.5,
    "serializer": "cardroom.cache.Signed",
}
MAX_ENTRIES: Final = 20_000
"""Entries in memory; an evicted counter restarts at zero."""


class Signed:
    """Serializes values for Redis as signed JSON."""

    def __init__(self) -> None:
        self._signer = Signer(salt="cardroom.cache")

    def dumps(self, value: Any) -> bytes:
        """The signed text of a value."""
        return self._signer.sign_object(value).encode()

    def loads(self, data: bytes) -> Any:
        """The value; BadSignature or ValueError if it was not signed here."""
        return self._signer.unsign_object(data.decode())


class SharedCache(BaseCache):
    """Redis, or this process's memory while Redis cannot be reached.

    Throttles then count in each process separately: in total, more requests pass than their limits
    allow, but the load of each process stays bounded. The log reports this.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._shared = RedisCache(location, params | {"OPTIONS": OPTIONS})
        local_params = {"OPTIONS": {"MAX_ENTRIES": MAX_ENTRIES}}
        self._own = LocMemCache(f"instead of {location}", local_params)
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
            except (BadSignature, ValueError):
                self._drop(args[0])
            except ResponseError as error:
                if not str(error).startswith("WRONGTYPE"):
                    self._pause_redis(error)
                else:
                    self._drop(args[0])
            except (RedisError, OSError) as error:
                self._pause_redis(error)
        return getattr(self._own, verb)(*args, **options)

    def _drop(self, key: Any) -> None:
        """Remove a value under one of our names that we did not sign."""
        log.warning("The cache (Redis) held something foreign; it is removed.")
        try:
            self._shared.delete(key)
        except (RedisError, OSError) as error:
            self._pause_redis(error)

    def _pause_redis(self, error: Exception) -> None:
        self._rests_until = time.monotonic() + REST
        log.warning("The cache (Redis) is away; each process counts its own requests: %s", error)
