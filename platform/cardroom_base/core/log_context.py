"""The request, match or attempt that a thread is at work on, for its lines in the log."""

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
def at_work_on(**fields: str | int) -> Iterator[None]:
    """Add these `FIELDS` to the lines that this thread logs in the block."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(token)


def name_worker(node: str) -> None:
    """Set the worker's name in Celery, for all threads and forked processes."""
    global _node
    _node = node


def current() -> dict[str, str | int]:
    """The fields that are known here; a worker's name is that of its process, as in attempts."""
    worker: dict[str, str | int] = {"worker": f"{_node}/{os.getpid()}"} if _node else {}
    return {**_fields.get(), **worker}
