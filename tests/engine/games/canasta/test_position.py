"""Deals from positions and views."""

from random import Random
from typing import Any

import pytest

from engine import Match


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"table": []}, "no 'table'"),
        ({"seat": 7}, "seat is a whole number"),
        ({"phase": "end"}, "phase is"),
        ({"hand": ["KC", "KC", "KC"]}, "KC occurs more often"),
        ({"melds": {"0": [["KC", "2C", "X"], ["KD", "KH", "KS"]]}}, "two melds of one rank"),
        ({"melds": {"0": [["KC", "QC", "X"]]}}, "is not a meld"),
        ({"melds": {"4": []}}, "no side '4'"),
        ({"pile": ["2C"], "frozen": False}, "frozen must be true if the pile"),
        ({"scores": [1]}, "scores is a list of 2"),
        ({"stock": 150}, "stock"),
        ({"melded": [4]}, "melded must list seats"),
        ({"hands": {"4": []}}, "does not play"),
        ({"sides": [[0], [1, 2, 3]]}, "are not sides"),
    ],
)
def test_malformed_positions_are_refused(state: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=message):
        Match.from_position("canasta/classic/2v2", state)


def test_a_resting_seat_has_no_turn() -> None:
    # CAN-6
    with pytest.raises(ValueError, match="seat 2 rests in deal 1"):
        Match.from_position("canasta/classic/3v2-rest", {"deal": 1, "seat": 2})


@pytest.mark.parametrize("fmt", ["classic/2v2", "classic/1v2", "pre-1951/3v3-rest", "classic/1v1"])
def test_samples_deal_hidden_cards_at_random_with_possible_red_threes(fmt: Any) -> None:
    # CAN-11, CAN-25
    match = Match(f"canasta/{fmt}", seed="sample")
    rng, red_threes = Random(2), 0
    while match.turn is not None and len(match.moves) < 150:
        match.play(rng.choice(match.legal_moves()))
        if len(match.moves) % 10:
            continue
        hands = set()
        for _ in range(6):
            sample = match.sample(match.format.seats - 1, rng).view(None)
            hands.add(str(sample["hands"]))
            frozen = any(
                card[0] in "2X" or card in ("3D", "3H") for card in sample["pile"]["cards"]
            )
            assert sample["pile"]["frozen"] in (frozen, False)
            assert sample["step"]["pending"] or sample["pile"]["frozen"] == frozen
            if sample["stock"] < 30:
                assert not any(card in ("3D", "3H") for hand in sample["hands"] for card in hand)
            red_threes += sum(card in ("3D", "3H") for card in sample["stock_cards"][:20])
        assert len(hands) > 3  # of six
    assert red_threes > 0


def test_a_view_with_too_many_cards_is_refused() -> None:
    view = Match("canasta/classic/2v2", seed="many").view(0)
    view["stock"] += 20
    with pytest.raises(ValueError, match="more cards than"):
        Match.from_view(view, Random(1))
    view = Match("canasta/classic/2v2", seed="many").view(0)
    view["hand"] = ["KC", "KC", "KC"]
    with pytest.raises(ValueError, match="KC more often"):
        Match.from_view(view, Random(1))
