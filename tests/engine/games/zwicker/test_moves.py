"""Refusals name the clause; the listing is cut at 512."""

from random import Random
from typing import Any

import pytest

from engine import IllegalMove, Match
from engine.cards import texts
from engine.games.zwicker.position import full_pack

CASES = [
    ("grupp/1v1", ["4C", "5D"], ["9S"], "8S", "ZWI-8"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "", "ZWI-47"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9S!", "ZWI-47"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx5D,4C", "ZWI-48"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx4C,4C", "ZWI-48"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx4C", "ZWI-10"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx", "ZWI-47"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx6C", "ZWI-9"),
    ("grupp/1v1", ["4C", "5D"], ["9S"], "9Sx[4C+5D=9]", "ZWI-9"),
    ("grupp/1v1", ["4C", "5D"], ["2S"], "2S>4C,5D=11", "ZWI-16"),
    ("grupp/1v1", ["4C", "5D"], ["2S"], "2S>4C=06", "ZWI-47"),
    ("grupp/1v1", ["4C", "5D"], ["2S"], "2S>4C=7", "ZWI-17"),
    ("grupp/1v1", ["KC", "5D"], ["2S"], "2S>KC=16", "ZWI-17"),
    ("grupp/1v1", ["4C", "X"], ["2S"], "2S>X=3", "ZWI-22"),
    ("grupp/1v1?joker_table=never", ["4C", "X"], ["9S"], "9Sx4C,X", "ZWI-24"),
    ("grupp/1v1?joker_table=joker", ["[4C+X=9]"], ["9S"], "9Sx[4C+X=9]", "ZWI-25"),
    ("grupp/1v1?joker_single=true", ["4C", "4D"], ["X"], "Xx4C,4D", "ZWI-27"),
    ("grupp/1v1?trail=forced", ["4C", "5D"], ["9S"], "9S", "ZWI-15"),
    ("christiansen/1v1", ["KH"], ["3C", "AD"], "3C>KH=9", "ZWI-35"),
    ("christiansen/1v1", ["KH"], ["3C", "AD"], "3C>KH=17", "ZWI-36"),
    ("christiansen/1v1", ["4C"], ["3C", "AD"], "X>4C=7", "ZWI-8"),
]


@pytest.mark.parametrize(("name", "table", "hand", "move", "clause"), CASES)
def test_refusals(name: Any, table: Any, hand: Any, move: Any, clause: Any) -> None:
    match = Match.from_position(f"zwicker/{name}", {"table": table, "hands": [hand]})
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.clause == clause
    assert move not in match.legal_moves()


def test_grupp_allows_any_build_and_extensions_of_others_builds() -> None:
    """ZWI-18, ZWI-19, ZWI-23: the joker in a build is wild no more."""
    match = Match.from_position(
        "zwicker/grupp/1v1", {"table": ["[5C+X=12]"], "by": [1], "hands": [["2S", "2D"]]}
    )
    assert [move for move in match.legal_moves() if ">" in move] == [
        *("2D>[5C+X=12]=14", "2S>[5C+X=12]=14"),
    ]
    match.play("2S>[5C+X=12]=14")
    assert match.view(0)["table"][0]["by"] == 0


def test_a_build_keeps_its_declared_value() -> None:
    """ZWI-34, ZWI-37: lowered to 10 it may be raised again, from 10."""
    match = Match.from_position(
        "zwicker/christiansen/1v1",
        {"table": ["KH"], "hands": [["4C", "TD", "QC"], ["3D", "KC", "9S"]]},
    )
    match.play("4C>KH=10")
    assert match.is_legal("3D>[4C+KH=10]=13") is False  # ZWI-36: no queen is left there
    assert not match.is_legal("KCx[4C+KH=10]")


def test_the_listing_is_cut_at_512_and_the_rest_is_legal() -> None:
    """ZWI-49, ZWI-50: whatever a hand can do, listed or not, is accepted; and nothing twice."""
    match = Match.from_position("zwicker/grupp/ffa5", {"hands": [["9S"]]})
    rules = match.format.rules
    deck = texts(full_pack(rules))
    Random(4).shuffle(deck)
    table = [card for card in deck if card != "9S"][:70]
    match = Match.from_position("zwicker/grupp/ffa5", {"table": table, "hands": [["9S", "X"]]})
    legal_list = match.legal_moves()
    assert len(legal_list) == len(set(legal_list)) == 512
    assert match.truncated
    assert match.is_legal("X>" + next(card for card in sorted(table) if card[0] == "2") + "=14")
