"""Dealing, turns, zwicks, the rest, events."""

from typing import Any

from engine import Match


def play_first_moves(name: str, state: Any, *moves: str) -> Match:
    match = Match.from_position(f"zwicker/{name}", state)
    for move in moves:
        match.play(move)
    return match


def test_the_deal_passes_clockwise_and_the_left_of_the_dealer_begins() -> None:
    """ZWI-3, ZWI-6, ZWI-7."""
    match = Match("zwicker/grupp/ffa3?deals=3&target=0", seed="dealers")
    turns = []
    while match.turn is not None:
        view = match.view(0)
        turns.append((view["deal"], view["dealer"], view["turn"]))
        match.play(match.legal_moves()[0])
    first_turns = {deal: (dealer, turn) for deal, dealer, turn in reversed(turns)}
    assert first_turns == {0: (2, 0), 1: (0, 1), 2: (1, 2)}


def test_redeals() -> None:
    """ZWI-4, ZWI-7: one at a time from the dealer's left, who begins; empty hands are passed."""
    stock = ["2C", "3C", "4C", "5C", "6C"]
    state = {"hands": [["9C"], [], ["TC"]], "stock": stock, "dealer": 0}
    match = play_first_moves("grupp/ffa3", state, "9C")
    assert match.turn == 2  # seat 1 has no card
    match.play("TC")
    assert match.turn == 1
    assert match.view(None)["hands"] == [["4C"], ["2C", "5C"], ["3C", "6C"]]
    assert match.events(2)[-1] == {"type": "redeal", "hand": ["3C", "6C"]}
    assert match.events(0)[-1]["hand"] == ["4C"]  # ZWI-52, ZWI-53


def test_christiansen_redeals_evenly() -> None:
    """ZWI-5."""
    match = Match("zwicker/christiansen/ffa4?deals=1", seed="again")
    sizes = set()
    while match.turn is not None:
        sizes.add(match.view(0)["stock"])
        match.play(match.legal_moves()[0])
    assert sizes == {24, 0}


def test_a_zwick_and_the_last_play() -> None:
    """ZWI-28: the last play can be one; ZWI-26: not with a joker under joker_zwick=false."""
    state = {"table": ["4C", "5D"], "hands": [["9S"]]}
    match = play_first_moves("grupp/1v1", state, "9Sx4C,5D")
    assert [event["type"] for event in match.events(0)] == ["move", "zwick", "score", "end"]
    assert match.scores == [4, 0]
    joker = {"table": ["4C", "5D"], "hands": [["X"]]}
    assert play_first_moves("grupp/1v1?joker_zwick=false", joker, "Xx4C,5D").scores == [1, 0]
    assert play_first_moves("grupp/1v1", joker, "Xx4C,5D").scores == [4, 0]


def test_the_rest() -> None:
    """ZWI-29, ZWI-30, ZWI-52: with nobody's capture, or in the family's game, it stays."""
    match = play_first_moves("grupp/1v1", {"table": ["TD"], "hands": [["2C"]]}, "2C")
    assert match.events(0)[1] == {"type": "rest", "seat": None, "cards": ["2C", "TD"]}
    assert [item["id"] for item in match.view(0)["table"]] == ["2C", "TD"]
    state = {"table": ["TD"], "hands": [["2C"]], "last_capture": 1}
    assert play_first_moves("grupp/1v1", state, "2C").scores == [0, 11]
    assert play_first_moves("christiansen/1v1", state, "2C").scores == [0, 0]


def test_of_equal_items_the_earlier_is_taken_first() -> None:
    """ZWI-48, ZWI-49: of two equal builds the first is taken, the other keeps its builder."""
    build = "[4C+5C=9]"
    state = {"table": [build, build], "by": [0, 1], "hands": [["9S", "9S"]]}
    match = play_first_moves("grupp/ffa5", state)
    captures = [move for move in match.legal_moves() if "x" in move]
    assert captures == [f"9Sx{build},{build}", f"9Sx{build}"]
    match.play(f"9Sx{build}")
    assert [item["by"] for item in match.view(0)["table"]] == [1]
