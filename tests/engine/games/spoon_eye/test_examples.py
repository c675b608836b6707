"""Every worked example of docs/rules/spoon-eye.md (sections 5 and 6) is a test.

Clauses that other tests do not name are cited here by the examples that show them.
"""

from random import Random
from typing import Any

import pytest

from engine import Format, Match
from engine.cards import pack, parse_cards, texts
from engine.games.spoon_eye import masts, scoring
from tests.engine.documents import blocks_of

BLOCKS = blocks_of("spoon-eye.md")
EXAMPLES: list[dict[str, Any]] = [block for block in BLOCKS if "clause" in block]
STATES = [example for example in EXAMPLES if "state" in example]
DECKS = [example for example in EXAMPLES if "deck" in example]
VALUES = [example for example in EXAMPLES if "values" in example]
SCORES = [example for example in EXAMPLES if "match_over" in example]
AFTER_KEYS = {
    *("dealer", "turn", "to_act", "phase", "first", "masts", "hands", "raised", "pending"),
    *("won", "stock", "nest_run", "deal_result"),
}


def clauses(example: dict[str, Any]) -> str:
    return " ".join(example["clause"])


def check_after(match: Match, expected: dict[str, Any]) -> None:
    assert set(expected) <= AFTER_KEYS
    view = match.view(None)
    for key, value in expected.items():
        if key == "deal_result":
            sheet = match.deals[-1]["sheet"]
            assert {"base": sheet["base"], "bonus": sheet["bonus"]} == value
        elif key == "stock":
            assert view["stock_cards"] == value
        else:
            assert view[key] == value, key


def test_every_example_and_key_is_read() -> None:
    assert len(BLOCKS) == len(EXAMPLES) + 1  # and the view of section 5
    assert len(EXAMPLES) == 37
    assert len(STATES) + len(DECKS) + len(VALUES) + len(SCORES) == len(EXAMPLES)
    for example in EXAMPLES:
        keys = set(example) - {"clause", "format"}
        if example in STATES:
            assert keys <= {"state", "legal", "move", "after"}
            assert keys & {"legal", "after"}
        elif example in DECKS:
            assert keys == {"deck", "after"}
        elif example in VALUES:
            assert keys == {"masts", "values"}
        else:
            assert keys <= {"scores", "match_over", "final", "winners"}


@pytest.mark.parametrize("example", STATES, ids=clauses)
def test_positions(example: Any) -> None:
    match = Match.from_position(example["format"], example["state"])
    if "legal" in example:
        assert match.legal_moves() == example["legal"]
        assert all(match.is_legal(move) for move in example["legal"])
        assert not match.truncated
    if "move" in example:
        match.play(example["move"])
        check_after(match, example["after"])


@pytest.mark.parametrize("example", STATES, ids=clauses)
def test_positions_can_be_sampled(example: Any) -> None:
    match = Match.from_position(example["format"], example["state"])
    for seat in range(match.format.seats):
        sample = match.sample(seat, Random(3))
        assert sample.view(seat) == match.view(seat)
        if seat == match.turn:
            assert sample.legal_moves() == match.legal_moves()


@pytest.mark.parametrize("example", DECKS, ids=clauses)
def test_dealing(example: Any) -> None:
    assert example["deck"] == "fresh"
    check_after(Match(example["format"], decks=[texts(pack())]), example["after"])


@pytest.mark.parametrize("example", VALUES, ids=clauses)
def test_values(example: Any) -> None:
    values = [masts.value(tuple(parse_cards(mast))) for mast in example["masts"]]
    assert values == example["values"]


@pytest.mark.parametrize("example", SCORES, ids=clauses)
def test_settlement(example: Any) -> None:
    bases = [side["base"] for side in example["scores"]]
    bonuses = [side["bonus"] for side in example["scores"]]
    result = scoring.outcome(Format.parse(example["format"]).rules, 3, bases, bonuses, "")
    assert (result is not None) == example["match_over"]
    if result is not None:
        assert result["scores"] == example["final"]
        assert result["winners"] == example["winners"]


def test_the_view_of_the_document() -> None:
    documented = next(block["view"] for block in BLOCKS if "view" in block)
    match = Match.from_view(documented, Random(1))
    assert match.view(0) == documented
    assert list(match.view(0)) == list(documented)
    assert match.view(1)["hand_sizes"] == [5, 4]
