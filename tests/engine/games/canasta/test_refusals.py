"""What forbids a move, asked of a situation (CAN-36 to CAN-43, CAN-91)."""

from typing import Any

import pytest

from engine import Match
from engine.errors import IllegalMove
from engine.games.canasta import moves, refusals
from engine.games.canasta.card_kinds import SYMBOLS


def situation(options: str = "", **state: Any) -> Any:
    """After drawing a five of spades."""
    base: dict[str, Any] = {"pile": ["TC"], "stock": 40, "stock_top": ["5S"]}
    match: Any = Match.from_position(f"canasta/classic/2v2{options}", {**base, **state})
    match.play("draw")
    return match._deal.situation()


def test_reading_names_the_clause() -> None:
    found = situation(hand=["KC", "KD", "KS", "4C", "6D", "8H"], melds={"0": [["QC", "QD", "QS"]]})
    assert refusals.read("K:KKK", found).cards == (SYMBOLS.index("K"),) * 3
    assert refusals.read("-4", found) is moves.DISCARDS[SYMBOLS.index("4")]
    with pytest.raises(IllegalMove) as error:
        refusals.read("Q:K", found)
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
def test_what_does_not_fit(move: Any, melds: Any, clause: Any) -> None:
    # CAN-36 to CAN-41
    found = situation(hand=["KH", "KD", "KS", "2C", "6D", "8H"], melds={"0": melds})
    wrong = refusals.misfit(moves.parse(move, found), found)
    assert (wrong[0] if wrong else "") == clause


def test_a_step_is_tried_on_a_copy() -> None:
    # CAN-87, CAN-91
    found = situation(hand=["4C", "4D", "4S", "6D", "8H"])
    move = moves.parse("4:444", found)
    after = refusals.turn_after_meld(found.turn, move)
    assert (found.turn.size, after.size) == (6, 3)
    assert (found.turn.counted, after.counted) == (0, 15)
    wrong = refusals.refusal(move, found)
    assert wrong is not None  # CAN-33: no 50 points
    assert wrong[0] == "CAN-33"


def test_what_forbids_every_discard_and_every_question() -> None:
    # CAN-35, CAN-57, CAN-63
    found = situation(hand=["4C", "6D"], melds={"0": [["QC", "QD", "QS"]]})
    assert refusals.parting_refusal(found.turn) is None
    assert (refusals.asking_refusal(found, out=False) or "")[0] == "CAN-57"
    found.turn.pending = [4]
    assert (refusals.parting_refusal(found.turn) or "")[0] == "CAN-35"
    found.turn.pending, found.turn.discard = [], False
    assert (refusals.parting_refusal(found.turn) or "")[0] == "CAN-63"


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
