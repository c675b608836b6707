"""JSON Schema (2020-12) of protocol, records, views, events and score sheets, and tables of keys.

All of it is made from types that the engine and `messages` declare. The generator of msgspec is not
used: it ignores plain texts in `Annotated`, and leaves typed dictionaries open to unknown keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from bots.schemas import messages
from engine import registry
from engine.game import Game
from engine.json_types import FaultEntry, Player, RecordJson

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_MARK: Final = re.compile(
    r"<!-- keys: ([a-z0-9-]+) -->(?:\n\n\|.*?\n\n<!-- end of keys -->)?", re.DOTALL
)
_PLAIN: Final[dict[Any, dict[str, Any]]] = {
    Any: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}
_OPEN: Final = (Player, FaultEntry)
"""Objects in which programs may add keys of their own (`engine.record.Record`)."""
_TYPES: Final = {"object": "object", "string": "text", "integer": "number", "boolean": "true/false"}
"""JSON's types in the words of tables."""


@cache
def _types() -> dict[str, Any]:
    """The described types by the names of their documents."""
    question: Any = messages.MoveMessage
    deal: Any = messages.DealMessage
    types: dict[str, Any] = {
        "start": messages.StartMessage,
        "ready": messages.ReadyMessage,
        "move": question[dict[str, Any], dict[str, Any]],
        "answer": messages.AnswerMessage,
        "deal": deal[dict[str, Any]],
        "end": messages.EndMessage,
        "record": RecordJson,
    }
    for game in registry.games():
        declared = game.json_types() if isinstance(game, Game) else None
        if declared is not None:
            types |= {
                f"{game.name}-view": declared.view,
                f"{game.name}-event": Annotated[declared.event, "An event of a match."],
                f"{game.name}-sheet": declared.sheet,
                f"{game.name}-move": question[declared.view, declared.event],
                f"{game.name}-deal": deal[declared.sheet],
            }
    return types


def names() -> list[str]:
    """The names of all documents: `start`, …, `record`, and `GAME-view`, … of each game."""
    return list(_types())


def descriptions() -> dict[str, str]:
    """What each document describes, by its name."""
    return {name: schema(name)["description"] for name in names()}


@cache
def schema(name: str) -> dict[str, Any]:
    """The document with this name; KeyError if there is none. Shared, so do not change it."""
    hint = _types()[name]
    writer = _Writer()
    root = writer.schema(hint)
    if "$ref" in root:
        root = writer.definitions.pop(_origin(hint).__name__)
    document = {"$schema": DIALECT, "title": name, **root}
    if writer.definitions:
        document["$defs"] = writer.definitions
    return document


def _origin(hint: Any) -> Any:
    """The class of a generic type with arguments; any other type unchanged."""
    return get_origin(hint) or hint


class _Writer:
    """Makes the schemas of types. `definitions`: those of typed dictionaries, by name."""

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}

    def schema(self, hint: Any, arguments: Mapping[TypeVar, Any] | None = None) -> dict[str, Any]:
        """`arguments`: the types in the place of type variables."""
        if isinstance(hint, TypeVar):
            return self.schema((arguments or {})[hint])
        origin, args = get_origin(hint), get_args(hint)
        if origin is NotRequired:
            return self.schema(args[0], arguments)
        if origin is Annotated:
            return {**self.schema(args[0], arguments), "description": args[-1]}
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
        if origin in (Union, UnionType):
            return _any_of([self.schema(arg, arguments) for arg in args])
        if origin is list:
            return {"type": "array", "items": self.schema(args[0], arguments)}
        if origin is dict:
            values = self.schema(args[1], arguments)
            return {"type": "object"} | ({"additionalProperties": values} if values else {})
        if is_typeddict(_origin(hint)):
            return {"$ref": f"#/$defs/{self._define(_origin(hint), args)}"}
        return dict(_PLAIN[hint])

    def _define(self, kind: Any, args: tuple[Any, ...]) -> str:
        name: str = kind.__name__
        if name in self.definitions:
            return name
        self.definitions[name] = {}  # keeps the order
        arguments = dict(zip(getattr(kind, "__parameters__", ()), args, strict=True))
        hints = get_type_hints(kind, include_extras=True)
        optional = [key for key, hint in hints.items() if get_origin(hint) is NotRequired]
        required = [key for key in hints if key not in optional]
        self.definitions[name].update(
            type="object",
            description=" ".join((kind.__doc__ or "").split()),
            properties={
                key: _with_description(self.schema(hints[key], arguments))
                for key in (*required, *optional)
            },
            required=required,
            additionalProperties=kind in _OPEN,
        )
        return name


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Plain types become one list of types; null joins an enumeration."""
    if all(list(choice) == ["type"] for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    first, *other_choices = choices
    if "enum" in first and other_choices == [{"type": "null"}]:
        return {"enum": [*first["enum"], None]}
    return {"anyOf": choices}


def _with_description(schema: dict[str, Any]) -> dict[str, Any]:
    """With a description of keys that only name the kind of an object."""
    if "const" in schema and "description" not in schema:
        return {**schema, "description": f"Always `{schema['const']}`."}
    return schema


# ── tables for documents ─────────────────────────────────────────────────────────────────────────


def with_current_tables(markdown: str) -> str:
    """The text with the current table below each mark such as ``<!-- keys: cassino-view -->``."""
    return _MARK.sub(
        lambda mark: f"<!-- keys: {mark[1]} -->\n\n{table(mark[1])}\n\n<!-- end of keys -->",
        markdown,
    )


def table(name: str) -> str:
    """A Markdown table of all keys of a document: path, value, description.

    Keys of inner objects have paths such as ``pile.top`` and ``table[].id``. A document of several
    kinds (events) has a row for each kind, followed by its keys.
    """
    document = schema(name)
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for choice in document.get("anyOf", ()):
        part = _definition(choice, document)
        kind = part["properties"]["type"]["const"]
        rows.append(f"| **{kind}** | | {part['description']} |")
        rows += (row for row in _rows(part, document, "") if not row.startswith("| `type` "))
    if "properties" in document:
        rows += _rows(document, document, "")
    return "\n".join(rows)


def _rows(schema: dict[str, Any], document: dict[str, Any], path: str) -> Iterator[str]:
    for key, part in schema["properties"].items():
        optional_mark = "" if key in schema["required"] else ", optional"
        yield f"| `{path}{key}` | {_type_text(part)}{optional_mark} | {part['description']} |"
        value_schema, value_path = part, f"{path}{key}"
        while value_schema.get("type") == "array":
            value_schema, value_path = value_schema["items"], f"{value_path}[]"
        for choice in value_schema.get("anyOf", [value_schema]):
            if "$ref" in choice:
                yield from _rows(_definition(choice, document), document, f"{value_path}.")


def _type_text(schema: dict[str, Any]) -> str:
    """The type of a value, such as ``number or null``, ``list of lists of text``."""
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " or ".join("null" if value is None else f"`{value}`" for value in values)
    if "anyOf" in schema:
        return " or ".join(_type_text(choice) for choice in schema["anyOf"])
    kinds = schema.get("type", "object")
    if kinds == "array":
        item_text = _type_text(schema["items"])
        return "list of " + re.sub(r"^(list|number|object)\b", r"\1s", item_text)
    return " or ".join(
        _TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    )


def _definition(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        definition: dict[str, Any] = document["$defs"][schema["$ref"].rpartition("/")[2]]
        return definition
    return schema
