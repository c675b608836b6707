"""Properties of a deal, and its copies."""

from random import Random
from typing import Any

import pytest

from engine import Format, Match
from engine.games.canasta.state import CanastaState


def state(text: str, number: int = 0) -> CanastaState:
    return CanastaState(Format.parse(f"canasta/{text}").rules, [], number)


@pytest.mark.parametrize(
    ("text", "number", "dealer", "order"),
    [
        ("classic/2v2", 0, 3, [0, 1, 2, 3]),
        ("classic/2v2", 1, 0, [1, 2, 3, 0]),
        ("classic/2v2?direction=ccw", 1, 0, [3, 2, 1, 0]),
        ("classic/ffa3", 2, 1, [2, 0, 1]),
    ],
)
def test_dealer_and_next_seats(text: Any, number: Any, dealer: Any, order: Any) -> None:
    # CAN-5
    deal_state = state(text, number)
    assert (deal_state.dealer, deal_state.order()) == (dealer, order)
    assert (deal_state.turn, deal_state.to_act) == (order[0], order[0])


def test_sides_and_minimum() -> None:
    # CAN-33, CAN-73, CAN-76: by side; in 1v2 by seat, whatever the sides are
    pairs = state("classic/2v2")
    pairs.totals = [1500, -5]
    assert [pairs.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert [pairs.minimum_of(seat) for seat in range(4)] == [90, 15, 90, 15]
    deal_state = state("classic/1v2")
    deal_state.totals = [0, 1500, 3000]
    deal_state.sides = [[0, 2], [1]]
    assert [deal_state.side_of(seat) for seat in range(3)] == [0, 1, 0]
    assert [deal_state.minimum_of(seat) for seat in range(3)] == [50, 90, 120]
    deal_state.sides = [[0], [1]]
    with pytest.raises(ValueError, match="Seat 2 is on no side"):
        deal_state.side_of(2)


def test_the_pile_is_frozen_for_a_side_without_a_meld() -> None:
    # CAN-25, CAN-26
    assert state("classic/2v2").frozen_for(0)
    open_pile = state("classic/2v2?startfrozen=false")
    assert not open_pile.frozen_for(0)
    open_pile.frozen = True
    assert open_pile.frozen_for(0)


def test_a_copy_has_all_fields_and_shares_no_mutable_ones() -> None:
    # so that no new field can be forgotten in `copy_into`
    match, rng = Match("canasta/classic/2v2", seed="copy"), Random(3)
    for _ in range(120):
        match.play(rng.choice(match.legal_moves()))
    deal: Any = match._deal
    copy = deal.copy([])
    names = set(vars(CanastaState(deal.rules, [], 0))) | {"hands", "stock", "stock_at", "turn"}
    assert {"melds", "frozen", "laid_off", "own_canasta"} <= names
    for name in names:
        assert getattr(copy, name) == getattr(deal, name), name
    for name in ("hands", "melds", "red3", "pile", "started", "discarded"):
        assert getattr(copy, name) is not getattr(deal, name), name
