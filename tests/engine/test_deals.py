from typing import Any

import pytest

from engine.cards import parse_cards
from engine.deals import BaseDeal


@pytest.fixture
def deal() -> BaseDeal:
    """The third deal at a table of three, in play."""
    base_deal = BaseDeal(3, [])
    base_deal.number, base_deal.dealer, base_deal.turn, base_deal.to_act = 2, 2, 0, 1
    base_deal.hands = [parse_cards(hand.split()) for hand in ("6C TD", "", "KS")]
    base_deal.stock, base_deal.stock_at = parse_cards(["2C", "3C", "4C"]), 1
    return base_deal


def test_the_last_seat_deals_first_and_then_the_next_clockwise(deal: BaseDeal) -> None:
    first_deal = BaseDeal(3, [])
    assert (first_deal.number, first_deal.dealer, first_deal.hands) == (0, 2, [[], [], []])
    first_deal.follow(deal)
    assert (first_deal.number, first_deal.dealer) == (3, 0)


def test_a_copy_shares_no_mutable_state(deal: BaseDeal) -> None:
    log: list[Any] = []
    copy = BaseDeal(3, log)
    deal.truncated = True
    deal.copy_base(copy)
    for name in ("number", "dealer", "turn", "to_act", "truncated", "hands", "stock", "stock_at"):
        assert getattr(copy, name) == getattr(deal, name), name
    copy.hands[0].pop()
    copy.stock_at += 1
    assert deal.hands[0] == parse_cards(["6C", "TD"])
    assert (deal.stock_left, copy.stock_left) == (2, 1)
    assert copy.log is log


def test_views_and_events_have_a_common_heading(deal: BaseDeal) -> None:
    heading = deal.heading("high", "high/plain/ffa3", [[0], [1], [2]], 2)
    assert heading == {
        "game": "high",
        "format": "high/plain/ffa3",
        "seat": 2,
        "sides": [[0], [1], [2]],
        "deal": 2,
        "dealer": 2,
        "turn": 0,
        "to_act": 1,
    }
    assert deal.hand_of(0) == ["6C", "TD"]
    assert deal.hand_of(-1) == []
    deal.show_all(heading)
    assert heading["hands"] == [["6C", "TD"], [], ["KS"]]
    assert heading["stock_cards"] == ["3C", "4C"]
    assert deal.own_hands() == {0: {"hand": ["6C", "TD"]}, 1: {"hand": []}, 2: {"hand": ["KS"]}}
    deal.turn = deal.to_act = -1
    final_heading = deal.heading("high", "high/plain/ffa3", [[0]], -1)
    assert (final_heading["seat"], final_heading["turn"], final_heading["to_act"]) == (
        None,
        None,
        None,
    )


def test_the_end_of_a_match_is_logged(deal: BaseDeal) -> None:
    assert deal.log_end(None) is None
    assert deal.log == []
    assert deal.log_end({"reason": "deals"}) == {"reason": "deals"}
    assert deal.log == [("end", {"result": {"reason": "deals"}}, None)]
