"""Programs make few pipes: a counter of the whole machine numbers them, which others can read."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bots.sandbox import Program, Sandbox, SandboxUnavailable, pipes, seccomp
from tests.bots.sandbox.conftest import ask

pytestmark = pytest.mark.sandbox

MAKES = b"""#!/usr/bin/env python3
import errno, json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "move":
        made, cause = 0, ""
        while made < 1000 and not cause:
            try:
                for end in os.pipe():
                    os.close(end)
                made += 1
            except OSError as error:
                cause = errno.errorcode[error.errno]
        print(json.dumps({"move": f"{made} {cause}"}), flush=True)
"""


def test_a_program_makes_only_so_many() -> None:
    with Sandbox() as sandbox:
        for _ in range(2):
            seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
            assert ask(seat) == f"{pipes.MOST} EMFILE"
            seat.close()


def test_nothing_is_left_of_the_counting() -> None:
    def descriptors() -> list[str]:
        found = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()]
        return [kind for kind in found if "seccomp" in kind or "socket" in kind]

    with Sandbox() as sandbox:
        before = descriptors()
        seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
        ask(seat)
        assert any("seccomp" in kind for kind in descriptors())
        seat.close()
        deadline = time.monotonic() + 20
        while descriptors() != before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert descriptors() == before


def test_where_the_kernel_lets_nobody_count_no_program_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seccomp, "pipe_filter", lambda: b"\0" * 8)
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxUnavailable, match="does not allow counting pipes"),
    ):
        sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")


def test_numbers_are_blurred() -> None:
    seen = set()
    for _ in range(40):
        first = number()
        pipes.hide_pipe_count()
        seen.add(number() - first)
    assert len(seen) > 10


def number() -> int:
    ends = os.pipe()
    found = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return found
