from typing import Any

import pytest

from engine import Format
from engine.games.zwicker import GAME

GRUPP = Format.parse("zwicker/grupp/1v1")
FAMILY = Format.parse("zwicker/christiansen/1v1")


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("X", "South trails the joker.", "ZWI-15"),
        (
            "9Sx4C,[2D+3D=5]",
            "South takes the four of clubs and the build of five with the nine of spades.",
            "ZWI-10",
        ),
        (
            "X>5C=12",
            "South lays the joker on the five of clubs: a build of twelve.",
            "ZWI-16",
        ),
        (
            "2S>[5C+X=12]=14",
            "South lays the two of spades on the build of twelve: a build of fourteen.",
            "ZWI-19",
        ),
    ],
)
def test_moves(move: Any, sentence: Any, clause: Any) -> None:
    telling = GAME.tell(GRUPP, ("move", {"seat": 0, "move": move}, None))
    assert telling[:2] == (sentence, clause)


def test_marks() -> None:
    """The new build by its id, what was taken by its cards (ZWI-48)."""
    build = GAME.tell(GRUPP, ("move", {"seat": 0, "move": "2S>[5C+X=12]=14"}, None))
    assert build.marks == ("[2S+5C+X=14]",)
    take = GAME.tell(GRUPP, ("move", {"seat": 0, "move": "9Sx4C,[2D+3D=5]"}, None))
    assert take.marks == ("9S", "4C", "2D", "3D")


def test_other_events() -> None:
    """ZWI-53."""
    telling = [
        GAME.tell(GRUPP, ("deal", {"dealer": 1, "table": ["4C", "X"]}, None)),
        GAME.tell(GRUPP, ("redeal", {}, None)),
        GAME.tell(FAMILY, ("redeal", {}, None)),
        GAME.tell(GRUPP, ("zwick", {"seat": 0}, None)),
        GAME.tell(GRUPP, ("rest", {"seat": 1, "cards": ["4C"]}, None)),
        GAME.tell(FAMILY, ("rest", {"seat": None, "cards": ["4C"]}, None)),
        GAME.tell(GRUPP, ("score", {"points": [1, 2]}, None)),
        GAME.tell(GRUPP, ("end", {"result": {"winners": [0, 1], "reason": "deals"}}, None)),
    ]
    assert [entry.sentence for entry in telling] == [
        "North deals; the four of clubs and the joker lie face up.",
        "Each player gets new cards.",
        "Each player gets new cards.",
        "The table is empty: a zwick.",
        "The last card goes to North, who captured last.",
        "The cards left belong to nobody.",
        "The deal scores South 1 point and North 2 points.",
        "That was the last deal: a draw between South and North.",
    ]
    assert [entry.clause for entry in telling] == [
        *("ZWI-3", "ZWI-4", "ZWI-5", "ZWI-28", "ZWI-29", "ZWI-30", "ZWI-38", "ZWI-43"),
    ]
