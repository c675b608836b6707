"""JSON of the wrong shape is refused with the field, its required type and its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from msgspec import Meta

from bots.referee.clock import ClockSettings
from cardroom_base.core.json_shapes import ShapeError, convert_json
from engine.json_text import JSONError, parse_json


@dataclass
class Card:
    points: int
    name: str = ""


@dataclass
class Hand:
    cards: Annotated[tuple[Card, ...], Meta(max_length=2)]
    place: tuple[int, int] | None = None
    counts: dict[str, int] | None = None
    clock: ClockSettings | None = None


def hand(**changes: Any) -> dict[str, Any]:
    return {"cards": [{"points": 1}], **changes}


def test_values_are_converted_and_extra_fields_ignored() -> None:
    value = convert_json(hand(place=[1, 2], more=[[]]), Hand)
    assert value == Hand((Card(1),), (1, 2))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "it must be an object, not []."),
        ({}, "cards is missing."),
        (hand(cards={}), "cards must be a list, not {}."),
        (hand(cards=[{}]), "cards[0].points is missing."),
        (hand(cards=[{"points": True}]), "cards[0].points must be a whole number, not True."),
        (hand(cards=[{"points": 1.0}]), "cards[0].points must be a whole number, not 1.0."),
        (hand(cards=[{"points": "1"}]), "cards[0].points must be a whole number, not '1'."),
        (hand(cards=[{"points": 1, "name": None}]), "cards[0].name must be text, not None."),
        (hand(cards=[{}] * 3), "cards must be a list of length <= 2, not [{}, {}, {}]."),
        (hand(place=[1]), "place must be a list of length 2, not [1]."),
        (hand(place=7), "place must be a list or null, not 7."),
        (hand(counts={"a.b]": ""}), "counts[...] must be a whole number, not {'a.b]': ''}."),
        (hand(clock={"move_ms": 0}), "clock: The free time of a move must be a whole number of "),
        (hand(place="x" * 1000), f"place must be a list or null, not '{'x' * 59}."),
    ],
)
def test_another_shape_is_refused(value: object, text: str) -> None:
    with pytest.raises(ShapeError) as caught:
        convert_json(value, Hand)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("text", ['{"points":1,"points":2}', '{"points":1e999}', "[" * 99])
def test_values_that_msgspec_would_coerce_are_refused(text: str) -> None:
    with pytest.raises(JSONError):
        parse_json(text, 1000)
