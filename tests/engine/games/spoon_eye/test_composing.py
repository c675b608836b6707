"""Parts that people pick in Spoon Eye, their sentences, and reasons for refusals."""

from typing import Any

import pytest

from engine import Match
from engine.move_options import decide, why_not

STANDARD = "spoon-eye/standard/1v1"


def at(text: str = STANDARD, **state: Any) -> Match:
    return Match.from_position(text, {"dealer": 1, "turn": 0, **state})


ROWS: dict[str, Any] = {
    "hands": [["4C", "5C", "KD"], ["2C"]],
    "masts": [[["KS", "9S"], ["9D"], ["8D"], ["QC", "JC"]], [["QH", "JH"], ["TC", "6C"]]],
}


def said(match: Match) -> dict[str, tuple[tuple[str, ...], str]]:
    return {offer.move: (offer.parts, offer.sentence) for offer in decide(match, 0).offers}


def test_cards_go_on_masts() -> None:
    moves = said(at(**ROWS))
    assert moves["5C>0:2"] == (("hand:5C", "mast:0:2"), "You lay 5♣ on your second mast: 14.")
    assert moves["5C>1:2"][1] == (
        "You lay 5♣ on North's second mast. That makes 21, and North wins it."
    )
    assert moves["4C>0:2"][1].endswith("Then you play one more card, if you can.")


def test_a_new_mast_is_a_place() -> None:
    moves = said(at(hands=[["5C"], ["2C"]], masts=[[["9D"]], [["QH"]]]))
    assert moves["5C>0:L"] == (
        ("hand:5C", "new:L"),
        "You lay 5♣ down as a new mast on the left.",
    )


def test_crows_nests_are_moved() -> None:
    match = at(phase="start", stock=["6D"], hands=[["5C"], ["2C"]], masts=[[["9D"], ["8D"]], []])
    moves = said(match)
    assert moves["draw"][0] == ("stock",)
    assert moves["move:0:2>0:1"] == (
        ("nest:0:2", "mast:0:1"),
        "You move 8♦ from your second mast to your first mast: 17.",
    )
    assert [step.key for step in decide(match, 0).steps] == ["start", "play"]


@pytest.mark.parametrize(
    ("picked", "sentence", "clause"),
    [
        (
            ["hand:KD", "mast:1:2"],
            "K♦ on North's second mast would make 26, but 21 is the maximum.",
            10,
        ),
        (["hand:5C", "hand:KD"], "You play one card at a time.", 13),
        (["mast:0:2", "mast:0:3"], "Pick one mast at a time.", 13),
        (["mast:0:4"], "No card in your hand fits on your fourth mast, worth 20.", 10),
    ],
)
def test_why_not(picked: list[str], sentence: str, clause: int) -> None:
    refusal = why_not(at(**ROWS), 0, picked)
    assert refusal is not None
    assert (refusal.sentence, refusal.clause) == (sentence, f"SPO-{clause}")


def test_a_nest_or_a_draw_is_needed_first() -> None:
    match = at(phase="start", stock=["6D"], hands=[["5C"], ["2C"]], masts=[[["9D"], ["8D"]], []])
    refusal = why_not(match, 0, ["hand:5C"])
    assert refusal is not None
    assert (refusal.sentence, refusal.clause) == ("First draw, or move a crow's nest.", "SPO-37")


def test_the_last_card_ends_the_deal() -> None:
    match = at(hands=[["5C"], []], masts=[[["9D"]], [["QH"]]])
    effects = {offer.move: offer.effect for offer in decide(match, 0).offers}
    assert effects["5C>0:1"] == "ends"


def test_a_partner_with_the_mast_takes_none_of_yours() -> None:
    masts = [[["2D"]], [["TC"]], [["QH", "6S"]], [["QS", "6D"]]]
    match = at("spoon-eye/standard/2v2", hands=[["5C"], ["2C"], ["3C"], ["4C"]], masts=masts)
    leads = {offer.move: offer.leads for offer in decide(match, 0).offers}
    assert leads["5C>2:1"] == (
        "That makes 21: North wins this mast (3 cards) and may take an opponent's."
    )
    assert leads["5C>3:1"] == "That makes 21: East wins this mast (3 cards) and one of yours."


@pytest.mark.parametrize(("by", "none"), [(0, ", or take none"), (1, "")])
def test_only_your_own_sides_raising_lets_you_take_no_mast(by: int, none: str) -> None:
    match = at(
        phase="take",
        turn=by,
        to_act=0,
        hands=[["5C"], ["2C"]],
        masts=[[["9D"]], [["TC"], ["4C"]]],
        raised={"seat": 0, "by": by, "cards": ["7H", "6D", "8S"]},
        pending="9",
    )
    assert decide(match, 0).prompt == f"Pick another mast to take{none}."
