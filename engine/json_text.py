"""Parses JSON from outside, within limits that correct programs never exceed.

It requires UTF-8 and refuses deep nesting, numbers beyond 64 bits, NaN, duplicate keys and lone
surrogates. `json.loads` accepts all of these, and later code would fail on them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any, Final

MAX_DEPTH: Final = 32
"""Maximum depth of nested objects and lists; our own formats need eight."""
MAX_DIGITS: Final = 18
"""Maximum number of digits of a whole number, which then fits in 64 bits and in every database."""
MAX_REAL: Final = 40
"""Maximum length, in characters, of a number with a point or an exponent; a `double` needs 25."""

_NO_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\[\]{}"]+', re.DOTALL)
_INNERMOST = re.compile(r"\[\]|\{\}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JSONError(ValueError):
    """A text that is not JSON, or exceeds the limits; the message names the fault."""


def parse_json(content: bytes | str, limit: int, *, allow_lone_surrogates: bool = False) -> Any:
    """The value of a JSON text of at most `limit` bytes; JSONError names the fault.

    Files and databases cannot store lone surrogates (`"\\ud800"`).
    """
    if len(content) > limit:
        raise JSONError(f"It is longer than {limit:,} bytes.")
    text = _decoded(content) if isinstance(content, bytes) else content
    if isinstance(content, str) and not allow_lone_surrogates:
        _check_surrogates(content)
    _check_depth(text)
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        raise JSONError(f"{error}.") from None
    if not allow_lone_surrogates and _SURROGATE.search(text):
        _check_surrogates(json.dumps(value, ensure_ascii=False))
    return value


def json_parts(
    file: IO[bytes], max_bytes: int, max_line_bytes: int
) -> Iterator[tuple[int | None, Any]]:
    """The JSON values of a file: one value, the values of a list, or one value for each line.

    Yields (number from 0, value), or (None, value) for one value. `max_bytes`: size limit of a
    value or list; `max_line_bytes`: of a line. JSONError names the fault of the next value.
    """
    first_line = _next_line(file, max_bytes)
    second_line = b""
    if first_line.rstrip().endswith(b"}") and first_line.lstrip().startswith(b"{"):
        second_line = _next_line(file, max_line_bytes)
    if second_line:
        yield 0, parse_json(first_line, max_line_bytes)
        number = 1
        while second_line:
            yield number, parse_json(second_line, max_line_bytes)
            number, second_line = number + 1, _next_line(file, max_line_bytes)
        return
    value = parse_json(first_line + file.read(max(max_bytes + 1 - len(first_line), 0)), max_bytes)
    if isinstance(value, list):
        yield from enumerate(value)
    else:
        yield None, value


def _next_line(file: IO[bytes], max_bytes: int) -> bytes:
    """The next line that is not blank, or its first `max_bytes` + 1 bytes; empty at the end."""
    line = file.readline(max_bytes + 1)
    while line and not line.strip():
        line = file.readline(max_bytes + 1)
    return line


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise JSONError(f"It is not UTF-8 text (byte {error.start}).") from None


def _check_depth(text: str) -> None:
    """Refuse deep nesting without recursion, by repeatedly removing the innermost brackets."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    brackets = _NO_BRACKETS.sub("", text)
    for _ in range(MAX_DEPTH):
        outer = _INNERMOST.sub("", brackets)
        if not outer:
            return
        if outer == brackets:
            break
        brackets = outer
    raise JSONError(f"Its brackets do not match or are nested more than {MAX_DEPTH} deep.")


def _check_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise JSONError("A text in it has a lone surrogate (half a character).") from None


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise JSONError(f"A number has {len(digits):,} digits; it may have {MAX_DIGITS}.")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits) if len(digits) <= MAX_REAL else math.inf
    if math.isinf(number):
        raise JSONError(f"The number {digits[:20]!r} is larger, or longer, than numbers may be.")
    return number


def _constant(name: str) -> float:
    raise JSONError(f"{name} is not a number in JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        duplicate = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise JSONError(f"The key {duplicate[:60]!r} occurs twice in an object.")
    return value


_decode = json.JSONDecoder(
    parse_int=_integer, parse_float=_float, parse_constant=_constant, object_pairs_hook=_object
).decode
