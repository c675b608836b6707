"""Sentences and their clauses."""

from typing import Any

import pytest

from engine import Format
from engine.games.paks.telling import tell

FORMAT = "paks/standard/2v2"


@pytest.mark.parametrize(
    ("kind", "data", "sentence", "clause"),
    [
        ("draw", {"seat": 1, "card": "7H"}, "West draws the seven of hearts.", "PAK-11"),
        (
            "draw",
            {"seat": 1},
            "All four suits are on the board, so West draws from the stock and must make a pak.",
            "PAK-16",
        ),
        (
            "feed",
            {"seat": 1, "card": "7H"},
            "The seven of hearts feeds the table: no card of its suit lies there.",
            "PAK-12",
        ),
        ("show", {"seat": 0, "hand": []}, "South shows the whole hand as proof.", "PAK-17"),
        ("move", {"seat": 0, "move": "end"}, "South ends the turn.", "PAK-23"),
        ("move", {"seat": 0, "move": "pass"}, "South cannot make a pak and passes.", "PAK-17"),
        (
            "move",
            {"seat": 0, "move": "pak:7H>6H"},
            "South takes the six of hearts with the seven of hearts: a pak.",
            "PAK-18",
        ),
        (
            "move",
            {"seat": 0, "move": "steal:9S+KS>1:1+3"},
            "South steals two paks of spades from West "
            "with the nine of spades and the king of spades.",
            "PAK-29",
        ),
        (
            "deal_end",
            {"thrown": {"C": 1, "D": 0, "H": 2, "S": 0}, "points": [30, 1]},
            "Each side throws off 1 pak of clubs and 2 paks of hearts; "
            "the deal scores South and North 30 points and West and East 1 point.",
            "PAK-33",
        ),
        (
            "end",
            {"result": {"reason": "target", "winners": [1]}},
            "The target is reached: West and East win.",
            "PAK-38",
        ),
    ],
)
def test_sentences(kind: Any, data: Any, sentence: Any, clause: Any) -> None:
    telling = tell(Format.parse(FORMAT), (kind, data, None))
    assert (telling.sentence, telling.clause) == (sentence, clause)
