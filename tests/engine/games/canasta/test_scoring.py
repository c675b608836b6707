"""The end of a match (CAN-66 to CAN-68)."""

from typing import Any

import pytest

from engine import Format, Match
from engine.games.canasta import scoring


def outcome(text: Any, number: Any, totals: Any, stop: Any = "") -> Any:
    return scoring.outcome(Format.parse(f"canasta/{text}").rules, number, totals, stop)


def test_the_match_continues_below_the_target() -> None:
    # CAN-66
    assert outcome("classic/2v2", 3, [4995, -200]) is None
    assert outcome("classic/2v2?target=4995", 3, [4995, -200])["reason"] == "target"
    assert outcome("classic/2v2", 49, [10, 20])["winners"] == [1]
    assert outcome("classic/2v2", 49, [10, 20])["reason"] == "deals"
    assert outcome("classic/2v2", 3, [10, 20], "decks")["reason"] == "decks"


def test_the_highest_wins_and_equals_draw() -> None:
    # CAN-67
    assert outcome("classic/ffa3", 3, [5000, 5200, 5200])["ranks"] == [3, 1, 1]


@pytest.mark.parametrize(
    ("table", "totals", "paid"),
    [("2v2", [5000, 20], [4980, -4980]), ("ffa3", [10, 20, 30], [-30, 0, 30])],
)
def test_settlement(table: Any, totals: Any, paid: Any) -> None:
    # CAN-68
    assert outcome(f"classic/{table}", 49, totals)["settlement"] == paid


def test_red_three_scales() -> None:
    # CAN-22
    four, six = (Format.parse(f"canasta/classic/3v3?red3={n}").rules for n in ("four", "six"))
    assert [scoring.red3_bonus(four, n) for n in range(7)] == [0, 100, 200, 300, 800, 1000, 1200]
    assert [scoring.red3_bonus(six, n) for n in range(7)] == [0, 100, 200, 300, 400, 1000, 1200]


def test_the_tally_counts_table_cards_minus_hands() -> None:
    # CAN-22, CAN-44, CAN-65
    state = {
        "seat": 0,
        "hand": ["AC", "4C"],
        "hands": {"1": ["X"], "2": ["5C"], "3": []},
        "melds": {"0": [["KC", "KD", "KH", "KS", "KC", "KD", "2C"]], "1": [["5D", "5H", "5S"]]},
        "red3": [["3D"], [], ["3H"], []],
    }
    match = Match.from_position("canasta/classic/2v2?deals=1", state)
    tally = match.format.spec.tally(match.format, match.view(None))
    assert [(line.key, line.clause, line.what, line.points) for line in tally] == [
        ("melds", "CAN-65", "cards melded", [80, 15]),
        ("canastas", "CAN-44", "canastas", [300, 0]),
        ("red3", "CAN-22", "red threes", [200, 0]),
        ("hands", "CAN-65", "cards left in hands", [-30, -50]),
    ]


def test_the_tally_follows_the_options() -> None:
    # CAN-22, CAN-23, CAN-65: without a canasta melds count against the side, red threes too
    state = {"seat": 0, "hand": ["AC"], "hands": {"1": ["X"]}, "red3": [["3D"], ["3H"]]}
    state["melds"] = {"0": [["5D", "5H", "5S"]]}
    match = Match.from_position("canasta/classic/1v1?nocanasta=true&red3minus=true", state)
    tally = match.format.spec.tally(match.format, match.view(None))
    assert [line.points for line in tally] == [[-15, 0], [0, 0], [100, -100], [-20, -50]]
