"""Reasons for refusals in Canasta."""

from typing import Any

import pytest

from engine import Match
from engine.move_options import why_not

CLASSIC = "canasta/classic/2v2"
HAND = ["4C", "5C", "6D", "7S", "7H", "8D", "9S", "TC", "JD", "QH", "KS"]
NONE: dict[str, list[Any]] = {"0": [], "1": []}
KINGS = {"0": [["KC", "KD", "KH"]], "1": [["9C", "9D", "9H"]]}
FEW_WILD = {"0": [["KC", "KD", "2C", "2D", "X"]], "1": []}


def at(text: str = CLASSIC, **state: Any) -> Match:
    """A position after the draw of a four."""
    match = choosing(text, stock_top=["4D"], **state)
    match.play("draw")
    return match


def choosing(text: str = CLASSIC, **state: Any) -> Match:
    """A position before the draw."""
    state = {"hand": HAND, "melds": KINGS, "pile": ["5C"], "phase": "choose", **state}
    return Match.from_position(text, {"seat": 0, "stock": 40, "frozen": False, **state})


CHOOSING = [
    (choosing(), ["hand:4"], "First draw a card, or take the pile.", 12),
    (choosing(), ["hand:5", "stock"], "To draw, pick only the stock.", 16),
    (choosing(pile=["3C"]), ["pile"], "A pile with 3♣ on top cannot be taken.", 31),
    (
        choosing(melds=NONE),
        ["pile"],
        "The pile is frozen: only two fives from your hand can take it.",
        27,
    ),
    (
        *(choosing(melds=NONE, pile=["8C", "7D"]), ["pile"]),
        *("Your first meld must be worth 50 points, and this move would prevent it.", 33),
    ),
    (choosing(pile=["2C", "KD"], frozen=True), ["pile"], "The pile is frozen: only two kings", 27),
    (
        choosing(pile=["4D"]),
        ["pile"],
        "You can take the pile with two fours, or with one and a",
        28,
    ),
]
MELDING = [
    (["stock"], "You have already drawn.", 12),
    (["hand:4", "hand:5"], "A meld has cards of one rank, and wild cards.", 36),
    (["meld:1:9"], "You can add only to your own side's melds.", 36),
    (["meld:0:K", "hand:4"], "Your kings take kings and wild cards.", 36),
    (["hand:4", "hand:5", "pile"], "You discard only one card.", 13),
    (["hand:7", "hand:7"], "A meld is opened with two cards of its rank and a third", 37),
    (["meld:0:K", "pile"], "Cards go to one place at a time.", 36),
]


@pytest.mark.parametrize(("match", "picked", "sentence", "clause"), CHOOSING)
def test_drawing(match: Match, picked: list[str], sentence: str, clause: int) -> None:
    refusal = why_not(match, 0, picked)
    assert refusal is not None
    assert refusal.sentence.startswith(sentence)
    assert refusal.clause == f"CAN-{clause}"


@pytest.mark.parametrize(("picked", "sentence", "clause"), MELDING)
def test_melding(picked: list[str], sentence: str, clause: int) -> None:
    refusal = why_not(at(), 0, picked)
    assert refusal is not None
    assert refusal.sentence.startswith(sentence)
    assert refusal.clause == f"CAN-{clause}"


def test_three_wild_cards_are_the_most() -> None:
    match = at(hand=["2S", "4C", "5C", "6C"], melds=FEW_WILD)
    refusal = why_not(match, 0, ["hand:2", "meld:0:K"])
    assert refusal is not None
    assert (refusal.sentence, refusal.clause) == ("A meld has at most three wild cards.", "CAN-38")


def test_a_card_must_be_kept() -> None:
    match = at(hand=["KS"])
    refusal = why_not(match, 0, ["hand:K", "meld:0:K"])
    assert refusal is not None
    assert refusal.clause == "CAN-46"
    assert refusal.sentence.startswith("Too few cards would be left")


def test_a_question_waits() -> None:
    canasta = ["7C", "7D", "7H", "7S", "7C", "7D", "7H"]
    match = at(hand=["9C", "9D", "9H"], melds={"0": [canasta], "1": []})
    match.play("ask")
    refusal = why_not(match, 2, ["pile"])
    assert refusal is not None
    assert refusal.clause == "CAN-86"
