"""Measures the referee's time per move, against the same messages over bare pipes with `json`.

Ours: engine, views, clock, record and two sandboxed Python bots that play the first legal move.
Peer: two plain `python3 -I` processes that parse each line and answer with the same move; their
parent writes each message with `json.dumps`, polls, reads and parses. Both run on one core.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from time import perf_counter
from typing import Any

from bots.package.package import Package
from bots.referee.referee import SeatedBot, play_match
from bots.sandbox import BotProcess, Limits, Program, Sandbox, pick_cpu, pin, unpin
from engine import Format
from tests.benchmarks.measure import Ratio, alternate

FIRST = b"def choose(view, legal):\n    return legal[0]\n"
FORMAT = "cassino/standard/1v1?deals=20&target=0"
PONG = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "start":
        print('{"type":"ready"}', flush=True)
    elif kind == "move":
        print(json.dumps({"move": message["legal"][0]}), flush=True)
"""


class RecordingSandbox:
    """A sandbox that records the messages to each seat."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.lines: list[tuple[int, Any]] = []
        self.opened = 0

    def open(self, program: Program, *, name: str) -> RecordingSeat:
        self.opened += 1
        return RecordingSeat(self.sandbox.open(program, name=name), self, self.opened - 1)


class RecordingSeat:
    """A seat that records its lines."""

    def __init__(self, seat: BotProcess, sandbox: RecordingSandbox, index: int) -> None:
        self._seat, self._sandbox, self._index = seat, sandbox, index

    def send(self, line: bytes) -> None:
        self._sandbox.lines.append((self._index, json.loads(line)))
        self._seat.send(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seat, name)


def players() -> list[SeatedBot]:
    package = Package.load(FIRST, filename="bot.py")
    return [SeatedBot("first", package), SeatedBot("second", package)]


def ours(sandbox: Sandbox) -> float:
    """Microseconds per move of a whole match, with warm sandboxes."""
    bots = players()
    start = perf_counter()
    outcome = play_match(Format.parse(FORMAT), "bench", bots, sandbox=sandbox)
    return (perf_counter() - start) / len(outcome.record.moves) * 1e6


def ping_pong(lines: list[tuple[int, Any]]) -> float:
    """Microseconds per question with the same messages over bare pipes."""
    children = [
        subprocess.Popen(
            [sys.executable, "-I", "-c", PONG],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        for _ in range(2)
    ]
    polls = [select.poll() for _ in children]
    for child, poll in zip(children, polls, strict=True):
        assert child.stdout is not None
        poll.register(child.stdout, select.POLLIN)
    start, questions = perf_counter(), 0
    for index, message in lines:
        child = children[index]
        assert child.stdin is not None
        assert child.stdout is not None
        os.write(child.stdin.fileno(), json.dumps(message).encode() + b"\n")
        if message["type"] not in ("start", "move"):
            continue
        polls[index].poll(10_000)
        json.loads(os.read(child.stdout.fileno(), 65_536))
        questions += message["type"] == "move"
    seconds = perf_counter() - start
    for child in children:
        child.kill()
        child.communicate()
    return seconds / questions * 1e6


def run(rounds: int) -> list[Ratio]:
    """One line."""
    cpu = pick_cpu(0)
    with Sandbox(Limits(), warm=2, cpu=cpu) as sandbox:
        recorder = RecordingSandbox(sandbox)
        play_match(Format.parse(FORMAT), "bench", players(), sandbox=recorder)
        pin(cpu)
        try:
            our_us, peer_us = alternate(
                lambda: ours(sandbox), lambda: ping_pong(recorder.lines), rounds
            )
        finally:
            unpin()
    return [
        Ratio("referee", "µs a move", our_us, peer_us, "poll + json ping-pong", "1.5×, aim 1.0×")
    ]
