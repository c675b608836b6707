"""The shape of JSON from outside, checked by msgspec against a dataclass or a TypedDict.

`engine.json_text.parse_json` reads the text: msgspec's own decoder takes a key twice, thousands of
brackets inside each other and whole numbers of any length.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_MESSAGE = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


class ShapeError(ValueError):
    """JSON of another shape; the message names the field, what it must be, and what it is."""


def shaped(value: object, kind: type[T]) -> T:
    """A value of `parse_json` as the type; ShapeError says where it differs.

    More fields than the type has are passed over. Whole numbers are neither `1.0` nor `true`.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ShapeError(_sentence(str(error), value)) from None


def _sentence(message: str, value: Any) -> str:
    """msgspec's message in our words, with the value that is wrong."""
    parts = _MESSAGE.fullmatch(message)
    what, path = (parts["what"], parts["path"] or "") if parts else (message, "")
    name = path.removeprefix(".") or "it"
    if "required field" in what:
        return f"{path}.{what.split('`')[1]}".removeprefix(".") + " is missing."
    if not what.startswith("Expected "):  # said by the type itself
        return f"{name}: {what}"
    for key, index in _STEP.findall(path):
        value = value[key or int(index)]
    right = re.sub(r"`([^`]*)`", _in_words, what.removeprefix("Expected ").partition(", got")[0])
    return f"{name} must be {right}, not {value!r:.60}."


def _in_words(types: re.Match[str]) -> str:
    return " or ".join(_WORDS.get(name, name) for name in types[1].split(" | "))
