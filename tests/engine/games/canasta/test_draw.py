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
    made = CanastaDraw(fmt.rules, [])
    made.stock = parse_cards(stock.split())
    return made


def kinds(made: CanastaDraw) -> list[str]:
    return [kind for kind, _, _ in made.log]


@pytest.mark.parametrize(
    ("options", "stock", "pile", "left"),
    [
        ("", "9C KD", "9C", 1),
        ("", "2C X 3D KD 4C", "2C X 3D KD", 1),  # CAN-9: what freezes is covered
        ("", "3C KD", "3C KD", 0),  # CAN-9: and a black three
        ("coverblack3=false", "3C KD", "3C", 1),
        ("", "2C X", "2C X", 0),  # CAN-10
    ],
)
def test_the_up_card(options: Any, stock: Any, pile: Any, left: Any) -> None:
    made = deal(f"{options}&hand=1" if options else "hand=1")
    made.deal_out(parse_cards(["4C", "5C", *stock.split()]))
    assert made.hands == [parse_cards(["4C"]), parse_cards(["5C"])]  # CAN-8
    assert texts(made.pile) == pile.split()
    assert made.stock_left == left
    assert made.frozen == any(card in ("2C", "X") for card in pile.split())
    assert made.drained == (left > 0)
    assert kinds(made) == ["deal", "upcard"]


def test_a_red_three_drawn_is_tabled_and_replaced() -> None:
    # CAN-16, CAN-19
    made = deal(stock="3D 9C KC 4C")
    assert made.draw(0, 2, "draw") is False
    assert texts(made.red3[0]) == ["3D"]
    assert texts(made.hands[0]) == ["9C", "KC"]
    assert kinds(made) == ["red3", "draw"]
    kept = deal("red3draw=false", stock="3D 9C KC")
    kept.draw(0, 2, "draw")
    assert texts(kept.hands[0]) == ["9C"]
    assert kept.log[-1] == ("draw", {"seat": 0, "count": 1}, {0: {"cards": ["9C"]}})


@pytest.mark.parametrize(
    ("options", "tabled", "hand"),
    [("", ["3H"], ["9C"]), ("last3=untabled", [], ["3H", "9C"])],
)
def test_a_red_three_as_the_last_card(options: Any, tabled: Any, hand: Any) -> None:
    # CAN-63
    made = deal(options, stock="9C 3H")
    assert made.draw(1, 2, "draw") is True
    assert texts(made.red3[1]) == tabled
    assert texts(made.hands[1]) == hand


def test_red_threes_that_were_dealt() -> None:
    # CAN-11
    made = deal(stock="9C 3H KC 4C")
    made.hands[0] = parse_cards(["3D", "5C", "3D"])
    assert made.table_dealt(0) is False
    assert texts(made.hands[0]) == ["5C", "9C", "KC"]
    assert texts(made.red3[0]) == ["3D", "3D", "3H"]
    assert [data["from"] for kind, data, _ in made.log if kind == "red3"] == ["deal", "deal"]
    assert made.table_dealt(1) is False
    assert len(made.log) == 3


def test_a_red_three_of_the_hand_is_tabled_by_a_move() -> None:
    # CAN-24
    made = deal("red3discard=true", stock="9C")
    made.hands[0] = parse_cards(["3D", "5C"])
    made.table_own(0)
    assert texts(made.red3[0]) == ["3D"]
    assert texts(made.hands[0]) == ["5C", "9C"]


def test_the_lowest_cards_of_the_kinds_leave_the_hand() -> None:
    # CAN-84
    made = deal()
    made.hands[0] = parse_cards(["5C", "5S", "KD"])
    five = KIND[made.hands[0][0]]
    assert texts(made.from_hand(0, [five])) == ["5C"]
    assert texts(made.from_hand(0, [five])) == ["5S"]
    assert texts(made.hands[0]) == ["KD"]
