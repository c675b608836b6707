"""JSON from outside: only what a well-meaning program would write, and within limits.

UTF-8, no endless nesting, no number longer than 64 bits need, no NaN, no key twice, no half of a
character. `json.loads` accepts all of these, and the code behind it stumbles over them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, Final

MAX_DEPTH: Final = 32
"""Depth of nested objects and lists; our own formats need eight."""
MAX_DIGITS: Final = 18
"""Digits of a whole number: as 64 bits hold, and so every database."""
MAX_REAL: Final = 40
"""Characters of a number with a point or an exponent; a `double` needs 25."""

_NO_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\[\]{}"]+', re.DOTALL)
_INNERMOST = re.compile(r"\[\]|\{\}")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class JSONError(ValueError):
    """A text that is not JSON, or is beyond the limits; the message names the fault."""


def parse_json(content: bytes | str, limit: int, *, halves: bool = False) -> Any:
    """The value of a JSON text of at most `limit` bytes; JSONError names the fault.

    `halves` lets lone surrogates (`"\\ud800"`) pass: no file and no database takes them.
    """
    if len(content) > limit:
        raise JSONError(f"It is longer than {limit:,} bytes.")
    text = _decoded(content) if isinstance(content, bytes) else content
    if isinstance(content, str) and not halves:
        _encoded(content)
    _check_depth(text)
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        raise JSONError(f"{error}.") from None
    if not halves and _HALF.search(text):
        _encoded(json.dumps(value, ensure_ascii=False))
    return value


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise JSONError(f"It is not UTF-8 text (byte {error.start}).") from None


def _check_depth(text: str) -> None:
    """Refuse deep nesting without recursion: take the innermost brackets away, again and again."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    brackets = _NO_BRACKETS.sub("", text)
    for _ in range(MAX_DEPTH):
        left = _INNERMOST.sub("", brackets)
        if not left:
            return
        if left == brackets:
            break
        brackets = left
    raise JSONError(f"Its brackets do not match, or are nested more than {MAX_DEPTH} deep.")


def _encoded(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise JSONError("A text in it has half a character (a lone surrogate).") from None


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise JSONError(f"A number has {len(digits):,} digits; it may have {MAX_DIGITS}.")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits) if len(digits) <= MAX_REAL else math.inf
    if math.isinf(number):
        raise JSONError(f"The number {digits[:20]!r} is larger, or longer, than numbers may be.")
    return number


def _constant(name: str) -> float:
    raise JSONError(f"{name} is not a number in JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise JSONError(f"The key {twice[:60]!r} stands twice in one object.")
    return value


_decode = json.JSONDecoder(
    parse_int=_whole, parse_float=_real, parse_constant=_constant, object_pairs_hook=_object
).decode
