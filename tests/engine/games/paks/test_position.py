"""Deals from positions and views."""

from random import Random
from typing import Any

import pytest

from engine import Match


@pytest.mark.parametrize(
    ("state", "part"),
    [
        ({"table": []}, "no 'table'"),
        ({"hands": [["AS"], ["AS"]]}, "AS occurs more often"),
        ({"hands": [["X"]]}, "X occurs more often"),
        ({"hands": [[], [], []]}, "hands is a list of 2"),
        ({"shown": [["AS"]]}, "shown: seat 0"),
        ({"paks": [[["AS"]]]}, "two or more cards"),
        ({"paks": [[["AS", "AH"]]]}, "of one suit"),
        ({"paks": [1]}, "not a list of paks"),
        ({"paks": 1}, "paks is a list of 2"),
        ({"phase": "draw"}, "phase is"),
        ({"phase": "steal"}, "used_suits"),
        ({"used_suits": ["X"]}, "used_suits"),
        ({"phase": "steal", "used_suits": ["C", "C"]}, "a suit twice"),
        ({"compulsory": 1}, "compulsory"),
        ({"drawn": "ZZ"}, "not a card"),
        ({"turn": 2}, "turn is a whole number"),
        ({"scores": [1]}, "scores"),
        ({"scores": [1, "2"]}, "scores is a list"),
        ({"scores": [1, -2]}, "whole numbers from 0"),
    ],
)
def test_malformed_positions(state: Any, part: Any) -> None:
    with pytest.raises(ValueError, match=part):
        Match.from_position("paks/standard/1v1", state)


def test_samples_keep_shown_cards() -> None:
    """PAK-42: a guess at the hidden cards keeps those that all have seen."""
    match = Match("paks/standard/2v2", seed="sample")
    rng = Random("sample")
    for _ in range(120):
        view = match.view(0)
        other = match.sample(0, rng).view(None)
        for shown, hand in zip(view["shown"], other["hands"], strict=True):
            assert all(hand.count(card) >= shown.count(card) for card in shown)
        assert match.sample(0, rng).view(0) == view
        match.play(rng.choice(match.legal_moves()))
        if match.turn is None:
            break


def test_a_positions_view_shows_its_state() -> None:
    state = {
        "phase": "steal",
        "used_suits": ["C"],
        "hands": [["7H", "9S"], ["AH", "KD"]],
        "shown": [[], ["AH"]],
        "board": ["6H"],
        "stock": ["2H"],
        "paks": [[["2C", "3C"]], [["2S", "7S"]]],
        "dealer": 0,
        "deal": 3,
        "scores": [40, 25],
    }
    view = Match.from_position("paks/standard/1v1", state).view(None)
    assert {key: view[key] for key in state if key != "stock"} == {
        key: value for key, value in state.items() if key != "stock"
    }
    assert view["stock_cards"] == ["2H"]


def test_a_view_of_a_position_with_few_cards_can_be_sampled() -> None:
    match = Match.from_position("paks/standard/1v1", {"hands": [["7H"], ["KD"]], "board": ["6H"]})
    sample = match.sample(0, Random(4))
    assert sample.view(0) == match.view(0)
    assert sample.view(1)["hand_sizes"] == [1, 1]


def test_an_impossible_view_is_refused() -> None:
    view = Match("paks/standard/1v1", seed="view").view(0)
    with pytest.raises(ValueError, match="more cards than the packs have"):
        Match.from_view({**view, "hand": ["AS", "AS"]}, Random(1))
    with pytest.raises(ValueError, match="hand_sizes do not match"):
        Match.from_view({**view, "hand_sizes": [0, 5]}, Random(1))


def test_a_view_after_the_end_gives_the_result() -> None:
    match = Match("paks/standard/2v2?deals=1", seed="over")
    rng = Random(2)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    restored = Match.from_view(match.view(1), rng)
    assert restored.turn is None
    assert restored.view(1) == match.view(1)
    assert match.result is not None
    assert restored.result == {**match.result, "reason": "deals"}


def test_a_spectators_view_restores_the_whole_position() -> None:
    match = Match("paks/standard/ffa3", seed="spectators")
    for _ in range(20):
        match.play(match.legal_moves()[0])
    assert Match.from_view(match.view(None), Random(1)).view(None) == match.view(None)
