from typing import Any

import pytest

from engine.cards import parse_cards
from engine.deals import BaseDeal


@pytest.fixture
def deal() -> BaseDeal:
    """The third deal at a table of three, in play."""
    made = BaseDeal(3, [])
    made.number, made.dealer, made.turn, made.to_act = 2, 2, 0, 1
    made.hands = [parse_cards(hand.split()) for hand in ("6C TD", "", "KS")]
    made.stock, made.stock_at = parse_cards(["2C", "3C", "4C"]), 1
    return made


def test_the_last_seat_deals_first_and_then_the_next_clockwise(deal: BaseDeal) -> None:
    fresh = BaseDeal(3, [])
    assert (fresh.number, fresh.dealer, fresh.hands) == (0, 2, [[], [], []])
    fresh.follow(deal)
    assert (fresh.number, fresh.dealer) == (3, 0)


def test_a_copy_shares_nothing_that_changes(deal: BaseDeal) -> None:
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


def test_what_views_and_events_have_in_common(deal: BaseDeal) -> None:
    shown = deal.heading("high", "high/plain/ffa3", [[0], [1], [2]], 2)
    assert shown == {
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
    deal.show_all(shown)
    assert shown["hands"] == [["6C", "TD"], [], ["KS"]]
    assert shown["stock_cards"] == ["3C", "4C"]
    assert deal.own_hands() == {0: {"hand": ["6C", "TD"]}, 1: {"hand": []}, 2: {"hand": ["KS"]}}
    deal.turn = deal.to_act = -1
    over = deal.heading("high", "high/plain/ffa3", [[0]], -1)
    assert (over["seat"], over["turn"], over["to_act"]) == (None, None, None)


def test_the_end_of_a_match_is_logged_when_there_is_one(deal: BaseDeal) -> None:
    assert deal.log_end(None) is None
    assert deal.log == []
    assert deal.log_end({"reason": "deals"}) == {"reason": "deals"}
    assert deal.log == [("end", {"result": {"reason": "deals"}}, None)]
