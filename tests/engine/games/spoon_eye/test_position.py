from random import Random
from typing import Any

import pytest

from engine import Match

STANDARD = "spoon-eye/standard/1v1"
RAISED = {"seat": 0, "by": 0, "cards": ["7H", "6D", "8S"]}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"hand": ["6C"]}, "A position has no 'hand'. It has hands, masts"),
        ({}, "Seat 0 is to play, so hands[0] must have a card"),
        ({"hands": [["6C"]]}, "hands is a list of 2 entries"),
        ({"hands": [["6C", "6C"], []]}, "6C occurs more often"),
        ({"hands": [["6C"], []], "stock": ["6C"]}, "6C occurs more often"),
        ({"hands": [["X"], []]}, "X occurs more often"),
        ({"hands": [["6C"], []], "masts": [[[]], []]}, "an empty mast cannot stand"),
        ({"hands": [["6C"], []], "masts": [[["KC", "AC", "TC"]], []]}, "cannot stand"),
        ({"hands": [["6C"], []], "masts": [[["2C"]] * 5, []]}, "at most 4"),
        ({"hands": [["6C"], []], "won": [{"single": []}, {}]}, "won must have"),
        ({"hands": [["6C"], []], "turn": 2}, "turn is a whole number from 0 to 1"),
        ({"hands": [["6C"], []], "phase": "deal_over"}, "phase is one of start, play"),
        ({"hands": [["6C"], []], "raised": RAISED}, "raised must be given in the phase take"),
        ({"phase": "take"}, "raised must be given in the phase take"),
        ({"phase": "take", "raised": {**RAISED, "cards": ["7H"]}}, "worth 7, not 21"),
        ({"phase": "take", "raised": RAISED}, "needs a mast that can be taken"),
        ({"phase": "take", "raised": {**RAISED, "by": 1}}, "by must be the seat whose turn"),
        ({"phase": "take", "raised": {"seat": 0}}, "raised must be"),
        ({"phase": "steal"}, "needs a crow's nest that fits"),
        ({"phase": "start"}, "needs a stock and a crow's nest"),
        ({"hands": [["6C"], []], "to_act": 1}, "seat 0 is to act"),
        ({"hands": [["6C"], []], "pending": "4"}, "pending must be left out, except in"),
        ({"hands": [["6C"], []], "first": 1}, "first is true or false"),
        ({"hands": [["6C"], []], "nest_run": [5, 0]}, "nest_run is a whole number from 0 to 4"),
        ({"hands": [["6C"], []], "scores": [1, 2]}, "scores must have"),
        ({"hands": [["6C"], []], "known": [[["6C"], []], []]}, "seat 0 cannot know these"),
        ({"hands": [["6C"], []], "known": [[[], ["6C"]], []]}, "seat 0 cannot know these"),
    ],
)
def test_malformed_positions_are_refused_by_name(state: Any, message: Any) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        Match.from_position(STANDARD, state)
    assert message in str(caught.value)


def test_a_sample_keeps_known_cards() -> None:
    # SPO-57
    state = {
        "hands": [["KD"], ["2C", "4C", "6C"]],
        "masts": [[["2S"]], [["AC"]]],
        "known": [[[], ["2C", "6C"]], []],
    }
    match = Match.from_position(STANDARD, {**state, "stock": ["8C"]})
    assert match.view(0)["known"] == [[], ["2C", "6C"]]
    samples = set()
    for seed in range(20):
        sample = match.sample(0, Random(seed))
        hand = sample.view(1)["hand"]
        assert {"2C", "6C"} < set(hand)
        assert sample.view(0) == match.view(0)
        samples |= set(hand)
    assert len(samples) > 5  # the third card may be any that is not seen


def test_a_view_that_knows_more_than_a_hand_holds_is_refused() -> None:
    view = Match(STANDARD, seed="known").view(0)
    view["known"][1] = ["AC", "2C", "3C", "4C", "5C"]
    with pytest.raises(ValueError, match=r"hand_sizes do not match|more cards than"):
        Match.from_view(view, Random(1))


@pytest.mark.parametrize("fmt", ["spoon-eye/basic/2v2", "spoon-eye/standard/1v1?target=20"])
def test_a_view_after_the_end_gives_the_result(fmt: Any) -> None:
    match = Match(fmt, seed="over")
    rng = Random(2)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    restored = Match.from_view(match.view(1), rng)
    assert restored.turn is None
    assert restored.result == match.result
    assert restored.view(1) == match.view(1)
