"""Explain a fault to the bot's author: the event, the expected behaviour, how to reproduce it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Final

from bots.referee.clock import ClockSettings
from bots.referee.outcome import Fault
from bots.referee.protocol import printable
from cardroom_base.core.safe_text import one_line
from engine import Match, Record

MAX_LISTED = 12
"""Maximum number of legal moves that a message lists; a position may have hundreds."""

_MARK: Final = re.compile(r"-- move \d+ --")  # a heading from the sandbox, not from the bot


@dataclass(frozen=True, slots=True)
class Problem:
    summary: str
    """Two sentences for a beginner."""
    detail: str
    """Several lines: the bot's output, legal moves, view, the commands that reproduce it."""


def explain(fault: Fault, record: Record | None, last_line: str, commands: list[str]) -> Problem:
    """The problem behind a fault.

    `record`: the record of its match; None if the bot was only started. `last_line`: the last line
    of the bot's log. `commands`: the commands that reproduce the problem at home.
    """
    match = None if record is None or fault.kind == "start" else _position(record, fault.move)
    return Problem(_summary(fault, match, last_line), _detail(fault, match, last_line, commands))


def last_log_line(stderr: bytes) -> str:
    """The last line of a log that is not empty; in a traceback this is the exception."""
    log = printable(stderr[-4000:].decode("utf-8", "replace"))
    lines = (one_line(line.strip(), 300) for line in reversed(log.split("\n")))
    return next((line for line in lines if line and not _MARK.fullmatch(line)), "")


def commands_for(record: Record, bots: list[str], clock: ClockSettings) -> list[str]:
    """The commands that play a record's match again and show it; `bots`: by seat."""
    play_command = play_command_of(record, bots, clock)
    return [f"{play_command} --record problem.json", "cardroom replay problem.json"]


def play_command_of(record: Record, bots: list[str], clock: ClockSettings) -> str:
    """The command that plays a record's match again; `bots`: by seat."""
    secret = [] if record.rng is None else ["--rng", record.rng]
    times = ["--move-ms", str(clock.move_ms), "--bank-ms", str(clock.bank_ms)]
    arguments = ["cardroom", "play", record.format, *bots, "--seed", record.seed, *secret, *times]
    return shlex.join(arguments)


def _summary(fault: Fault, match: Match | None, last_line: str) -> str:
    place = f"move {fault.move} of {match.format}, seat {fault.seat}" if match else "the start"
    received_quote = f" ({fault.received!r})" if fault.received else ""
    log_text = f" Its log ends: {last_line}" if last_line else ""
    match fault.kind:
        case "start":
            return f"Your bot did not get ready to play{received_quote}. {fault.detail}{log_text}"
        case "crash":
            return f"Your bot crashed at {place}. {fault.detail}{log_text}"
        case "time":
            hint = " Spend less time per move, or stop when the clock in the question runs out."
            advice = "" if fault.received else hint
            return f"Your bot was too slow at {place}{received_quote}. {fault.detail}{advice}"
        case "extra":
            return f"Your bot wrote a line that answers no question, before {place}. {fault.detail}"
        case "garbage":
            return (
                f"Your bot sent something that is not an answer at {place}{received_quote}. "
                f"{fault.detail} In Python, choose must return one of the strings in its list of "
                "legal moves."
            )
    legal = _some_moves(match.legal_moves()) if match else "none"
    period = "" if fault.detail.endswith("?") else "."
    illegal = f"Your bot made an illegal move at {place}: {fault.detail}{period}"
    return f"{illegal} The legal moves were {legal}."


def _some_moves(legal: list[str]) -> str:
    omitted = len(legal) - MAX_LISTED
    return ", ".join(legal[:MAX_LISTED]) + (f" and {omitted} more" if omitted > 0 else "")


def _detail(fault: Fault, match: Match | None, last_line: str, commands: list[str]) -> str:
    lines = [f"Fault: {fault.kind}. {fault.detail}"]
    if fault.received:
        lines.append(f"Received: {fault.received}")
    if last_line:
        lines.append(f"The bot's log ends: {last_line}")
    if match is not None:
        view = match.view(fault.seat)
        lines.append(f"Legal moves: {_some_moves(match.legal_moves())}")
        lines.append("The bot's view:")
        lines += [f"  {key}: {json.dumps(value)}" for key, value in view.items()]
    lines.append("To reproduce it at home:")
    lines += [f"  {command}" for command in commands]
    return "\n".join(lines)


def _position(record: Record, number: int) -> Match:
    """The match before move `number`."""
    match = record.start()
    for move in record.moves[:number]:
        match.play(move)
    return match
