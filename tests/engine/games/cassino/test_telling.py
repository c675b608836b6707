from typing import Any

import pytest

from engine import Format
from engine.games.cassino.telling import tell

FORMAT = Format.parse("cassino/standard/2v2")


@pytest.mark.parametrize(
    ("move", "sentence", "clause", "marks"),
    [
        ("6C", "South trails the six of clubs.", "CAS-26", ("6C",)),
        (
            "6Cx2H,4S",
            "South takes the two of hearts and the four of spades with the six of clubs.",
            "CAS-9",
            ("6C", "2H", "4S"),
        ),
        (
            "9Sx2H,[3D+4C=7]",
            "South takes the two of hearts and the build of seven with the nine of spades.",
            "CAS-9",
            ("9S", "2H", "3D", "4C"),
        ),
        (
            "4C>3D=7",
            "South lays the four of clubs on the three of diamonds and builds seven.",
            "CAS-18",
            ("[3D+4C=7]",),
        ),
        (
            "4C>4D:4",
            "South lays the four of clubs on the four of diamonds and builds fours.",
            "CAS-17",
            ("[4C+4D:4]",),
        ),
        (
            "2S>[3D+4C=7]=9",
            "South lays the two of spades on the build of seven and raises it to nine.",
            "CAS-20",
            ("[2S+3D+4C=9]",),
        ),
        (
            "7H>[3D+4C=7]:7",
            "South adds the seven of hearts to the build of seven: a build of sevens.",
            "CAS-21",
            ("[3D+4C+7H:7]",),
        ),
        (
            "7C>[3D+4C+7H:7]:7",
            "South adds the seven of clubs to the build of sevens: a build of sevens.",
            "CAS-19",
            ("[3D+4C+7C+7H:7]",),
        ),
        ("out", "South claims the win.", "CAS-36", ()),
    ],
)
def test_moves_in_words(move: Any, sentence: Any, clause: Any, marks: Any) -> None:
    assert tell(FORMAT, ("move", {"seat": 0, "move": move}, None))[:3] == (sentence, clause, marks)


def test_other_events_in_words() -> None:
    # CAS-51
    assert tell(FORMAT, ("sweep", {"seat": 1}, None)).clause == "CAS-27"
    assert tell(FORMAT, ("redeal", {}, {})).clause == "CAS-4"
    rest_sentence = tell(FORMAT, ("rest", {"side": 1, "cards": ["2C"]}, None))
    assert rest_sentence.sentence == "The last card goes to West and East, who captured last."
    unclaimed_sentence = tell(FORMAT, ("rest", {"side": None, "cards": ["2C"]}, None))
    assert unclaimed_sentence.sentence == "Nobody captured: the cards left belong to nobody."
    score = tell(FORMAT, ("score", {"points": [1, 7]}, None))
    assert score.sentence == "The deal scores South and North 1 point and West and East 7 points."


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ({"winners": [0], "reason": "target"}, "The target is reached: South and North win."),
        ({"winners": [0, 1], "reason": "deals"}, "That was the last deal: a draw between"),
        ({"winners": [1], "reason": "false_claim"}, "The claim is wrong: West and East win."),
    ],
)
def test_the_end_in_words(result: Any, sentence: Any) -> None:
    assert tell(FORMAT, ("end", {"result": result}, None)).sentence.startswith(sentence)
