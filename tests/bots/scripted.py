"""Seats without processes, which answer by a function, for tests of the referee."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from time import monotonic, sleep
from typing import Any

from bots.referee.outcome import SeatedBot
from bots.sandbox import Exit, Program, SeatClosed, SeatTimeout, Usage

READY = b'{"type":"ready"}'


class Later(bytes):
    """An answer that arrives at a time of the monotonic clock."""

    at: float

    def __new__(cls, line: bytes, at: float) -> Later:
        answer = super().__new__(cls, line)
        answer.at = at
        return answer


Line = bytes | Exception
Reply = Callable[[dict[str, Any]], Line]


def first_legal(message: dict[str, Any]) -> bytes:
    """Answer ready, then always the first legal move."""
    if message["type"] == "start":
        return READY
    return json.dumps({"move": message["legal"][0]}).encode()


def until(number: int, then: bytes | Exception, before: Reply = first_legal) -> Reply:
    """A reply of first legal moves, and from its own decision `number` on of `then`."""
    questions = 0

    def reply(message: dict[str, Any]) -> bytes | Exception:
        nonlocal questions
        if message["type"] == "move":
            questions += 1
            if questions > number:
                return then
        return before(message)

    return reply


class ScriptedSeat:
    """A seat that answers from a function; silence is the answer None."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.heard: list[dict[str, Any]] = []
        self.pending: list[Line | Callable[[], Line]] = []
        self.unasked = b""
        self.is_held = False
        self.closed = 0
        self.log = b""
        self.marks: list[int] = []
        self.delay_ns = 0
        self.cpu_ms = 1.0
        self.fits = True
        self.holds_kib = 10 << 10
        self.paused = False
        self.pauses = 0
        self.waited: list[float] = []
        self.ending = Exit(1, None, "exited", "It exited with status 1.")

    def send(self, line: bytes) -> None:
        assert not self.closed, "the seat is closed"
        assert b"\n" not in line
        message = json.loads(line)
        self.heard.append(message)
        if message["type"] in {"start", "move"}:
            self.pending.append(lambda: self.reply(message))

    def mark(self, move: int) -> None:
        self.marks.append(move)

    def receive(self, timeout_s: float) -> bytes:
        assert not self.paused, "a paused seat was asked"
        self.waited.append(timeout_s)
        if not self.pending:
            raise SeatTimeout
        answer = self.pending.pop(0)
        if callable(answer):
            answer = answer()
        if isinstance(answer, Later) and (left_s := answer.at - monotonic()) > 0:
            sleep(min(left_s, timeout_s))
            if left_s > timeout_s:
                self.pending.insert(0, answer)
                raise SeatTimeout
        if isinstance(answer, Exception):
            raise answer
        return answer

    def take_output(self) -> bytes:
        data, self.unasked = self.unasked, b""
        return data

    def suspended(self) -> bool:
        return self.is_held

    def runs(self) -> bool:
        return False

    def run_delay_ns(self) -> int:
        return self.delay_ns

    def cpu_ns(self) -> int:
        return int(self.cpu_ms * 1e6)

    def held_kib(self) -> int:
        return 0 if self.closed else self.holds_kib

    def enforce_memory_limit(self) -> bool:
        return self.fits

    def pause(self) -> None:
        self.paused = True
        self.pauses += 1

    def resume(self) -> None:
        self.paused = False

    def usage(self) -> Usage:
        return Usage(self.cpu_ms, 1024)

    def stderr(self) -> bytes:
        return self.log

    def close(self) -> Exit:
        self.closed += 1
        return self.ending


class ScriptedSandbox:
    """Seats in the order of the given replies."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.seats = [ScriptedSeat(reply) for reply in replies]
        self.opened = 0

    def open(self, program: Program, *, name: str) -> ScriptedSeat:
        self.opened += 1
        return self.seats[self.opened - 1]


def players(count: int) -> list[SeatedBot]:
    """Players whose program never runs."""
    return [SeatedBot(f"bot {seat}", Program({})) for seat in range(count)]


__all__ = [
    "READY",
    "ScriptedSandbox",
    "ScriptedSeat",
    "SeatClosed",
    "first_legal",
    "players",
    "until",
]
