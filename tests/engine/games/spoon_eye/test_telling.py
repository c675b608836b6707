from typing import Any

import pytest

from engine import Format
from engine.games.spoon_eye.telling import tell

FORMAT = Format.parse("spoon-eye/standard/2v2")


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("draw", "South leaves the crow's nests where they are.", "SPO-37"),
        ("pass", "South cannot play a card and passes.", "SPO-16"),
        ("7D>1:2", "South lays the seven of diamonds on West's second mast.", "SPO-15"),
        ("KS>0:L", "South lays the king of spades down as a new mast on the left.", "SPO-15"),
        (
            "move:0:3>0:1",
            "South moves the crow's nest of their own third mast onto their own first mast.",
            "SPO-37",
        ),
        ("take:1:3", "South plunders West's third mast.", "SPO-20"),
        ("take:none", "South takes no mast.", "SPO-20"),
        (
            "steal:1:2>0:R",
            "South steals the crow's nest of West's second mast "
            "and lays it down as a new mast on the right.",
            "SPO-27",
        ),
    ],
)
def test_moves_in_words(move: Any, sentence: Any, clause: Any) -> None:
    telling = tell(FORMAT, ("move", {"seat": 0, "move": move}, None))
    assert (telling.sentence, telling.clause) == (sentence, clause)


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("draw", {"seat": 1}, "West draws a card."),
        ("raise", {"seat": 2, "cards": ["KS", "AD", "QH"]}, "North raises a mast of 21."),
        ("swap", {"seats": [0, 1]}, "Three sevens: South and West swap hands."),
        (
            "deal_end",
            {"base": [20, 1], "bonus": [-3, 0]},
            "The deal scores South and North 20 points (bonus -3) "
            "and West and East 1 point (bonus +0).",
        ),
        (
            "end",
            {"result": {"winners": [1], "reason": "target"}},
            "The target is reached: West and East win.",
        ),
        (
            "end",
            {"result": {"winners": [0, 1], "reason": "deals"}},
            "That was the last deal: a draw between South and North and West and East.",
        ),
    ],
)
def test_events_in_words(kind: Any, data: Any, sentence: Any) -> None:
    assert tell(FORMAT, (kind, data, None)).sentence == sentence
