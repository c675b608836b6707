"""Refusals of moves in a situation (CAN-36 to CAN-43, CAN-91)."""

from typing import Any

import pytest

from engine import Match
from engine.errors import IllegalMove
from engine.games.canasta import moves, refusals
from engine.games.canasta.card_kinds import SYMBOLS


def situation(options: str = "", **state: Any) -> Any:
    """A situation after drawing a five of spades."""
    base: dict[str, Any] = {"pile": ["TC"], "stock": 40, "stock_top": ["5S"]}
    match: Any = Match.from_position(f"canasta/classic/2v2{options}", {**base, **state})
    match.play("draw")
    return match._deal.situation()


def test_a_misread_move_names_its_clause() -> None:
    current = situation(
        hand=["KC", "KD", "KS", "4C", "6D", "8H"], melds={"0": [["QC", "QD", "QS"]]}
    )
    assert refusals.read("K:KKK", current).cards == (SYMBOLS.index("K"),) * 3
    assert refusals.read("-4", current) is moves.DISCARDS[SYMBOLS.index("4")]
    with pytest.raises(IllegalMove) as error:
        refusals.read("Q:K", current)
    assert error.value.clause == "CAN-36"


@pytest.mark.parametrize(
    ("move", "melds", "clause"),
    [
        ("K:KKK", [], ""),
        ("K:KK2", [], ""),
        ("K:K", [], "CAN-36"),
        ("K:KKX", [], "CAN-82"),
        ("K:KKK", [["KC", "KD", "KH"]], "CAN-41"),
        ("K:2", [["KC", "KD", "2D", "2H", "X"]], "CAN-38"),
        ("K:K", [["KC", "KD", "2D", "2H", "X"]], ""),
    ],
)
def test_misfits_name_their_clauses(move: Any, melds: Any, clause: Any) -> None:
    # CAN-36 to CAN-41
    current = situation(hand=["KH", "KD", "KS", "2C", "6D", "8H"], melds={"0": melds})
    refused = refusals.fit_refusal(moves.parse(move, current), current)
    assert (refused[0] if refused else "") == clause


def test_a_fourth_wild_card_is_refused_in_black_threes_too() -> None:
    # CAN-38, CAN-40: with `wildblack3` wild cards are allowed, but at most three
    melds = {"0": [["3C", "3S", "2D", "2H", "X"]]}
    for options, clause in (("?wildblack3=true", "CAN-38"), ("", "CAN-40")):
        current = situation(options, hand=["2C", "6D"], melds=melds if options else {})
        move = moves.parse("3:2" if options else "3:332", current)
        current.turn.counts[move.kind] = 2
        refused = refusals.fit_refusal(move, current)
        assert refused is not None
        assert refused[0] == clause


@pytest.mark.parametrize("move", ["yes", "no"])
def test_an_answer_without_a_question_is_refused(move: str) -> None:
    # CAN-86
    with pytest.raises(IllegalMove, match="there is no question to answer") as error:
        refusals.read(move, situation(hand=["4C", "6D"]))
    assert error.value.clause == "CAN-86"


def test_a_step_is_tried_on_a_copy() -> None:
    # CAN-87, CAN-91
    current = situation(hand=["4C", "4D", "4S", "6D", "8H"])
    move = moves.parse("4:444", current)
    next_turn = refusals.turn_after_meld(current.turn, move)
    assert (current.turn.size, next_turn.size) == (6, 3)
    assert (current.turn.counted, next_turn.counted) == (0, 15)
    refused = refusals.refusal(move, current)
    assert refused is not None  # CAN-33: no 50 points
    assert refused[0] == "CAN-33"


def test_refusals_of_all_discards_and_questions() -> None:
    # CAN-35, CAN-57, CAN-63
    current = situation(hand=["4C", "6D"], melds={"0": [["QC", "QD", "QS"]]})
    assert refusals.any_discard_refusal(current.turn) is None
    assert (refusals.any_question_refusal(current, out=False) or "")[0] == "CAN-57"
    current.turn.pending = [4]
    assert (refusals.any_discard_refusal(current.turn) or "")[0] == "CAN-35"
    current.turn.pending, current.turn.has_discard = [], False
    assert (refusals.any_discard_refusal(current.turn) or "")[0] == "CAN-63"


@pytest.mark.parametrize("rank", ["3:333", "3:332"])
def test_black_threes_are_refused_by_their_own_promise(rank: str) -> None:
    # CAN-40: no question was asked, so no answer binds (CAN-57)
    hand = ["3C", "3S", "3S", "2D", "6D"]
    kings = {"0": [["KC", "KC", "KD", "KD", "KH", "KS", "2C"]]}
    state = situation("?wildblack3=true", hand=hand, melds=kings, melded=[0])
    with pytest.raises(IllegalMove) as error:
        refusals.read(rank, state)
    assert error.value.clause == "CAN-40"


def test_a_promise_names_black_threes_or_the_answer() -> None:
    # CAN-40, CAN-57
    kings = {"0": [["KC", "KC", "KD", "KD", "KH", "KS", "2C"]]}
    hand = ["3C", "3S", "3S", "KH", "KS"]
    match: Any = Match.from_position(
        "canasta/classic/2v2",
        {
            "hand": hand,
            "melds": kings,
            "melded": [0],
            "pile": ["TC"],
            "stock": 9,
            "stock_top": ["5S"],
        },
    )
    match.play("draw")
    match.play("3:333")
    with pytest.raises(IllegalMove) as error:
        match.play("-5")
    assert error.value.clause == "CAN-40"
    match = Match.from_position(
        "canasta/classic/2v2",
        {
            "hand": ["QC", "QD", "5C"],
            "melds": kings,
            "melded": [0],
            "pile": ["TC"],
            "stock": 9,
            "stock_top": ["QS"],
        },
    )
    for move in ("draw", "ask", "yes"):
        match.play(move)
    with pytest.raises(IllegalMove) as error:
        match.play("-5")
    assert error.value.clause == "CAN-57"
