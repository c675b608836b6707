"""Fields of positions."""

from __future__ import annotations

import pytest

from engine.cards import parse_cards
from engine.deals import BaseDeal
from engine.states import (
    check_keys,
    check_pack,
    checked_numbers,
    read_boolean,
    read_card_rows,
    read_heading,
    read_integer,
    read_scores,
    read_table_items,
    state_from_view,
    unused_cards,
)


def test_a_number_in_its_range_or_the_default() -> None:
    assert read_integer({"deal": 3}, "deal", 0, 3) == 3
    assert read_integer({}, "deal", 2, 3) == 2
    for value in (4, -1, "1", True, 1.0):
        with pytest.raises(ValueError, match="deal is a whole number from 0 to 3"):
            read_integer({"deal": value}, "deal", 0, 3)


def test_rows_of_cards_as_a_list_or_by_number() -> None:
    rows = [parse_cards(["6C", "TD"]), [], []]
    assert read_card_rows({"hands": [["6C", "TD"]]}, "hands", 3) == rows
    assert read_card_rows({"hands": {"0": ["6C", "TD"]}}, "hands", 3) == rows
    assert read_card_rows({}, "hands", 3) == [[], [], []]
    with pytest.raises(ValueError, match="hands: there is no '3'"):
        read_card_rows({"hands": {"3": []}}, "hands", 3)
    with pytest.raises(ValueError, match="hands is a list of 1 lists"):
        read_card_rows({"hands": [[], []]}, "hands", 1)


def test_unknown_fields_are_named() -> None:
    check_keys({"hands": []}, ("hands", "stock"))
    with pytest.raises(ValueError, match=r"no 'pile'\. It has hands, stock and seed"):
        check_keys({"pile": [], "hands": []}, ("hands", "stock"))


def test_number_dealer_and_turn_of_a_deal() -> None:
    deal = BaseDeal(3, [])
    read_heading(deal, {"deal": 4, "dealer": 1, "turn": 2}, 5)
    assert (deal.number, deal.dealer, deal.turn, deal.to_act) == (4, 1, 2, 2)
    read_heading(deal, {}, 5)
    assert (deal.number, deal.dealer, deal.turn, deal.to_act) == (0, 2, 0, 0)
    for value in ({"deal": 5}, {"dealer": 3}, {"turn": 3}):
        with pytest.raises(ValueError, match="is a whole number from 0"):
            read_heading(deal, value, 5)


def test_true_or_false() -> None:
    assert read_boolean({"first": True}, "first") is True
    assert read_boolean({}, "first") is False
    with pytest.raises(ValueError, match="first is true or false, not 1"):
        read_boolean({"first": 1}, "first")


def test_numbers_of_seats_or_sides() -> None:
    assert checked_numbers([0, 2, 0], 3, "sweeps names sides") == [0, 2, 0]
    for value in ([3], [-1], [True], ["0"], 0, None):
        with pytest.raises(ValueError, match="sweeps names sides 0 to 2, not"):
            checked_numbers(value, 3, "sweeps names sides")


def test_scores_are_whole_numbers_by_side() -> None:
    assert read_scores({"scores": [3, -4]}, 2) == [3, -4]
    assert read_scores({}, 2) == [0, 0]
    for value in ([1], [1, 2, 3], [1, "2"], [1, True], 5):
        with pytest.raises(ValueError, match="scores is a list of 2 whole numbers"):
            read_scores({"scores": value}, 2)


def test_items_of_a_table_with_their_builders() -> None:
    assert read_table_items({"table": ["6C", "[2C+3C=5]"], "by": [None, 1]}, 2) == [
        ("6C", -1),
        ("[2C+3C=5]", 1),
    ]
    assert read_table_items({"table": ["6C"]}, 2) == [("6C", -1)]
    assert read_table_items({}, 2) == []
    with pytest.raises(ValueError, match="by names seats 0 to 1"):
        read_table_items({"table": ["6C"], "by": [2]}, 2)
    for value in ({"table": "6C"}, {"table": [], "by": [1]}, {"table": ["6C"], "by": "0"}):
        with pytest.raises(ValueError, match="table and by must be lists"):
            read_table_items(value, 2)


def test_the_state_of_a_view() -> None:
    view = {"table": [{"id": "6C", "by": None}], "to_act": 1, "dealer": 0, "hand": []}
    assert state_from_view(view, ["dealer"]) == {
        "table": ["6C"],
        "by": [None],
        "turn": 1,
        "dealer": 0,
    }
    assert state_from_view({**view, "to_act": None}, [])["turn"] == 0


def test_the_rest_of_a_pack() -> None:
    cards = parse_cards(["3C", "AC", "3C", "X"])
    assert unused_cards(cards, [parse_cards(["3C"]), []]) == parse_cards(["AC", "3C", "X"])
    assert unused_cards(cards, [parse_cards(["3C", "3C"]), parse_cards(["3C"])]) is None
    check_pack(cards, [cards], "high/plain/1v1")
    with pytest.raises(ValueError, match="3C occurs more often than in a pack of high/plain/1v1"):
        check_pack(cards, [parse_cards(["X", "3C"]), parse_cards(["3C", "3C"])], "high/plain/1v1")
