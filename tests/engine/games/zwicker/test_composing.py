"""Parts that people pick in Zwicker, their sentences, and reasons for refusals."""

from typing import Any

import pytest

from engine import Match
from engine.move_options import decide, why_not
from engine.move_parts import Refusal

GRUPP = "zwicker/grupp/1v1"


def at(text: str = GRUPP, **state: Any) -> Match:
    return Match.from_position(text, {"dealer": 1, "turn": 0, **state})


def said(match: Match) -> dict[str, tuple[tuple[str, ...], str]]:
    return {offer.move: (offer.parts, offer.sentence) for offer in decide(match, 0).offers}


def test_moves() -> None:
    match = at(hands=[["9S", "X"], ["KS"]], table=["4C", "5D", "AC"])
    moves = said(match)
    assert moves["9Sx4C,5D"] == (("hand:9S", "item:4C", "item:5D"), "9♠ takes 4♣ and 5♦.")
    assert moves["9S"] == (("hand:9S", "table"), "You lay 9♠ on the table.")
    build = ("hand:X", "item:5D", "choice:=12")
    assert moves["X>5D=12"] == (build, "You lay a joker on 5♦ and say twelve.")
    assert moves["XxAC"][1] == "A joker takes A♣."


@pytest.mark.parametrize(("option", "zwick"), [("", True), ("?joker_zwick=false", False)])
def test_a_zwick_is_announced_where_it_counts(option: str, zwick: bool) -> None:
    moves = said(at(GRUPP + option, hands=[["X"], ["KS"]], table=["4C"]))
    assert moves["Xx4C"][1].endswith("a zwick.") == zwick


def test_equal_items_are_one_part_picked_twice() -> None:
    match = at(
        "zwicker/grupp/ffa5", dealer=4, hands=[["8D"], ["KS"], [], [], []], table=["4C", "4C"]
    )
    assert said(match)["8Dx4C,4C"][0] == ("hand:8D", "item:4C", "item:4C")
    part = next(part for part in decide(match, 0).parts if part.key == "item:4C")
    assert part.where == (("table", 0), ("table", 1))


@pytest.mark.parametrize(
    ("option", "hand", "table", "picked", "sentence", "clause"),
    [
        ("", "9S KD", "KC", ["hand:9S", "item:KC"], "K♣ stays. It is more than 9♠ takes.", 10),
        ("", "9S KD", "3C", ["hand:KD", "item:3C"], "3♣ stays. No other items make fourteen", 10),
        ("", "9S", "9C", ["item:9C", "table"], "A card that you lay on the table takes", 15),
        ("?trail=forced", "9S", "9C", ["table"], "Each card in your hand can take something", 15),
        ("?trail=forced", "9S 2D", "9C", ["hand:9S", "table"], "9♠ stays in your hand.", 15),
        (
            "?joker_table=never",
            "KD",
            "X KC",
            ["item:X"],
            "A joker stays. Here an item with a joker",
            24,
        ),
        ("?joker_table=joker", "KD X", "X", ["hand:KD", "item:X"], "A joker stays. Here only", 25),
        (
            *("?joker_single=true", "X 9C", "4C 5C", ["hand:X", "item:4C", "item:5C"]),
            *("Here a joker takes only one item.", 27),
        ),
    ],
)
def test_why_not(
    option: str, hand: str, table: str, picked: list[str], sentence: str, clause: int
) -> None:
    match = at(GRUPP + option, hands=[hand.split(), ["KS"]], table=table.split())
    refusal = why_not(match, 0, picked)
    assert refusal is not None
    assert refusal.sentence.startswith(sentence)
    assert refusal.clause == f"ZWI-{clause}"


def test_a_build_of_another_value() -> None:
    hands = [["3C", "5C", "8C"], ["KS"]]
    match = at("zwicker/christiansen/1v1", hands=hands, table=["5H", "9D"])
    assert why_not(match, 0, ["hand:3C", "item:9D", "choice:=8"]) == Refusal(
        "3♣ on 9♦ does not make eight.", "ZWI-35"
    )


def test_a_build_needs_a_card_that_takes_it() -> None:
    hands = [["3C", "JC"], ["KS"]]
    match = at("zwicker/christiansen/1v1", hands=hands, table=["9D", "TD"])
    assert why_not(match, 0, ["hand:3C", "item:9D", "choice:=12"]) is None
    assert why_not(match, 0, ["hand:JC", "item:TD", "choice:=12"]) == Refusal(
        "You cannot build twelve, because you would keep no card that takes it.", "ZWI-36"
    )
