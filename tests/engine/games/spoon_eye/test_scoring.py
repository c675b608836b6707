from typing import Any

import pytest

from engine import Format, Match
from engine.cards import mask_of, parse_cards
from engine.games.spoon_eye import scoring


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text.split()))


@pytest.mark.parametrize(
    ("raised_mast", "taken_masts", "rows_empty", "double"),
    [
        ("KS 6D 5H", "AC 2C", False, ""),
        ("2H AD 8C 6S 4H", "AC 2C 3C 4C", False, "6S 4H"),  # SPO-41
        ("4S 9S 8S", "AC", False, "4S 9S 8S"),  # SPO-42
        ("AS 2S 3S 5S KS", "AC", False, "AS 2S 3S 5S KS"),  # SPO-42 and SPO-41, once (SPO-44)
        ("4S 9H 8S", "AC", True, "4S 9H 8S AC"),  # SPO-43
        ("4S 9H 8S", "", True, ""),  # SPO-43: a mast must really have been taken
    ],
)
def test_doubling(raised_mast: Any, taken_masts: Any, rows_empty: Any, double: Any) -> None:
    doubled = scoring.doubled_cards(cards(raised_mast), cards(taken_masts), rows_empty=rows_empty)
    assert doubled == mask_of(cards(double))


def test_lines_add_up_to_base_and_bonus() -> None:
    # SPO-34, SPO-46, SPO-47
    rules = Format.parse("spoon-eye/standard/1v1").rules
    single, double = [mask_of(cards("AC 4D 7H")), 0], [mask_of(cards("9S QD")), 0]
    lines = scoring.lines(rules, single, double)
    assert [(line.key, line.clause, line.points) for line in lines] == [
        ("cards", "SPO-46", [3, 0]),
        ("doubled", "SPO-46", [4, 0]),
        ("bonus", "SPO-47", [4, 0]),
    ]
    assert scoring.base(single, double) == [7, 0]
    basic = Format.parse("spoon-eye/basic/1v1").rules
    assert [line.clause for line in scoring.lines(basic, single, [0, 0])] == ["SPO-34"]
    assert scoring.bonus(basic, single, double) == [0, 0]


def test_when_bonuses_count() -> None:
    # SPO-49, SPO-58
    rules = Format.parse("spoon-eye/standard/1v1").rules
    assert scoring.final_scores(rules, [99, 100], [5, -7]) == [99, 93]
    endless = Format.parse("spoon-eye/standard/1v1?target=0").rules
    assert scoring.final_scores(endless, [9, 10], [5, -7]) == [14, 3]  # SPO-51


@pytest.mark.parametrize(
    ("fmt", "number", "bases", "stop", "reason"),
    [
        ("spoon-eye/standard/1v1", 0, [99, 99], "", None),
        ("spoon-eye/standard/1v1", 0, [100, 0], "", "target"),  # SPO-48
        ("spoon-eye/standard/1v1", 49, [10, 0], "", "deals"),  # SPO-51
        ("spoon-eye/standard/1v1", 3, [10, 0], "decks", "decks"),
        ("spoon-eye/basic/1v1", 0, [10, 0], "", "deals"),  # SPO-35
        ("spoon-eye/basic/1v1?deals=2", 0, [10, 0], "", None),
    ],
)
def test_the_end_of_a_match(fmt: Any, number: Any, bases: Any, stop: Any, reason: Any) -> None:
    result = scoring.outcome(Format.parse(fmt).rules, number, bases, [0, 0], stop)
    assert (result and result["reason"]) == reason


def test_equal_scores_are_drawn() -> None:
    # SPO-35, SPO-50
    rules = Format.parse("spoon-eye/basic/ffa3").rules
    result = scoring.outcome(rules, 0, [9, 7, 9], [0, 0, 0], "")
    assert result
    assert result["winners"] == [0, 2]
    assert result["ranks"] == [1, 3, 1]


def test_the_tally_is_the_sheet_of_the_cards_won_so_far() -> None:
    # SPO-34, SPO-46, SPO-47
    won = [{"single": ["AC", "4D"], "double": ["9S"]}, {"single": ["2C"], "double": []}]
    match = Match.from_position("spoon-eye/standard/1v1", {"hands": [["6C"], ["7C"]], "won": won})
    tally = match.format.spec.tally(match.format, match.view(None))
    assert [(line.key, line.clause, line.what, line.points) for line in tally] == [
        ("cards", "SPO-46", "cards won", [2, 1]),
        ("doubled", "SPO-46", "doubled cards", [2, 0]),
        ("bonus", "SPO-47", "suit bonus, above the line", [2, -1]),
    ]
