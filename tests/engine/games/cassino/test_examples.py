"""Every worked example of docs/rules/cassino.md (section 6) is a test."""

from typing import Any

import pytest

from engine import Format, Match
from engine.cards import mask_cards, mask_of, pack, parse_cards, texts
from engine.games.cassino import scoring
from engine.score_sheet import total
from tests.engine.documents import blocks_of, check_legal_moves

EXAMPLES: dict[str, dict[str, Any]] = {
    block["id"]: block for block in blocks_of("cassino.md") if "id" in block
}
LEGAL_KEYS = {"legal", "legal_excludes", "truncated", "listed", "legal_first"}
KNOWN_KEYS = LEGAL_KEYS | {
    *("id", "clause", "format", "note", "table", "hand", "move", "after", "captured", "sweeps"),
    *("points", "before", "scores", "match_over", "winners", "certain", "by", "settlement"),
    *("one_deal", "deck", "dealer", "hands", "redeal", "rest"),
}


def having(*keys: str, lacking: str = "") -> list[str]:
    return [
        name
        for name, example in EXAMPLES.items()
        if all(key in example for key in keys) and lacking not in example
    ]


def rules_of(example: dict[str, Any]) -> Any:
    return Format.parse(example["format"]).rules


def piles(example: dict[str, Any]) -> list[int]:
    return [mask_of(parse_cards(pile)) for _, pile in sorted(example["captured"].items())]


def match_of(example: dict[str, Any]) -> Match:
    return Match.from_position(
        example["format"], {"table": example["table"], "hands": [example["hand"]]}
    )


def test_every_example_and_key_is_read() -> None:
    assert list(EXAMPLES) == [f"CAS-E{number}" for number in range(1, 57)]
    for example in EXAMPLES.values():
        assert set(example) <= KNOWN_KEYS, example["id"]


@pytest.mark.parametrize("name", having("table", "hand"))
def test_legal_moves(name: Any) -> None:
    example = EXAMPLES[name]
    check_legal_moves(match_of(example), example, "CAS")


@pytest.mark.parametrize("name", having("move", "after"))
def test_move_and_after(name: Any) -> None:
    example = EXAMPLES[name]
    match = Match.from_position(
        example["format"], {"table": example["table"], "hands": [example["hand"], ["KH"]]}
    )
    match.play(example["move"])
    view = match.view(0)
    expected = example["after"]
    assert set(expected) == {"table", "hand", "captured", "sweep"}
    assert [item["id"] for item in view["table"]] == expected["table"]
    assert view["hand"] == expected["hand"]
    assert [card for pile in view["captured"] for card in pile] == expected["captured"]
    assert bool(view["sweeps"]) == expected["sweep"]


@pytest.mark.parametrize("name", having("captured", "points"))
def test_points(name: Any) -> None:
    example = EXAMPLES[name]
    captured = piles(example)
    sheet = scoring.lines(rules_of(example), captured, example["sweeps"])
    assert total(sheet, len(captured)) == example["points"]


@pytest.mark.parametrize("name", having("before", "scores"))
def test_scores_and_end_of_match(name: Any) -> None:
    example = EXAMPLES[name]
    rules, captured = rules_of(example), piles(example)
    points = total(scoring.lines(rules, captured, example["sweeps"]), len(captured))
    totals = [score + gain for score, gain in zip(example["before"], points, strict=True)]
    assert totals == example["scores"]
    captures = (captured, example["sweeps"])
    result = scoring.outcome(rules, 3, example["before"], totals, captures, "")
    assert (result is not None) == example["match_over"]
    if result is not None:
        assert result["winners"] == example["winners"]


@pytest.mark.parametrize("name", having("certain"))
def test_claims(name: Any) -> None:
    example = EXAMPLES[name]
    captured = {card for pile in example["captured"].values() for card in pile}
    text = next(card for card in texts(pack()) if card not in captured)
    match = Match.from_position(
        example["format"],
        {
            "captured": example["captured"],
            "sweeps": example["sweeps"],
            "scores": example["before"],
            "turn": example["by"],
            "hands": [[text] if seat == example["by"] else [] for seat in range(3)][
                : Format.parse(example["format"]).seats
            ],
        },
    )
    rules = rules_of(example)
    certain = scoring.certain_totals(rules, example["before"], piles(example), example["sweeps"])
    assert certain == example["certain"]
    match.play(example["move"])
    assert (match.turn is None) == example["match_over"]
    assert match.result is not None
    assert match.result["winners"] == example["winners"]
    assert match.scores == match.result["scores"] == example["certain"]


@pytest.mark.parametrize("name", having("settlement"))
def test_settlements(name: Any) -> None:
    example = EXAMPLES[name]
    paid = scoring.settlement(
        rules_of(example), example["scores"], example["winners"], example["one_deal"]
    )
    assert paid == example["settlement"]


@pytest.mark.parametrize("name", having("scores", "match_over", lacking="before"))
def test_last_deal(name: Any) -> None:
    example = EXAMPLES[name]
    scores = example["scores"]
    zeros = [0] * len(scores)
    result = scoring.outcome(rules_of(example), 0, zeros, scores, (zeros, []), "")
    assert (result is not None) == example["match_over"]
    assert result is not None
    assert result["winners"] == example["winners"]
    assert result["reason"] == "deals"


@pytest.mark.parametrize("name", having("deck"))
def test_dealing(name: Any) -> None:
    example = EXAMPLES[name]
    top = example["deck"]
    deck = [*top, *(card for card in texts(pack()) if card not in top)]
    match = Match(example["format"], decks=[deck])
    view = match.view(None)
    assert view["dealer"] == example["dealer"]
    assert view["hands"] == example["hands"]
    assert [item["id"] for item in view["table"]] == example["table"]
    if "redeal" in example:
        for _ in range(4 * match.format.seats):
            trails = [move for move in match.legal_moves() if len(move) == 2]
            match.play(trails[0])
        assert match.view(None)["hands"] == example["redeal"]


@pytest.mark.parametrize("name", having("rest"))
def test_rest(name: Any) -> None:
    example = EXAMPLES[name]
    expected = example["rest"]
    match = Match.from_position(
        example["format"],
        {
            "table": expected["table"],
            "last_capture": expected["last_capture"],
            "captured": expected["captured_before"],
            "hands": [["QH"]],
        },
    )
    match.play("QH")
    captured = match.view(0)["captured"]
    side = expected["last_capture"]
    for number, pile in expected["captured_after"].items():
        extra = ["QH"] if int(number) == side else []  # the card played to end the deal
        assert captured[int(number)] == texts(sorted(parse_cards(pile + extra)))
    assert match.view(0)["sweeps"] == expected["sweeps_after"]
    item_ids = [item["id"] for item in match.view(0)["table"]]
    assert item_ids == (
        [] if side is not None else [*expected["table"][:1], "QH", *expected["table"][1:]]
    )


def test_every_example_is_run() -> None:
    run = [
        *(having("table", "hand"), having("captured", "points"), having("before", "scores")),
        *(having("certain"), having("settlement"), having("scores", "match_over")),
        *(having("deck"), having("rest")),
    ]
    assert {name for names in run for name in names} == set(EXAMPLES)


def test_masks_and_cards_are_inverse() -> None:
    assert mask_cards(mask_of(pack())) == sorted(pack())
