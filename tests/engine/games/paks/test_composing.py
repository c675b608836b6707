"""Parts that people pick in Paks, their sentences, and reasons for refusals."""

from typing import Any

import pytest

from engine import Match
from engine.move_options import decide, why_not
from engine.move_parts import Refusal


def at(**state: Any) -> Match:
    return Match.from_position("paks/standard/1v1", {"dealer": 1, "turn": 0, **state})


MAKING = {"hands": [["3D", "4H", "7H", "KS"], ["2D"]], "board": ["2C", "6H", "QS"]}
STEALING = {
    "phase": "steal",
    "hands": [["2C", "3C", "KS", "4D"], ["2D"]],
    "board": ["6H"],
    "paks": [[["4H", "7H"], ["2S", "3S"]], [["5C", "9C"], ["9S", "JS"], ["9H", "TH"]]],
    "used_suits": ["H"],
    "stock": ["5D"],
}


def test_a_pak() -> None:
    decision = decide(at(**MAKING, stock=["5D"]), 0)
    pak = next(offer for offer in decision.offers if offer.move == "pak:4H+7H>6H")
    assert pak.parts == ("hand:4H", "hand:7H", "board:6H")
    assert (pak.sentence, pak.step) == ("4♥ and 7♥ take 6♥: a pak.", "pak")
    assert [step.state for step in decision.steps] == ["now", "next", "next"]


def test_a_theft() -> None:
    decision = decide(at(**STEALING), 0, ["Ada", "Ben"])
    theft = next(offer for offer in decision.offers if offer.move == "steal:2C+3C>1:1")
    assert theft.parts == ("hand:2C", "hand:3C", "pak:1:1")
    assert theft.sentence == "2♣ and 3♣ steal Ben's pak of 5♣ and 9♣."
    assert [step.state for step in decision.steps] == ["done", "now", "next"]


def test_the_end_of_the_deal_is_announced() -> None:
    end = decide(at(**{**STEALING, "stock": []}), 0).offers[0]
    assert (end.move, end.parts, end.effect) == ("end", ("choice:end",), "ends")


@pytest.mark.parametrize(
    ("state", "picked", "sentence", "clause"),
    [
        (MAKING, ["hand:3D"], "There are no diamonds on the board.", 18),
        (MAKING, ["board:2C"], "You hold no clubs.", 18),
        (
            MAKING,
            ["board:QS"],
            "All your spades together have a force of 10, but Q♠ takes more than 10.",
            18,
        ),
        (MAKING, ["board:6H", "hand:KS"], "All your spades together have a force of 10,", 18),
        (
            STEALING,
            ["pak:1:3"],
            "You have already used hearts in this turn: steal in another suit.",
            26,
        ),
        (STEALING, ["pak:0:2"], "You can steal only other players' paks.", 25),
        (
            STEALING,
            ["board:6H"],
            "You have made your pak of this turn: now steal, or end the turn.",
            21,
        ),
        (STEALING, ["hand:4D"], "Nobody else has a pak of diamonds.", 25),
        (
            STEALING,
            ["pak:1:2"],
            "All your spades together have a force of 10, but North's pak of 9♠ and J♠",
            27,
        ),
        (
            STEALING,
            ["hand:KS"],
            "All your spades together have a force of 10, but the cheapest pak of spades",
            27,
        ),
    ],
)
def test_why_not(state: dict[str, Any], picked: list[str], sentence: str, clause: int) -> None:
    refusal = why_not(at(**{"stock": ["5D"], **state}), 0, picked)
    assert refusal is not None
    assert refusal.sentence.startswith(sentence)
    assert refusal.clause == f"PAK-{clause}"


def test_stealing_needs_a_pak_first() -> None:
    match = at(**MAKING, stock=["5D"], paks=[[], [["5C", "9C"]]])
    assert why_not(match, 0, ["pak:1:1"]) == Refusal(
        "First make a pak; then you may steal.", "PAK-24"
    )
