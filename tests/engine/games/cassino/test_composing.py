"""Parts that people pick in Cassino, their sentences, and reasons for refusals."""

from typing import Any

import pytest

from engine import Match
from engine.move_options import OfferedMove, decide, why_not
from engine.move_parts import Refusal

STANDARD = "cassino/standard/1v1"


def at(text: str = STANDARD, **state: Any) -> Match:
    return Match.from_position(text, {"dealer": 1, "turn": 0, **state})


def offer(match: Match, move: str) -> OfferedMove:
    return next(offer for offer in decide(match, 0).offers if offer.move == move)


@pytest.mark.parametrize(
    ("move", "parts", "sentence", "clause"),
    [
        ("9C", ("hand:9C", "table"), "You lay 9♣ on the table.", "CAS-26"),
        ("9Cx2D,7H", ("hand:9C", "item:2D", "item:7H"), "9♣ takes 2♦ and 7♥.", "CAS-9"),
        (
            "9Cx2D,[3D+4C=7]",
            ("hand:9C", "item:2D", "item:[3D+4C=7]"),
            *("9♣ takes 2♦ and the build of seven.", "CAS-9"),
        ),
        (
            "2C>7H=9",
            ("hand:2C", "item:7H", "choice:=9"),
            *("You lay 2♣ on 7♥ and say nine.", "CAS-18"),
        ),
        (
            "2C>2D:2",
            ("hand:2C", "item:2D", "choice::2"),
            *("You lay 2♣ on 2♦ and say twos.", "CAS-17"),
        ),
    ],
)
def test_moves(move: str, parts: tuple[str, ...], sentence: str, clause: str) -> None:
    match = at(hands=[["2C", "2H", "9C"], ["KS"]], table=["2D", "[3D+4C=7]", "7H"])
    assert offer(match, move)[:7] == OfferedMove(move, parts, sentence, clause, "", "", "")[:7]


def test_a_sweep_and_the_last_card_are_announced() -> None:
    match = at(hands=[["9C"], []], table=["2D", "7H"])
    sweep = offer(match, "9Cx2D,7H")
    assert sweep.sentence == "9♣ takes 2♦ and 7♥. The table is empty: a sweep."
    assert (sweep.effect, sweep.warning) == ("ends", "It is the last card: the deal ends.")


def test_builds_of_one_number_are_distinguished() -> None:
    match = at(hands=[["9C"], ["KS"]], table=["[2D+7D=9]", "[3D+6D=9]"])
    assert offer(match, "9Cx[3D+6D=9]").sentence == "9♣ takes the build of nine (3♦ and 6♦)."


def test_a_claim_binds() -> None:
    claim = offer(at(STANDARD + "?end=declare", hands=[["9C"], ["KS"]]), "out")
    assert claim.parts == ("choice:out",)
    assert claim.effect == "match"
    assert "your side loses" in claim.warning


LAID = "A card that you lay on the table takes nothing and builds nothing."
WHY = [
    (["item:JD"], "J♦ stays. A jack has no number: only a jack takes it, and you have none.", 13),
    (["item:[4C+4D:4]"], "The build of fours stays. Only a four takes it, and you have none.", 17),
    (["item:8S"], "8♠ stays. No card in your hand takes it, alone or with others.", 9),
    (["item:KC", "item:2D"], "No card in your hand takes K♣ and 2♦ together.", 9),
    (["hand:6C", "item:7H"], "7♥ stays. It is more than a six takes.", 9),
    (["hand:6C", "item:2D"], "2♦ stays. No other items make six together with it.", 9),
    (["hand:9C", "item:KC"], "K♣ stays. A king has no number, so only a king takes it.", 13),
    (["hand:KD", "item:7H"], "7♥ stays. A king has no number and takes only kings.", 13),
    (["hand:9C", "item:[3C+3D:3]"], "The build of threes stays. Only a three takes it.", 17),
    (["hand:6C", "hand:9C"], "You play only one card per turn.", 6),
    (
        ["table", "item:7H"],
        "A card that you lay on the table takes nothing and builds nothing.",
        26,
    ),
]


@pytest.mark.parametrize(("picked", "sentence", "clause"), WHY)
def test_why_not(picked: list[str], sentence: str, clause: int) -> None:
    table = ["2D", "[3C+3D:3]", "[4C+4D:4]", "5D", "7H", "8S", "JD", "KC"]
    match = at(hands=[["3S", "6C", "9C", "KD"], ["KS"]], table=table)
    assert why_not(match, 0, picked) == Refusal(sentence, f"CAS-{clause}")


def test_items_that_make_no_groups() -> None:
    match = at(hands=[["9C"], ["KS"]], table=["2D", "3D", "4D", "7H"])
    assert why_not(match, 0, ["hand:9C", "item:2D", "item:3D", "item:7H"]) == Refusal(
        "9♣ does not take 3♦ and 7♥ together: they cannot be divided into groups of nine.", "CAS-11"
    )


def test_two_faces_with_face_pairs_off() -> None:
    match = at(STANDARD + "?face_pairs=false", hands=[["KD"], ["9S"]], table=["KC", "KH"])
    assert why_not(match, 0, ["hand:KD", "item:KC", "item:KH"]) == Refusal(
        "Here a face may not take exactly two kings.", "CAS-13"
    )


def test_a_build_of_another_value() -> None:
    match = at(hands=[["2C", "7C", "9C"], ["KS"]], table=["2H", "7H", "8H"])
    picked = ["hand:2C", "item:8H", "choice:=9"]
    assert why_not(match, 0, picked) == Refusal("2♣ on 8♥ does not make nine.", "CAS-18")
