"""The lines between platform and bot: one JSON object per line, in ASCII with escapes.

Building a line costs one C call; a regular expression reads the usual answers. A line that is not
an answer is read as None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from cardroom_base.core.safe_text import one_line, readable
from engine.json_text import JSONError, parse_json
from engine.record import MAX_MOVE, MAX_NOTE

if TYPE_CHECKING:
    from bots.schemas.messages import DealMessage, MoveMessage, StartMessage, Times

try:
    import msgspec
except ImportError:  # sandboxes are also tested where nothing is installed
    msgspec = None  # type: ignore[assignment]

PROTOCOL = 1
"""The protocol's number; increment it for a change that old bots cannot ignore."""
MAX_LINE = 64 * 1024
"""The longest line, in bytes, that is parsed as JSON; the channel enforces `Limits.line_bytes`."""
MAX_RECEIVED = 200
"""Maximum number of characters of a faulty line that the record keeps."""

_encode_with_escapes = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_PLAIN = re.compile(rb'\{"move": ?"([!#-\[\]-~]{1,200})"(?:, ?"n": ?([0-9]{1,9}))?\}\s*')


class Answer(NamedTuple):
    move: str
    note: str | None = None
    number: int | None = None
    """The number of the answered question (`n`), if the bot gave it."""


def encode(message: Mapping[str, Any]) -> bytes:
    """One message as one line, without the newline that the channel adds.

    msgspec takes a tenth of the time of `json` but writes no escapes: only names need them.
    """
    if msgspec is not None:
        with suppress(UnicodeEncodeError):  # a lone surrogate
            line = msgspec.json.encode(message)
            if line.isascii():
                return line
    return _encode_with_escapes(message).encode("ascii")


def start_line(
    *,
    format_text: str,
    seat: int,
    sides: Sequence[Sequence[int]],
    players: Sequence[str],
    clock: Times,
    rng: str,
) -> bytes:
    """The first line of a match; the bot answers `{"type":"ready"}`."""
    message: StartMessage = {
        "type": "start",
        "protocol": PROTOCOL,
        "format": format_text,
        "seat": seat,
        "sides": [list(side) for side in sides],
        "players": list(players),
        "clock": clock,
        "rng": rng,
    }
    return encode(message)


def move_line(
    number: int,
    view: dict[str, Any],
    legal: list[str],
    events: list[dict[str, Any]],
    *,
    truncated: bool,
    bank_ms: int,
) -> bytes:
    """A question: decide move `number` (from 0, counted over the match)."""
    message: MoveMessage[dict[str, Any], dict[str, Any]] = {
        "type": "move",
        "n": number,
        "view": view,
        "legal": legal,
        "truncated": truncated,
        "events": events,
        "clock": {"bank_ms": bank_ms},
    }
    return encode(message)


def deal_line(number: int, dealer: int, sheet: dict[str, Any]) -> bytes:
    """A finished deal, numbered from 0, and its score sheet; the bot does not answer."""
    message: DealMessage[dict[str, Any]] = {
        "type": "deal",
        "deal": number,
        "dealer": dealer,
        "sheet": sheet,
    }
    return encode(message)


def end_line(result: Mapping[str, Any]) -> bytes:
    """The end of the match; the bot does not answer."""
    return encode({"type": "end", "result": result})


def parse_answer(line: bytes) -> Answer | None:
    """A bot's answer; None if the line is not one."""
    plain_match = _PLAIN.fullmatch(line)
    if plain_match is not None:
        number = plain_match[2]
        return Answer(plain_match[1].decode("ascii"), None, None if number is None else int(number))
    answer = _parse_object(line)
    if answer is None:
        return None
    move, note, number = answer.get("move"), answer.get("note"), answer.get("n")
    if not isinstance(move, str) or not 0 < len(move) <= MAX_MOVE:
        return None
    if number is not None and type(number) is not int:
        return None
    if note is not None:
        if not isinstance(note, str):
            return None
        note = readable(printable(note[:MAX_NOTE]))
    return Answer(move, note, number)


def is_ready(line: bytes) -> bool:
    """Whether a line is an object with `"type":"ready"`."""
    answer = _parse_object(line)
    return answer is not None and answer.get("type") == "ready"


def is_blank(line: bytes) -> bool:
    """Whether a line is empty; such lines are skipped."""
    return not line or line.isspace()


def received_text(data: bytes) -> str:
    """The beginning of a bot's output, for the record: one line of harmless text."""
    text = data[: MAX_RECEIVED * 4].decode("utf-8", "replace").strip()
    return one_line(printable(text), MAX_RECEIVED)


def printable(text: str) -> str:
    """The text without lone surrogates and NUL, which databases and files refuse."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def _parse_object(line: bytes) -> dict[str, Any] | None:
    try:
        # A note may end inside a surrogate pair.
        answer = parse_json(line, MAX_LINE, allow_lone_surrogates=True)
    except JSONError:
        return None
    return answer if isinstance(answer, dict) else None
