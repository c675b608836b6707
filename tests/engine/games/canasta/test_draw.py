"""Dealing, drawing, red threes (CAN-8 to CAN-11, CAN-16 to CAN-24)."""

from typing import Any

import pytest

from engine import Format
from engine.cards import parse_cards, texts
from engine.games.canasta.card_kinds import KIND
from engine.games.canasta.draw import CanastaDraw


def deal(options: str = "", stock: str = "") -> CanastaDraw:
    """A deal for two with this stock."""
    fmt = Format.parse(f"canasta/classic/1v1?{options}" if options else "canasta/classic/1v1")
    draw = CanastaDraw(fmt.rules, [])
    draw.stock = parse_cards(stock.split())
    return draw


def kinds(draw: CanastaDraw) -> list[str]:
    return [kind for kind, _, _ in draw.log]


@pytest.mark.parametrize(
    ("options", "stock", "pile", "stock_left"),
    [
        ("", "9C KD", "9C", 1),
        ("", "2C X 3D KD 4C", "2C X 3D KD", 1),  # CAN-9: what freezes is covered
        ("", "3C KD", "3C KD", 0),  # CAN-9: and a black three
        ("coverblack3=false", "3C KD", "3C", 1),
        ("", "2C X", "2C X", 0),  # CAN-10
    ],
)
def test_the_up_card(options: Any, stock: Any, pile: Any, stock_left: Any) -> None:
    draw = deal(f"{options}&hand=1" if options else "hand=1")
    draw.deal_out(parse_cards(["4C", "5C", *stock.split()]))
    assert draw.hands == [parse_cards(["4C"]), parse_cards(["5C"])]  # CAN-8
    assert texts(draw.pile) == pile.split()
    assert draw.stock_left == stock_left
    assert draw.frozen == any(card in ("2C", "X") for card in pile.split())
    assert draw.drained == (stock_left > 0)
    assert kinds(draw) == ["deal", "upcard"]


def test_a_red_three_drawn_is_tabled_and_replaced() -> None:
    # CAN-16, CAN-19
    draw = deal(stock="3D 9C KC 4C")
    assert draw.draw(0, 2, "draw") is False
    assert texts(draw.red3[0]) == ["3D"]
    assert texts(draw.hands[0]) == ["9C", "KC"]
    assert kinds(draw) == ["red3", "draw"]
    without_option = deal("red3draw=false", stock="3D 9C KC")
    without_option.draw(0, 2, "draw")
    assert texts(without_option.hands[0]) == ["9C"]
    assert without_option.log[-1] == ("draw", {"seat": 0, "count": 1}, {0: {"cards": ["9C"]}})


@pytest.mark.parametrize(
    ("options", "tabled", "hand"),
    [("", ["3H"], ["9C"]), ("last3=untabled", [], ["3H", "9C"])],
)
def test_a_red_three_as_the_last_card(options: Any, tabled: Any, hand: Any) -> None:
    # CAN-63
    draw = deal(options, stock="9C 3H")
    assert draw.draw(1, 2, "draw") is True
    assert texts(draw.red3[1]) == tabled
    assert texts(draw.hands[1]) == hand


def test_dealt_red_threes_are_tabled_and_replaced() -> None:
    # CAN-11
    draw = deal(stock="9C 3H KC 4C")
    draw.hands[0] = parse_cards(["3D", "5C", "3D"])
    assert draw.table_dealt(0) is False
    assert texts(draw.hands[0]) == ["5C", "9C", "KC"]
    assert texts(draw.red3[0]) == ["3D", "3D", "3H"]
    assert [data["from"] for kind, data, _ in draw.log if kind == "red3"] == ["deal", "deal"]
    assert draw.table_dealt(1) is False
    assert len(draw.log) == 3


def test_a_red_three_of_the_hand_is_tabled_by_a_move() -> None:
    # CAN-24
    draw = deal("red3discard=true", stock="9C")
    draw.hands[0] = parse_cards(["3D", "5C"])
    draw.table_own(0)
    assert texts(draw.red3[0]) == ["3D"]
    assert texts(draw.hands[0]) == ["5C", "9C"]


def test_the_lowest_cards_of_the_kinds_leave_the_hand() -> None:
    # CAN-84
    draw = deal()
    draw.hands[0] = parse_cards(["5C", "5S", "KD"])
    five = KIND[draw.hands[0][0]]
    assert texts(draw.from_hand(0, [five])) == ["5C"]
    assert texts(draw.from_hand(0, [five])) == ["5S"]
    assert texts(draw.hands[0]) == ["KD"]
