"""Spelling of moves, and the clause that each refusal names (CAN-82 to CAN-86)."""

from typing import Any

import pytest

from engine import Match
from engine.errors import IllegalMove

CANASTA = ["KC", "KC", "KD", "KD", "KH", "KS", "2C"]


def match_of(options: Any = "", **state: Any) -> Any:
    base: dict[str, Any] = {
        "hand": ["4C", "9S", "9H", "2D", "X"],
        "pile": ["TC", "9D"],
        "stock": 40,
    }
    base["melds"] = {"0": [["QC", "QD", "QS"]]}
    return Match.from_position(f"canasta/classic/2v2{options}", {**base, **state})


@pytest.mark.parametrize(
    ("move", "clause"),
    [
        ("Draw", "CAN-82"), ("take:9", "CAN-82"), ("take:X9", "CAN-28"), ("take#1:99", "CAN-82"),
        ("take:ZZ", "CAN-82"), ("take", "CAN-29"), ("take:44", "CAN-28"), ("take#2:99", "CAN-41"),
        ("pass", "CAN-60"), ("-4", "CAN-12"), ("yes", "CAN-86"), ("ask", "CAN-12"),
        ("take#99999999999:99", "CAN-82"), ("Q:Q", "CAN-12"), ("take:9R", "CAN-28"),
    ],
)  # fmt: skip
def test_refusals_in_choose(move: Any, clause: Any) -> None:
    # CAN-82, CAN-86
    match = match_of()
    with pytest.raises(IllegalMove) as error:
        match.play(move)
    assert error.value.clause == clause


@pytest.mark.parametrize(
    ("move", "clause"),
    [
        ("Q:4", "CAN-36"), ("Q:QQX", "CAN-82"), ("9:92X", "CAN-37"), ("9:9X9", "CAN-37"),
        ("9:9", "CAN-36"), ("-Q", "CAN-13"), ("ask", "CAN-57"), ("ask:2", "CAN-82"),
        ("R", "CAN-24"), ("no", "CAN-86"), ("9#2:99X", "CAN-41"), ("Q:", "CAN-82"),
        ("pass", "CAN-14"), ("3:333", "CAN-82"), ("9:99R", "CAN-36"), ("take:99", "CAN-12"),
        ("ask:1", "CAN-82"),
    ],
)  # fmt: skip
def test_refusals_in_meld(move: Any, clause: Any) -> None:
    # CAN-82, CAN-83, CAN-86: one spelling for each move
    match = match_of(stock_top=["5S"])
    match.play("draw")
    with pytest.raises(IllegalMove) as error:
        match.play(move)
    assert error.value.clause == clause


def test_the_order_of_moves() -> None:
    # CAN-83, CAN-85
    match = match_of(
        "?red3discard=true&tworank=true", melds={"0": [CANASTA, ["3C", "3C", "3S"]]},
        hand=["AC", "AD", "AH", "2D", "3S", "3H", "KH", "KS", "X"], pile=["TC"], stock_top=["3H"],
    )  # fmt: skip
    match.play("draw")
    assert match.legal_moves() == [
        *("A:AAA", "A:AA2", "A:AAX", "K:K", "K:2", "K:X", "K#2:KK2", "K#2:KKX"),
        *("-A", "-2", "-3", "-R", "-K", "-X", "R"),
    ]


def test_moves_with_the_same_cards_are_listed_once() -> None:
    # CAN-29, CAN-82: where the top card can be laid off, take:99 is not offered
    match = match_of(melds={"0": [["9C", "9C", "9D"]]})
    assert match.legal_moves() == ["draw", "take"]
    with pytest.raises(IllegalMove) as error:
        match.play("take:99")
    assert error.value.clause == "CAN-29"
