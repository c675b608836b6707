"""Trusted bots run with no sandbox, under the same runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.sandbox import Limits, Program, Sandbox, SeatClosed
from tests.bots.sandbox.conftest import ask, is_running


def test_plays_and_leaves_nothing() -> None:
    source = b"import engine, os\ndef choose(view, legal): return os.getcwd()"
    with Sandbox(trusted=True) as sandbox:
        seat = sandbox.open(Program({"bot.py": source, "deep/data.txt": b"x"}), name="mine")
        pid = seat._process.pid
        folder = Path(ask(seat))
        assert (folder / "deep" / "data.txt").read_bytes() == b"x"
        assert seat.close().reason == "exited"
        assert seat.usage().cpu_ms > 0
    assert not folder.exists()
    assert not is_running(pid)


def test_warm_runners() -> None:
    with Sandbox(trusted=True, warm=1) as sandbox:
        seat = sandbox.open(Program({"bot.py": b"def choose(v, l): return l[1]"}), name="mine")
        assert ask(seat) == "b"


def test_memory_is_limited() -> None:
    source = b"def choose(view, legal): return str(len(bytearray(1 << 30)))"
    with Sandbox(Limits(memory_mib=96), trusted=True) as sandbox:
        seat = sandbox.open(Program({"bot.py": source}), name="mine")
        with pytest.raises(SeatClosed):
            ask(seat)
        assert "ends with a MemoryError. It may use 96 MiB" in seat.close().text


def test_a_crash_shows_its_traceback() -> None:
    source = b"def choose(view, legal):\n    return 1 / 0"
    with Sandbox(trusted=True) as sandbox:
        seat = sandbox.open(Program({"bot.py": source}), name="mine")
        with pytest.raises(SeatClosed):
            ask(seat)
        ending = seat.close()
    assert (ending.reason, ending.code) == ("exited", 1)
    assert b"return 1 / 0" in seat.stderr()
