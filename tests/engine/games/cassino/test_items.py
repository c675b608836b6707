from typing import Any

import pytest

from engine import Format
from engine.cards import CODE
from engine.games.cassino.items import PAIR, SUM, CassinoItem, insert, parse_build, parse_number


def codes(*texts: Any) -> Any:
    return [CODE[text] for text in texts]


def test_ids_and_views_of_the_three_kinds() -> None:
    # CAS-7, CAS-45, CAS-48
    assert CassinoItem(SUM, codes("3D", "4H"), 7, -1, 1).view() == {
        "id": "[3D+4H=7]",
        "kind": "sum",
        "cards": ["3D", "4H"],
        "value": 7,
        "by": 1,
    }
    assert CassinoItem(PAIR, codes("JC", "JD"), 0, 10, 0).view() == {
        "id": "[JC+JD:J]",
        "kind": "pair",
        "cards": ["JC", "JD"],
        "rank": "J",
        "by": 0,
    }
    loose = Format.parse("cassino/standard/1v1").rules.loose
    assert loose[CODE["6D"]].view() == {
        "id": "6D",
        "kind": "card",
        "cards": ["6D"],
        "value": 6,
        "by": None,
    }
    assert loose[CODE["KD"]].view()["value"] is None
    assert loose[CODE["AS"]].view()["value"] == 1


def test_items_are_in_item_order() -> None:
    table: list[CassinoItem] = []
    loose = Format.parse("cassino/standard/1v1").rules.loose
    for text in ("9H", "2C", "KD", "2S"):
        insert(table, loose[CODE[text]])
    insert(table, CassinoItem(SUM, codes("2D", "7C"), 9, -1, 0))
    assert [item.id for item in table] == ["2C", "[2D+7C=9]", "2S", "9H", "KD"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "6D", "[]", "[6D=6]", "[3D=4C]", "[4C+3D=7]", "[3D+3D=6]", "[3D+4C=07]"),
        *("[3D+4C=15]", "[3D+4C=1]", "[3D+4C7]", "[3D+4C:]", "[3D+4C:77]", "[3D+XX=7]", "[3D+X=9]"),
    ],
)
def test_invalid_builds_have_no_parts(text: Any) -> None:
    assert parse_build(text) is None


def test_builds_are_parsed() -> None:
    assert parse_build("[3D+4C=7]") == (codes("3D", "4C"), 7, -1)
    assert parse_build("[3D+4C+7H:7]") == (codes("3D", "4C", "7H"), 0, 6)
    assert parse_number("14") == 14
    assert [parse_number(text) for text in ("1", "15", "02", "", "+3")] == [0] * 5
