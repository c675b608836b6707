"""Every worked example of docs/rules/paks.md (section 6) is a test; every clause is cited."""

from typing import Any

import pytest

from engine import Format, Match
from engine.cards import SUITS, parse_cards, texts
from engine.games.paks import scoring
from engine.games.paks.force import force
from engine.games.paks.position import from_state
from tests.engine.documents import blocks_of, cited, clauses_of

BLOCKS = blocks_of("paks.md")
EXAMPLES: list[dict[str, Any]] = [block for block in BLOCKS if "clause" in block]
CLAUSES = clauses_of("paks.md", "PAK")
KINDS = (
    {"deck", "after"},
    {"groups", "values"},
    {"state", "legal"},
    {"state", "legal_includes", "legal_excludes"},
    {"state", "move", "after"},
    {"state", "legal", "move", "after"},
    {"state", "deal_result"},
    {"scores", "match_over"},
    {"scores", "match_over", "winners"},
)


def having(*keys: str) -> list[dict[str, Any]]:
    return [example for example in EXAMPLES if all(key in example for key in keys)]


def spectator_state(match: Match) -> dict[str, Any]:
    view = match.view(None)
    shown_state = {**view, "stock": view["stock_cards"]}
    if match.turn is not None:  # only the drawing seat sees a hidden draw
        shown_state["drawn"] = match.view(match.turn)["drawn"]
    return shown_state


def compare(match: Match, expected: dict[str, Any]) -> None:
    actual = spectator_state(match)
    for key, value in expected.items():
        if key == "deal_result":
            match.proceed()
            sheet = match.deals[-1]["sheet"]
            assert {name: sheet[name] for name in value} == value
        else:
            assert actual[key] == value, key


def test_every_example_and_key_is_read() -> None:
    assert len(EXAMPLES) == 28
    assert len(BLOCKS) == len(EXAMPLES) + 1
    for example in EXAMPLES:
        assert set(example) - {"clause", "format"} in KINDS


@pytest.mark.parametrize("example", having("deck"))
def test_dealing(example: Any) -> None:
    fmt = Format.parse(example["format"])
    assert example["deck"] == "fresh"
    compare(Match(fmt, decks=[texts(fmt.spec.pack(fmt))]), example["after"])


@pytest.mark.parametrize("example", having("groups"))
def test_forces(example: Any) -> None:
    forces = [force(parse_cards(group)) for group in example["groups"]]
    assert forces == example["values"]


@pytest.mark.parametrize("example", [*having("state", "legal"), *having("legal_includes")])
def test_legal_moves(example: Any) -> None:
    match = Match.from_position(example["format"], example["state"])
    legal = match.legal_moves()
    assert legal == example.get("legal", legal)
    assert set(example.get("legal_includes", [])) <= set(legal)
    assert all(match.is_legal(move) for move in legal)
    for move in example.get("legal_excludes", []):
        assert move not in legal
        assert not match.is_legal(move)


@pytest.mark.parametrize("example", having("state", "move"))
def test_move_and_after(example: Any) -> None:
    match = Match.from_position(example["format"], example["state"])
    match.step(example["move"])
    compare(match, example["after"])


@pytest.mark.parametrize("example", having("deal_result", "state"))
def test_throwing_off(example: Any) -> None:
    rules = Format.parse(example["format"]).rules
    scored = scoring.count(rules, from_state(rules, example["state"], []).paks)
    assert dict(zip(SUITS, scored.thrown, strict=True)) == example["deal_result"]["thrown"]
    assert scored.points == example["deal_result"]["points"]


@pytest.mark.parametrize("example", having("match_over"))
def test_the_end_of_the_match(example: Any) -> None:
    rules = Format.parse(example["format"]).rules
    result = scoring.outcome(rules, 3, example["scores"], "")
    assert (result is not None) == example["match_over"]
    if result is not None:
        assert result["winners"] == example["winners"]
        assert result["reason"] == "target"


def test_the_view_of_section_5() -> None:
    """The view in the document has the keys of a real one, in their order."""
    (view,) = [block["view"] for block in BLOCKS if "view" in block]
    match = Match("paks/standard/1v1", seed="view")
    assert list(match.view(0)) == list(view)


def test_every_clause_is_cited_in_the_engine() -> None:
    assert set(range(1, 43)) == CLAUSES
    assert sorted(CLAUSES - cited("engine/games/paks", "PAK")) == []


def test_every_clause_is_tested() -> None:
    examples = {int(clause[4:]) for example in EXAMPLES for clause in example["clause"]}
    assert sorted(CLAUSES - examples - cited("tests/engine/games/paks", "PAK")) == []
