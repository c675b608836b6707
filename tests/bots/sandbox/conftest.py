"""One sandbox for many tests, and helpers to start bots and request moves."""

from __future__ import annotations

import errno
import json
import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.sandbox import BotProcess, Limits, Program, Sandbox, detect

START = b'{"type":"start","protocol":1,"rng":"seed"}'
MOVE = b'{"type":"move","view":{},"legal":["a","b"],"events":[]}'
TRICKLE = Limits(memory_mib=96, threads=6, disk_mib=4, cpu_s=2, output_bytes=1_000_000)

Opener = Callable[..., BotProcess]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need a sandbox, with the reason, if there is none."""
    folder = Path(__file__).parent
    if (isolation := detect()).level == "full":
        return
    for item in items:
        if folder in item.path.parents and item.get_closest_marker("sandbox"):
            item.add_marker(pytest.mark.skip(reason=isolation.reason))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox with the usual limits and warm runners."""
    with Sandbox(warm=2) as factory:
        yield factory


@pytest.fixture(scope="session")
def small_sandbox() -> Iterator[Sandbox]:
    """A sandbox with low limits."""
    with Sandbox(TRICKLE) as factory:
        yield factory


@pytest.fixture
def seat(sandbox: Sandbox) -> Iterator[Opener]:
    """Open bots from the source of `bot.py`; after the test none of their processes may run."""
    yield from _opener(sandbox)


@pytest.fixture
def small_seat(small_sandbox: Sandbox) -> Iterator[Opener]:
    """Like `seat`, with the low limits."""
    yield from _opener(small_sandbox)


def _opener(factory: Sandbox) -> Iterator[Opener]:
    seats: list[BotProcess] = []
    pids: list[int] = []

    def open_seat(source: str, **files: bytes) -> BotProcess:
        code = textwrap.dedent(source).encode()
        seats.append(factory.open(Program({"bot.py": code, **files}), name="bot"))
        pids.append(seats[-1]._process.pid)
        return seats[-1]

    yield open_seat
    for seat in seats:
        seat.close(grace_s=0.0)
    assert [pid for pid in pids if is_running(pid)] == []


def is_running(pid: int) -> bool:
    """Whether a process runs, as any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def protect_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody write to other processes' memory."""

    def refuse(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith("/mem"):
            raise PermissionError(errno.EACCES, "not allowed")
        return open_file(path, *arguments, **options)

    open_file = os.open
    monkeypatch.setattr(os, "open", refuse)


def ask(seat: BotProcess, timeout_s: float = 60.0) -> str:
    """Start a bot's match, and request one move."""
    seat.send(START)
    assert seat.receive(timeout_s) == b'{"type":"ready"}'
    seat.send(MOVE)
    move = json.loads(seat.receive(timeout_s))["move"]
    assert isinstance(move, str)
    return move
