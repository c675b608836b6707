"""Checks the shape of JSON from outside with msgspec, against a dataclass or a TypedDict.

`engine.json_text.parse_json` reads the text, because msgspec's own decoder accepts duplicate keys,
thousands of nested brackets and whole numbers of any length.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_MESSAGE = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_TYPE_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


class ShapeError(ValueError):
    """JSON of an invalid shape. The message names the field, its value and the valid values."""


def convert_json(value: object, kind: type[T]) -> T:
    """Convert a value of `parse_json` to this type; ShapeError names the invalid field.

    Unknown fields are ignored. `1.0` and `true` are not whole numbers.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ShapeError(_sentence(str(error), value)) from None


def _sentence(message: str, value: Any) -> str:
    """msgspec's message in our words, with the invalid value."""
    parts = _MESSAGE.fullmatch(message)
    text, path = (parts["what"], parts["path"] or "") if parts else (message, "")
    name = path.removeprefix(".") or "it"
    if "required field" in text:
        return f"{path}.{text.split('`')[1]}".removeprefix(".") + " is missing."
    if not text.startswith("Expected "):  # a message of the type's own check
        return f"{name}: {text}"
    for key, index in _STEP.findall(path):
        value = value[key or int(index)]
    expected = re.sub(
        r"`([^`]*)`", _type_names, text.removeprefix("Expected ").partition(", got")[0]
    )
    return f"{name} must be {expected}, not {value!r:.60}."


def _type_names(types: re.Match[str]) -> str:
    return " or ".join(_TYPE_NAMES.get(name, name) for name in types[1].split(" | "))
