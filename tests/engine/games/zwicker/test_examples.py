"""Every worked example of docs/rules/zwicker.md (section 8) is a test."""

from typing import Any

import pytest

from engine import Format, Match
from engine.cards import parse_cards, texts
from engine.games.zwicker import GAME, scoring
from engine.score_sheet import total
from tests.engine.documents import blocks_of, check_legal_moves, cited, clauses_of

BLOCKS = blocks_of("zwicker.md")
EXAMPLES: dict[str, dict[str, Any]] = {block["id"]: block for block in BLOCKS if "id" in block}
VIEW = next(block for block in BLOCKS if "id" not in block)
LISTS = {
    *("legal", "legal_includes", "legal_excludes", "also_legal", "truncated", "listed"),
    *("legal_first",),
}
KNOWN_KEYS = LISTS | {
    *("id", "clause", "format", "note", "table", "hand", "move", "after", "captured", "zwicks"),
    *("points", "scores", "match_over", "winners", "settlement", "deck", "dealer", "hands"),
    *("redeal", "rest"),
}


def having(*keys: str) -> list[str]:
    return [name for name, example in EXAMPLES.items() if all(key in example for key in keys)]


def match_of(example: dict[str, Any]) -> Match:
    return Match.from_position(
        example["format"], {"table": example["table"], "hands": [example["hand"]]}
    )


def test_every_example_and_key_is_read() -> None:
    assert list(EXAMPLES) == [f"ZWI-E{number}" for number in range(1, 51)]
    for example in EXAMPLES.values():
        assert set(example) <= KNOWN_KEYS, example["id"]


@pytest.mark.parametrize("name", [name for name in having("table", "hand") if "rest" not in name])
def test_legal_moves(name: Any) -> None:
    example = EXAMPLES[name]
    check_legal_moves(match_of(example), example, "ZWI")


@pytest.mark.parametrize("name", having("move", "after"))
def test_move_and_after(name: Any) -> None:
    example = EXAMPLES[name]
    match = match_of(example)
    match.play(example["move"])
    view, expected = match.view(0), example["after"]
    assert set(expected) - {"zwick"} == {"table", "hand", "captured", "sweep"}
    assert [item["id"] for item in view["table"]] == expected["table"]
    assert view["hand"] == expected["hand"]
    assert view["captured"][0] == expected["captured"]
    assert (not view["table"]) == expected["sweep"]
    assert bool(view["zwicks"]) == expected.get("zwick", expected["sweep"])


@pytest.mark.parametrize("name", having("captured", "points"))
def test_points(name: Any) -> None:
    example = EXAMPLES[name]
    captured = [parse_cards(pile) for _, pile in sorted(example["captured"].items())]
    rules = Format.parse(example["format"]).rules
    seats = rules.seats
    piles = captured + [[] for _ in range(seats - len(captured))]
    sheet = scoring.lines(rules, piles, example["zwicks"])
    assert total(sheet, seats) == example["points"]


@pytest.mark.parametrize("name", having("settlement"))
def test_settlements(name: Any) -> None:
    example = EXAMPLES[name]
    rules = Format.parse(example["format"]).rules
    assert scoring.settlement(rules, example["scores"]) == example["settlement"]


@pytest.mark.parametrize("name", having("scores", "match_over"))
def test_end_of_match(name: Any) -> None:
    example = EXAMPLES[name]
    result = scoring.outcome(Format.parse(example["format"]).rules, 3, example["scores"], "")
    assert (result is not None) == example["match_over"]
    if result is not None:
        assert result["winners"] == example["winners"]


@pytest.mark.parametrize("name", having("deck"))
def test_dealing(name: Any) -> None:
    example = EXAMPLES[name]
    fmt = Format.parse(example["format"])
    deal = GAME.first(fmt, parse_cards(example["deck"]), [])
    view = deal.view(-1)
    assert view["dealer"] == example["dealer"]
    assert view["hands"] == example["hands"]
    assert [item["id"] for item in view["table"]] == example["table"]
    if "redeal" in example:
        for _ in range(sum(map(len, example["hands"]))):
            deal.play(deal.view(deal.turn)["hand"][0])
        assert deal.view(-1)["hands"] == example["redeal"]


@pytest.mark.parametrize("name", having("rest"))
def test_rest(name: Any) -> None:
    example, expected = EXAMPLES[name], EXAMPLES[name]["rest"]
    match = Match.from_position(
        example["format"],
        {
            "table": expected["table"],
            "last_capture": expected["last_capture"],
            "captured": expected["captured_before"],
            "hands": [["QH"]],
        },
    )
    match.play("QH")  # the card that ends the deal lies with the rest
    view = match.view(0)
    is_empty = len(view["table"]) == 0
    for number, pile in expected["captured_after"].items():
        extra = ["QH"] if is_empty and int(number) == expected["last_capture"] else []
        assert view["captured"][int(number)] == texts(sorted(parse_cards(pile + extra)))
    assert view["zwicks"] == expected["zwicks_after"]
    if not is_empty:
        assert sorted(item["id"] for item in view["table"]) == sorted([*expected["table"], "QH"])


def test_the_view_of_the_document_is_a_view() -> None:
    """ZWI-51: the same keys, the same items; played on from it, it looks the same."""
    from random import Random

    match = Match.from_view(VIEW, Random(1))
    assert match.view(1) == VIEW
    assert list(match.view(1)) == list(VIEW)


def test_every_example_is_run() -> None:
    run = [
        *(having("table", "hand"), having("captured", "points"), having("settlement")),
        *(having("scores", "match_over"), having("deck"), having("rest")),
    ]
    assert {name for names in run for name in names} == set(EXAMPLES)


@pytest.mark.parametrize("folder", ["engine/games/zwicker", "tests/engine/games/zwicker"])
def test_clauses_are_cited(folder: Any) -> None:
    clauses = clauses_of("zwicker.md", "ZWI")
    assert clauses == set(range(1, 54))
    assert sorted(clauses - cited(folder, "ZWI")) == []
