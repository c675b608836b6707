"""The sentences of a match's faults: what was wrong, what would be right.

How a process ended is told by `bots.sandbox.ending`, why a move was illegal by the engine; what a
check adds for the bot's author is in `bots.referee.fault_report`.
"""

from __future__ import annotations

from typing import Final

from bots.referee.clock import ClockSettings

NOT_READY: Final = 'The answer to the start line must be {"type":"ready"}.'
NO_ANSWER: Final = 'An answer is one line such as {"move":"6C"}.'
ONE_LINE: Final = "Write one line for each question, and nothing else, to standard output."
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


def only_blank(lines: int) -> str:
    """It sent so many lines without anything in them."""
    return f"More than {lines:,} empty lines came, and no answer."


def too_many(lines: int, first: str, asked: int | None) -> str:
    """Output waited for the referee before the next question; `asked`: the one before it."""
    after = "before the first question" if asked is None else f"after question {asked}"
    many = "A line" if lines == 1 else f"{lines:,} lines"
    which = "" if lines == 1 else "the first is "
    return f"{many} too many {after}: {which}'{first}'. {ONE_LINE}"


def of_another(number: int, answered: int) -> str:
    """Its `n` names another question than the one asked."""
    said = f'By its "n" this line answers question {answered}, but question {number} was asked.'
    return f"{said} {ONE_LINE}"


def once_more(asked: int) -> str:
    """A move that is wrong is the line that answered the question before."""
    return f"The same line answered question {asked}; did the bot write it twice?"


def sent_instead(data: bytes, blank_lines: int, *, may_buffer: bool) -> str:
    """What came though no answer did in time, and what may be wrong with it; may be empty.

    may_buffer: whether the bot's answers may still wait in a buffer of its own.
    """
    if text := data.strip():
        if data.endswith(b"\n"):
            return "An answer came after that."
        return (
            f"{len(text):,} bytes came without a line end: "
            "write a newline after each answer, then flush."
        )
    if blank_lines or data:
        return "Nothing but empty lines came."
    if may_buffer:
        return "Nothing came: if the bot writes through a buffer, it must flush after each line."
    return ""
