"""The questions to a language model, and how its replies are read.

A question contains only what its seat knows: view, events and legal moves, all as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from bots.sheets.rule_sheets import rule_sheet
from engine import Format, IllegalMove, Match
from engine.declarations import PLACES, spell
from engine.english import seat_name, side_name
from engine.player_view import sentences

VERSION: Final = 1
"""Increased when the wording changes: ratings of different versions are not comparable."""

MAX_EVENTS: Final = 60
"""Maximum number of sentences about events in a question: the latest ones."""

MAX_LINE: Final = 500
"""Length limit of a reply's last line; moves are shorter."""

Problem = Literal["illegal", "unreadable", "truncated"]
PROBLEMS: Final[tuple[Problem, ...]] = ("illegal", "unreadable", "truncated")

_ASK: Final = "Reply with the number of your move, or with the move itself, and nothing else."
_SHOWN_AS_SENTENCES: Final = {"game", "format", "seat", "sides", "deal", "turn", "to_act"}
"""Keys of a view that the question shows as sentences."""
_QUOTES: Final = "*`'\"“” \t()[]{}#.,"
_LABELS: Final = re.compile(r"(?i)^(?:(?:my|the|final)\s+)*(?:answer|move|number|reply|choice)\W+")
_NUMBER: Final = re.compile("[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply as it was read: a legal move, or a problem with the reason for the model."""

    move: str | None
    problem: Problem | None = None
    reason: str = ""


def system_prompt(fmt: Format) -> str:
    """The rules of a format, and how to reply."""
    spec = fmt.spec
    sheet = rule_sheet(spec.name) or spec.summary
    changed_options = [
        f"{option.name} = {spell(value)}"
        for option in spec.options
        if (value := fmt.options.get(option.name)) is not None
        and value != option.default_for(fmt.variant, fmt.table)
    ]
    options = f"Options of this match: {', '.join(changed_options)}.\n" if changed_options else ""
    return (
        f"You play a card game: {fmt.words}. {spec.goal(fmt)}\n{options}\n{sheet.strip()}\n\n"
        f"In each message you see what you know, and your legal moves with numbers. {_ASK}"
    )


def question(match: Match, seat: int, seen_events: int) -> str:
    """The question to the seat whose turn it is. `seen_events`: the number of events that earlier
    questions showed to it."""
    fmt, view, legal = match.format, match.view(seat), match.legal_moves()
    names = PLACES[fmt.seats]
    composer = fmt.spec.composer(fmt, view, names)
    seats = ", ".join(f"{number} {name}" for number, name in enumerate(names))
    sides = " against ".join(side_name(view["sides"], side) for side in range(len(view["sides"])))
    lines = [f"Deal {view['deal'] + 1}. You are seat {seat}, {seat_name(fmt.seats, seat)}."]
    lines += [f"Seats: {seats}. Sides: {sides}.", "", "You see:"]
    lines += _entries({key: view[key] for key in view if key not in _SHOWN_AS_SENTENCES}, "")
    lines += [f"- {need.words}" for need in composer.needs()]
    events = sentences(match, seen_events, seat)[-MAX_EVENTS:]
    if events:
        lines += ["", "What happened since your last move:", *(f"- {event}" for event in events)]
    lines += ["", "Your legal moves:"]
    lines += [
        f"{number}. {move} – {composer.compose(move).sentence}"
        for number, move in enumerate(legal, 1)
    ]
    if match.truncated:
        lines.append("More moves are legal than are listed; you may reply with one of them.")
    return "\n".join([*lines, "", _ASK])


def read_reply(reply: str, match: Match, *, cut: bool) -> ParsedReply:
    """The move of a reply: a number, or the text of a legal move, on the last line.

    `cut`: whether the endpoint ended the reply before its end; then it is not read.
    """
    if cut:
        return ParsedReply(None, "truncated", "Your reply was cut off before its end.")
    lines = reply.strip().splitlines()
    candidates = _candidates(lines[-1]) if lines and len(lines[-1]) <= MAX_LINE else []
    for text in candidates:
        parsed = _move_of(text, match)
        if parsed is not None:
            return parsed
    if candidates and re.fullmatch(r"\S+", candidates[-1]):
        return ParsedReply(None, "illegal", _why_illegal(candidates[-1], match))
    return ParsedReply(None, "unreadable", "The last line of your reply is no number and no move.")


def retry_message(parsed: ParsedReply) -> str:
    """The message after a reply that is no legal move."""
    return f"{parsed.reason} {_ASK}"


def _candidates(line: str) -> list[str]:
    """The line, and its content without label and quotes; brackets may belong to a move."""
    bare = _LABELS.sub("", line.strip(_QUOTES))
    return [line.strip(), bare.strip(_QUOTES[:8]), bare.strip(_QUOTES)]


def _move_of(text: str, match: Match) -> ParsedReply | None:
    """None if the text is neither a number nor a legal move."""
    legal = match.legal_moves()
    if _NUMBER.fullmatch(text):
        if 1 <= int(text) <= len(legal):
            return ParsedReply(legal[int(text) - 1])
        return ParsedReply(None, "illegal", f"There is no move number {text}.")
    if text in legal or (text and match.is_legal(text)):
        return ParsedReply(text)
    return None


def _why_illegal(text: str, match: Match) -> str:
    try:
        match.check(text)
    except IllegalMove as error:
        return f"{text} is not a legal move: {error}."
    return f"{text} is not a legal move."


def _entries(view: Mapping[str, Any], indent: str) -> Iterator[str]:
    """The lines of an object: one for each key, more for nested values."""
    for key, value in view.items():
        yield from _entry(f"{indent}- {key.replace('_', ' ')}", value, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield f"{head}:"
        yield from _entries(value, f"{indent}  ")
    elif isinstance(value, Sequence) and not isinstance(value, str) and any(map(_nested, value)):
        yield f"{head}:"
        for number, item in enumerate(value):
            if isinstance(item, Mapping):
                yield f"{indent}  - {', '.join(f'{key} {_words(item[key])}' for key in item)}"
            else:
                yield from _entry(f"{indent}  - {number}", item, f"{indent}  ")
    else:
        yield f"{head}: {_words(value)}"


def _nested(value: Any) -> bool:
    return isinstance(value, list | tuple | dict)


def _words(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return " ".join(map(_words, value)) or "none"
        case dict():
            return "; ".join(f"{key}: {_words(part)}" for key, part in value.items()) or "none"
    return str(value)
