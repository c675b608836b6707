"""The listed moves are those that `refusals` allows, in the order of CAN-85."""

from random import Random
from typing import Any

import pytest

from engine import Match
from engine.errors import IllegalMove
from engine.games.canasta import legal, refusals
from engine.games.canasta.card_kinds import SYMBOLS

FORMATS = [
    "classic/2v2",
    "pre-1951/2v2",
    "us-official/3v3",
    "draw-two/1v1",
    "classic/1v2",
    "classic/2v2?red3discard=true&red3draw=false&last3=normal",
    "classic/1v1?startfrozen=false&tworank=true&canastas=2&last3=meld&hand=3",
    "classic/2v2?startfrozen=false&wildblack3=true&wildcanasta=true&concexempt=true",
]
RANKS = "A3456789TJQK"


def spellings(melds: int) -> list[str]:
    """Every text of CAN-82, in the order of CAN-85, for a side with so many melds of a rank."""
    numbers = ["", *(f"#{number}" for number in range(2, melds + 2))]
    takes = [f"take{number}" for number in numbers]
    takes += [f"take{number}:{rank}{card}" for number in numbers for rank in RANKS
              for card in f"{rank}2X"]  # fmt: skip
    meld_texts = []
    for rank in RANKS:
        meld_texts += [f"{rank}{number}:{card}" for number in numbers for card in f"{rank}2X"]
        meld_texts += [
            f"{rank}{number}:{rank * 2}{card}" for number in numbers for card in f"{rank}2X"
        ]
    questions = ["ask", *(f"ask:{seat}" for seat in range(6))]
    discards = [f"-{symbol}" for symbol in SYMBOLS]
    return ["draw", *takes, *questions, *meld_texts, *discards, "R", "pass", "yes", "no"]


def allowed(text: str, situation: Any) -> bool:
    try:
        return refusals.read(text, situation).text == text
    except IllegalMove:
        return False


@pytest.mark.parametrize("fmt", FORMATS)
def test_all_allowed_moves_are_listed_in_order(fmt: Any) -> None:
    # CAN-82, CAN-85, CAN-91, CAN-92
    rng = Random(fmt)
    moves_listed: set[str] = set()
    for number in range(4):
        match = Match(f"canasta/{fmt}", seed=f"legal {number}")
        while match.turn is not None and len(match.moves) < 160:
            deal: Any = match._deal
            moves = match.legal_moves()
            if rng.random() < 0.3:
                most_melds = max(len(melds) for melds in deal.melds)
                texts = spellings(most_melds if deal.rules.tworank else 1)
                assert moves == [text for text in texts if allowed(text, deal.situation())]
            moves_listed.update(move.split(":")[0].rstrip("#23456789") for move in moves)
            bold = [move for move in moves if ":" in move or move in ("take", "ask", "R")]
            match.play(rng.choice(bold if bold and rng.random() < 0.7 else moves))
    assert {"draw", "take", "K", "-K"} <= moves_listed


@pytest.mark.parametrize(
    ("pile", "expected"),
    [(["9D"], True), (["9D", "2C"], False), (["9D", "8D"], False), (["8D", "9D"], True)],
)
def test_whether_any_take_is_legal(pile: Any, expected: Any) -> None:
    # CAN-28, CAN-31, CAN-62
    state = {"hand": ["9S", "9H", "4C", "5C"], "stock": 9, "melds": {"0": [["QC", "QD", "QS"]]}}
    match: Any = Match.from_position("canasta/classic/2v2", {**state, "pile": pile})
    assert legal.can_take_pile(match._deal.situation()) is expected
    assert any(move.startswith("take") for move in match.legal_moves()) is expected
