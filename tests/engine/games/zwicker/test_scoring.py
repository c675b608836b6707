from typing import Any

import pytest

from engine import Format, Match
from engine.games.zwicker import scoring
from engine.score_sheet import total


def rules(options: str = "", table: str = "grupp/ffa3") -> Any:
    return Format.parse(f"zwicker/{table}?{options}" if options else f"zwicker/{table}").rules


@pytest.mark.parametrize(
    ("options", "number", "totals", "stop", "reason", "winners"),
    [
        ("", 0, [50, 10, 20], "", "target", [0]),  # ZWI-41
        ("", 0, [50, 50, 20], "", None, None),  # ZWI-42
        ("tie=draw", 0, [50, 50, 20], "", "target", [0, 1]),
        ("", 49, [50, 50, 20], "", "deals", [0, 1]),  # ZWI-43
        ("", 49, [50, 51, 20], "", "target", [1]),
        ("deals=3&target=0", 1, [500, 1, 2], "", None, None),
        ("deals=3&target=0", 2, [1, 1, 2], "", "deals", [2]),
        ("", 0, [1, 1, 2], "decks", "decks", [2]),
    ],
)
def test_the_end(
    options: Any, number: Any, totals: Any, stop: Any, reason: Any, winners: Any
) -> None:
    result = scoring.outcome(rules(options), number, totals, stop)
    assert (result["reason"] if result else None) == reason
    assert (result["winners"] if result else None) == winners


def test_a_result() -> None:
    """ZWI-46, ZWI-44: equal totals equal rank; settlements add up to nothing."""
    result = scoring.outcome(rules("settle=differences"), 0, [55, 20, 20], "")
    assert result == {
        "scores": [55, 20, 20],
        "ranks": [1, 2, 2],
        "winners": [0],
        "settlement": [70, -35, -35],
        "reason": "target",
    }


def test_all_equal_pay_nothing() -> None:
    """ZWI-45."""
    assert scoring.settlement(rules("settle=last-pays"), [7, 7, 7]) == [0, 0, 0]
    assert scoring.settlement(rules(), [7, 8, 9]) is None


def test_lines_by_clause() -> None:
    """ZWI-38, ZWI-39, ZWI-40: Grupp's jokers score nothing."""
    grupp = scoring.lines(rules(), [[52, 52], [], []], [])
    assert {line.clause for line in grupp} == {"ZWI-38", "ZWI-39"}
    assert total(grupp, 3) == [1, 0, 0]
    family = scoring.lines(rules(table="christiansen/ffa3"), [[53, 54], [55], [56]], [2])
    assert total(family, 3) == [10, 6, 10]


def test_the_tally_is_the_sheet_of_the_piles_so_far() -> None:
    """ZWI-38, ZWI-39, ZWI-40."""
    state = {
        "hands": [["2C"], ["3C"]],
        "captured": [["AS", "TD", "X15"], ["7D"]],
        "zwicks": [1],
    }
    match = Match.from_position("zwicker/christiansen/1v1", state)
    tally = match.format.spec.tally(match.format, match.view(None))
    assert {line.key: line.points for line in tally if any(line.points)} == {
        "seven_of_diamonds": [0, 1],
        "ten_of_diamonds": [10, 0],
        "aces": [2, 0],
        "cards": [1, 0],
        "jokers": [4, 0],
        "zwicks": [0, 3],
    }
