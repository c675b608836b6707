"""Programs get few pipes, whose numbers tell nothing about other bots' pipes."""

from __future__ import annotations

import json
import os
import re
import textwrap
import time
from pathlib import Path

import pytest

from bots.sandbox import Program, Sandbox, SandboxUnavailable, pick_cpu, pipes, seccomp
from tests.bots.sandbox.conftest import MOVE, ask, protect_memory

pytestmark = pytest.mark.sandbox


def program(body: str) -> bytes:
    """A bot in Python whose move is the text that the statements assign to `move`."""
    head = """#!/usr/bin/env python3
import errno, fcntl, json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "move":
"""
    end = 'print(json.dumps({"move": move}), flush=True)\n'
    return (head + textwrap.indent(body.lstrip() + end, " " * 8)).encode()


MAKES = program("""
made, cause = 0, ""
while made < 1000 and not cause:
    try:
        for end in os.pipe():
            os.close(end)
        made += 1
    except OSError as error:
        cause = errno.errorcode[error.errno]
move = f"{made} {cause}"
""")


def test_a_program_can_make_few_pipes() -> None:
    with Sandbox() as sandbox:
        for _ in range(2):
            seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
            assert ask(seat) == f"{pipes.MAX_PIPES} EMFILE"
            seat.close()


STARTS = program("""
codes = []
for _ in range(40):
    try:
        os.execv("text", ["text"])
    except OSError as error:
        codes.append(errno.errorcode[error.errno])
move = " ".join(codes)
""")


def test_a_program_can_start_few_others() -> None:
    """The runner starts `env`, which starts Python."""
    others = pipes.MAX_STARTS - 2
    files = {"bot": STARTS, "text": b"not a program"}
    with Sandbox() as sandbox:
        codes = ask(sandbox.open(Program(files, ("./bot",)), name="bot")).split()
    assert codes == ["ENOEXEC"] * others + ["EPERM"] * (40 - others)


PIPES_OF_KINDS = program("""
results = []
quick, closing = os.O_NONBLOCK, os.O_CLOEXEC
for flags in (0, quick, closing, quick | closing, os.O_DIRECT, 1 << 30):
    try:
        reading, writing = os.pipe2(flags)
    except OSError as error:
        results.append(errno.errorcode[error.errno])
        continue
    os.write(writing, b"through")
    closes = {not os.get_inheritable(end) for end in (reading, writing)}
    waits = {os.get_blocking(end) for end in (reading, writing)}
    os.close(writing)
    text, end = os.read(reading, 99).decode(), os.read(reading, 1)
    results.append([text, end == b"", *closes, *waits])
move = json.dumps(results)
""")


def test_pipes_work_as_usual() -> None:
    with Sandbox() as sandbox:
        seat = sandbox.open(Program({"bot": PIPES_OF_KINDS}, ("./bot",)), name="bot")
        assert json.loads(ask(seat)) == [
            ["through", True, False, True],
            ["through", True, False, False],
            ["through", True, True, True],
            ["through", True, True, False],
            "EINVAL",
            "EINVAL",
        ]


def test_the_kernel_creates_pipes_if_memory_becomes_protected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Sandbox() as sandbox:
        protect_memory(monkeypatch)
        seat = sandbox.open(Program({"bot": MAKES}, ("./bot",)), name="bot")
        assert ask(seat) == f"{pipes.MAX_PIPES} EMFILE"
        seat.close()


NUMBERS = program("""
move = str(os.fstat(os.pipe()[0]).st_ino)
""")


def test_numbers_of_pipes_tell_nothing_about_other_bots() -> None:
    cpu = pick_cpu(0)
    with Sandbox(cpu=cpu) as sandbox:
        first, second = (
            sandbox.open(Program({"bot": NUMBERS}, ("./bot",)), name=name) for name in "ab"
        )
        numbers = [int(ask(first))]
        for _ in range(3):
            ask(second)
        first.send(MOVE)
        numbers.append(int(json.loads(first.receive(60.0))["move"]))
        assert numbers[0] - numbers[1] == 1  # whatever others created meanwhile


def test_giving_leaves_no_descriptors() -> None:
    def descriptors() -> list[str]:
        targets = [
            str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()
        ]
        return [kind for kind in targets if re.search("seccomp|socket|pipe", kind)]

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


def test_without_pipes_no_program_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seccomp, "asking_filter", lambda: b"\0" * 8)
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxUnavailable, match="does not allow the platform to supply pipes"),
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
