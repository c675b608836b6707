"""The sentences of a match's faults: the error and the remedy.

`bots.sandbox.ending` describes how a process ended, the engine why a move was illegal.
`bots.referee.fault_report` adds the text that a check shows to the bot's author.
"""

from __future__ import annotations

from typing import Final

from bots.referee.clock import ClockSettings

NOT_READY: Final = 'The answer to the start line must be {"type":"ready"}.'
NO_ANSWER: Final = 'An answer is one line such as {"move":"6C"}.'
ONE_LINE: Final = "Write one line for each question, and nothing else, to standard output."
CLOSED: Final = "The bot closed its output and kept running."
KILLED_TWICE: Final = (
    "For the second time in this deal group the machine seems to have killed this bot. The bot may "
    "have caused it, so it counts as a fault."
)


def late_start(seconds: int) -> str:
    return f'No {{"type":"ready"}} within {seconds} seconds of the start.'


def out_of_time(clock: ClockSettings) -> str:
    return (
        f"No answer in time: the bot used up the {clock.move_ms} ms for the move "
        f"and its time bank of {clock.bank_ms} ms."
    )


def too_long(problem: str) -> str:
    """`problem`: the end of a sentence about the line's length."""
    return f"An answer must be short, but {problem}."


def blank_lines_only(lines: int) -> str:
    return f"The bot sent more than {lines:,} empty lines and no answer."


def unexpected_lines(lines: int, first_line: str, previous: int | None) -> str:
    """Lines that no question asked for; `previous`: the last question's number, None if none."""
    place = "before the first question" if previous is None else f"after question {previous}"
    count_text = "One line" if lines == 1 else f"{lines:,} lines"
    intro = "" if lines == 1 else "the first is "
    return f"{count_text} too many {place}: {intro}'{first_line}'. {ONE_LINE}"


def wrong_number(number: int, answered: int) -> str:
    """The answer's `n` is not the number of the question."""
    problem = f'This line\'s "n" answers question {answered}, but question {number} was asked.'
    return f"{problem} {ONE_LINE}"


def repeated_line(previous: int) -> str:
    """The line with an illegal move is the same as the answer to the previous question."""
    return f"The same line answered question {previous}; did the bot write it twice?"


def silence_hint(data: bytes, blank_lines: int, *, may_buffer: bool) -> str:
    """A guess at why no answer came in time, from the output so far; may be empty.

    `may_buffer`: whether answers may still be in an output buffer of the bot's program.
    """
    if text := data.strip():
        if data.endswith(b"\n"):
            return "An answer came too late."
        return (
            f"The bot sent {len(text):,} bytes without a newline: "
            "write one after each answer, then flush."
        )
    if blank_lines or data:
        return "The bot sent only empty lines."
    if may_buffer:
        return "The bot sent nothing: if its output is buffered, it must flush after each line."
    return ""
