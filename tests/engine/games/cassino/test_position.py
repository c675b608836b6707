from random import Random
from typing import Any

import pytest

from engine import Match

STANDARD = "cassino/standard/1v1"


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"hand": ["6C"]}, "A position has no 'hand'. It has table, hands"),
        ({}, "Seat 0 is to move, so hands[0] must have a card"),
        ({"hands": [["6C"]], "turn": 1}, "Seat 1 is to move"),
        ({"hands": [["6C"], [], []]}, "hands is a list of 2"),
        ({"hands": {"2": ["6C"]}}, "there is no '2'"),
        ({"hands": [["6C", "6C"]]}, "6C occurs more often"),
        ({"hands": [["6C"]], "table": ["6C"]}, "6C occurs more often"),
        ({"hands": [["6C"]], "captured": [["7C"], ["7C"]]}, "7C occurs more often"),
        ({"hands": [["6C"]], "captured": [["7C", "7C"]]}, "a card occurs twice"),
        ({"hands": [["X"]]}, "X occurs more often"),
        ({"hands": [["6C"]], "stock": ["7C"]}, "must be a multiple of 8"),
        ({"hands": [["6C"]], "table": ["7"]}, "is not an item"),
        ({"hands": [["6C"]], "table": [7]}, "is not an item"),
        ({"hands": [["6C"]], "table": "7C"}, "table and by must be lists"),
        ({"hands": [["6C"]], "table": ["[3C+5D=7]"]}, "cannot be built"),
        ({"hands": [["6C"]], "table": ["[3C+5D:7]"]}, "cannot be built"),
        ({"hands": [["6C"]], "table": ["[AC+JC=12]"]}, "cannot be built"),
        ({"hands": [["6C"]], "table": ["[7C+JC:J]"]}, "cannot be built"),
        ({"hands": [["6C"]], "table": ["7C"], "by": [2]}, "by names seats 0 to 1, not [2]"),
        ({"hands": [["6C"]], "turn": "0"}, "turn is a whole number from 0 to 1"),
        ({"hands": [["6C"]], "dealer": 2}, "dealer is a whole number from 0 to 1"),
        ({"hands": [["6C"]], "deal": 50}, "deal is a whole number from 0 to 49"),
        ({"hands": [["6C"]], "scores": [1]}, "scores is a list of 2"),
        ({"hands": [["6C"]], "sweeps": [2]}, "sides 0 to 1"),
        ({"hands": [["6C"]], "last_capture": 2}, "sides 0 to 1"),
    ],
)
def test_malformed_positions_are_refused_by_name(state: Any, message: Any) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        Match.from_position(STANDARD, state)
    assert message in str(caught.value)


def test_a_counted_match_cannot_start_at_its_target() -> None:
    # CAS-35, CAS-36: it would be over
    with pytest.raises(ValueError, match="already has the target"):
        Match.from_position(STANDARD + "?end=count", {"hands": [["6C"]], "scores": [21, 0]})


@pytest.mark.parametrize(
    ("fmt", "item"),
    [
        (STANDARD, "[4C+4D:4]"),  # CAS-17
        (STANDARD, "[3D+4C+7H:7]"),  # CAS-21
        (STANDARD, "[AC+AD=2]"),
        ("cassino/royal/1v1", "[5C+6D+JC:J]"),  # CAS-43
        ("cassino/royal/1v1?ace_high=true", "[AC+KD=14]"),  # CAS-42
        ("cassino/royal/1v1?ace_high=true", "[AC+AD+KD:A]"),
    ],
)
def test_items_that_play_can_make_are_accepted(fmt: Any, item: Any) -> None:
    match = Match.from_position(fmt, {"hands": [["6C"]], "table": [item]})
    assert [entry["id"] for entry in match.view(0)["table"]] == [item]


def test_a_view_of_a_position_with_few_cards_can_be_sampled() -> None:
    match = Match.from_position(STANDARD, {"hands": [["6C"], ["KD"]], "table": ["6D"]})
    sample = match.sample(0, Random(4))
    assert sample.view(0) == match.view(0)
    assert sample.view(1)["hand_sizes"] == [1, 1]


@pytest.mark.parametrize("option", ["", "?end=count", "?end=declare", "?deals=1"])
def test_a_view_after_the_end_restores_the_result(option: Any) -> None:
    match = Match(STANDARD + option, seed="over")
    rng = Random(2)
    while match.turn is not None:
        match.play(rng.choice([move for move in match.legal_moves() if move != "out"]))
    restored = Match.from_view(match.view(1), rng)
    assert restored.turn is None
    assert restored.result == match.result


def test_a_view_after_a_claim_restores_the_result_by_scores() -> None:
    match = Match.from_position(
        STANDARD + "?end=declare", {"hands": [["6C"], ["KD"]], "scores": [20, 2]}
    )
    match.play("out")
    assert match.result
    assert match.result["reason"] == "false_claim"
    restored = Match.from_view(match.view(0), Random(1))
    assert restored.view(0) == match.view(0)
    assert restored.result
    assert restored.result["scores"] == [20, 2]
    assert restored.result["reason"] == "position"
