"""Throwing off, the sheet, the tally, and the end of the match (PAK-33 to PAK-41)."""

from typing import Any

import pytest

from engine import Format, Match
from engine.cards import parse_cards
from engine.games.paks import scoring


def rules(form: str = "1v1") -> Any:
    return Format.parse(f"paks/standard/{form}").rules


def rows(*seats: list[str]) -> list[list[list[int]]]:
    return [[parse_cards(pak.split()) for pak in row] for row in seats]


@pytest.mark.parametrize(
    ("pak", "value"), [("AS 2S", 25), ("7H 8H", 15), ("KD QD JD TD", 40), ("2C 3C 4C", 15)]
)
def test_worth(pak: Any, value: Any) -> None:
    """PAK-36."""
    assert scoring.worth(parse_cards(pak.split())) == value


def test_each_side_throws_off_its_cheapest_paks() -> None:
    """PAK-33, PAK-35: by suit, as many as the side with the fewest has."""
    counts = scoring.count(rules(), rows(["AS 2S", "3S 4S", "2H 3H"], ["KS QS"]))
    assert counts.thrown == [0, 0, 0, 1]
    assert counts.suit_points == [[0, 0, 10, 25], [0, 0, 0, 0]]
    assert counts.points == [35, 0]


def test_partners_combine_their_paks() -> None:
    """PAK-34."""
    counts = scoring.count(rules("2v2"), rows(["AS 2S"], ["3S 4S"], ["KS QS"], []))
    assert counts.thrown == [0, 0, 0, 1]
    assert counts.points == [25, 0]


def line(key: str, text: str, points: list[int]) -> dict[str, Any]:
    return {"key": key, "clause": "PAK-37", "for": text, "points": points}


def test_the_sheet_has_a_line_for_each_counted_suit() -> None:
    """PAK-37."""
    scored = scoring.count(rules(), rows(["AS 2S", "3S 4S"], ["KS QS", "2D 3D"]))
    assert scoring.sheet(scored, [30, 10]) == {
        "points": [25, 10],
        "lines": [
            line("diamonds", "diamonds kept (0 thrown off by each)", [0, 10]),
            line("spades", "spades kept (1 thrown off by each)", [25, 0]),
        ],
        "thrown": {"C": 0, "D": 0, "H": 0, "S": 1},
        "scores": [30, 10],
    }


def test_the_tally_counts_paks_as_at_the_end_of_the_deal() -> None:
    """PAK-33, PAK-37: a pak that the other side makes is thrown off against the cheapest."""
    state = {"hands": [["7H"], ["2D"]], "board": ["6H"], "paks": [[], [["2H", "3H"], ["AD", "KD"]]]}
    match = Match.from_position("paks/standard/1v1", state)
    suits = ["clubs", "diamonds", "hearts", "spades"]

    def tally() -> list[list[int]]:
        lines = match.format.spec.tally(match.format, match.view(None))
        heads = [(line.key, line.clause, line.what) for line in lines]
        assert heads == [(suit, "PAK-37", f"{suit} kept") for suit in suits]
        return [line.points for line in lines]

    assert tally() == [[0, 0], [0, 30], [0, 10], [0, 0]]
    match.play("pak:7H>6H")
    assert tally() == [[0, 0], [0, 30], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("number", "scores", "stop", "reason", "winners"),
    [
        (0, [60, 20], "", "target", [0]),  # PAK-38
        (0, [50, 20], "", "target", [0]),  # PAK-38: the target itself is enough
        (0, [49, 20], "", None, None),
        (0, [60, 60], "", None, None),  # PAK-39
        (1, [60, 60], "", "deals", [0, 1]),  # PAK-41
        (0, [10, 20], "", None, None),
        (0, [10, 20], "decks", "decks", [1]),
    ],
)
def test_the_end(number: Any, scores: Any, stop: Any, reason: Any, winners: Any) -> None:
    result = scoring.outcome(rules("1v1?deals=2&target=50"), number, scores, stop)
    assert (result["reason"] if result else None) == reason
    assert (result["winners"] if result else None) == winners
