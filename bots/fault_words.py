"""The sentences of a match's faults: what was wrong, what would be right.

How a process ended is told by `bots.sandbox.ending`, why a move was illegal by the engine; what a
check adds for the bot's author is in `bots.explain`.
"""

from __future__ import annotations

from typing import Final

from bots.clock import ClockSettings

NOT_READY: Final = 'The answer to the start line must be {"type":"ready"}.'
NO_ANSWER: Final = 'An answer is one line such as {"move":"6C"}.'
CLOSED: Final = "The bot closed its output and kept running."
TWICE: Final = (
    "It is the second time in this deal group that the machine seems to have taken this bot away, "
    "and the bot may be what causes it; so it counts as a fault."
)


def late_start(seconds: int) -> str:
    """It was not ready in time."""
    return f'No {{"type":"ready"}} within {seconds} seconds of the start.'


def out_of_time(clock: ClockSettings) -> str:
    """Its move was late."""
    return (
        f"No answer in time: {clock.move_ms} ms for the move were over "
        f"and nothing was left of the bank of {clock.bank_ms} ms."
    )


def too_long(problem: str) -> str:
    """Its line was too long; `problem` says how."""
    return f"An answer must be short, but {problem}."
