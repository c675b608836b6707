"""Adds the request, match or attempt of a thread to its lines in the log."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

FIELDS: Final[tuple[str, ...]] = ("request_id", "match", "attempt", "worker")

_fields: ContextVar[Mapping[str, str | int]] = ContextVar("log_fields", default={})  # noqa: B039 - never changed
_node = ""


@contextmanager
def add_log_fields(**fields: str | int) -> Iterator[None]:
    """Add these `FIELDS` to the lines that this thread logs in the block."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(token)


def set_worker(node: str) -> None:
    """Set the name that this worker has in Celery, for all threads and forked processes."""
    global _node
    _node = node


def current_fields() -> dict[str, str | int]:
    """The fields of this thread; `worker` is the worker's name with its process, as in attempts."""
    worker: dict[str, str | int] = {"worker": f"{_node}/{os.getpid()}"} if _node else {}
    return {**_fields.get(), **worker}
