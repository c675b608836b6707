"""Programs make few pipes: the machine numbers pipes with one counter, which others can read."""

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


def test_a_program_can_make_few_pipes() -> None:
    with Sandbox() as sandbox:
        for _ in range(2):
            seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
            assert ask(seat) == f"{pipes.MOST} EMFILE"
            seat.close()


def test_counting_leaves_no_descriptors() -> None:
    def descriptors() -> list[str]:
        targets = [
            str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()
        ]
        return [kind for kind in targets if "seccomp" in kind or "socket" in kind]

    with Sandbox() as sandbox:
        open_before = descriptors()
        seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
        ask(seat)
        assert any("seccomp" in kind for kind in descriptors())
        seat.close()
        deadline = time.monotonic() + 20
        while descriptors() != open_before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert descriptors() == open_before


def test_without_counting_no_program_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seccomp, "pipe_filter", lambda: b"\0" * 8)
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxUnavailable, match="does not allow counting pipes"),
    ):
        sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")


def test_numbers_are_blurred() -> None:
    steps = set()
    for _ in range(40):
        start = pipe_number()
        pipes.hide_pipe_count()
        steps.add(pipe_number() - start)
    assert len(steps) > 10


def pipe_number() -> int:
    ends = os.pipe()
    inode = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return inode
