"""Every worked example of docs/rules/canasta.md (section 12) is a test."""

from typing import Any

import pytest

from engine import Format, Match
from engine.cards import parse_cards
from engine.games.canasta import scoring
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.melds import parse_meld
from engine.score_sheet import total
from tests.engine.documents import blocks_of

BLOCKS = blocks_of("canasta.md")
EXAMPLES: dict[str, dict[str, Any]] = {block["id"]: block for block in BLOCKS if "id" in block}
KNOWN_KEYS = {
    *("id", "clause", "format", "note", "state", "play", "legal", "legal_excludes", "then"),
    *("deal_number", "dealer", "order", "final", "winners", "settlement"),
    *("deal", "scores"),
}
STATE_KEYS = {
    *("seat", "phase", "hand", "melds", "pile", "stock", "stock_top", "frozen", "scores"),
    *("melded", "sides"),
}
THEN_KEYS = {
    *("counted", "red3", "ended", "pending", "phase", "hand_size", "committed", "refused"),
    *("seat", "concealed", "stock", "sides"),
}


def having(key: str) -> list[str]:
    return [name for name, example in EXAMPLES.items() if key in example]


def test_every_example_and_key_is_read() -> None:
    assert len(EXAMPLES) == len(BLOCKS) - 1 == 115  # one block is the view of CAN-94
    assert {*having("state"), *having("order"), *having("final"), *having("deal")} == set(EXAMPLES)
    for example in EXAMPLES.values():
        assert set(example) <= KNOWN_KEYS, example["id"]
        assert set(example.get("state", {})) <= STATE_KEYS, example["id"]
        assert set(example.get("then", {})) <= THEN_KEYS, example["id"]


@pytest.mark.parametrize("name", having("state"))
def test_positions(name: Any) -> None:
    example = EXAMPLES[name]
    match = Match.from_position(example["format"], example["state"])
    for move in example["play"]:
        assert move in match.legal_moves()
        match.step(move)
    legal = match.legal_moves()
    assert legal == example["legal"]
    assert all(match.is_legal(move) for move in legal)
    assert not match.truncated
    for move in example.get("legal_excludes", []):
        assert not match.is_legal(move)
        if legal:
            with pytest.raises(ValueError, match=r"CAN-\d+"):
                match.play(move)
    check_then(match, example["state"], example.get("then", {}))


def check_then(match: Any, state: Any, expected: Any) -> None:
    seat = state["seat"]
    view = match.view(seat)
    log = match.events(None)
    ends = [event["reason"] for event in log if event["type"] == "end"]
    outs = [event["concealed"] for event in log if event["type"] == "out"]
    actual = {
        **{key: view["step"][key] for key in ("counted", "pending", "committed", "refused")},
        "red3": view["red3"][seat],
        "ended": ends[0] if ends else None,
        "concealed": outs[0] if outs else None,
        "phase": view["phase"],
        "hand_size": len(view["hand"]),
        "seat": view["to_act"],
        "stock": view["stock"],
        "sides": view["sides"],
    }
    assert {key: actual[key] for key in expected} == expected
    assert bool(ends) == ("ended" in expected)


@pytest.mark.parametrize("name", having("order"))
def test_seating(name: Any) -> None:
    example = EXAMPLES[name]
    deal = CanastaDeal(Format.parse(example["format"]).rules, [], example["deal_number"])
    assert deal.dealer == example["dealer"]
    assert deal.order() == example["order"]


@pytest.mark.parametrize("name", having("final"))
def test_ends_of_matches(name: Any) -> None:
    example = EXAMPLES[name]
    result = scoring.outcome(Format.parse(example["format"]).rules, 3, example["final"], "")
    assert result is not None
    assert result["reason"] == "target"
    assert result["winners"] == example["winners"]
    assert result["settlement"] == example["settlement"]


@pytest.mark.parametrize("name", having("deal"))
def test_deal_scores(name: Any) -> None:
    example = EXAMPLES[name]
    fmt = Format.parse(example["format"])
    deal, going_out = example["deal"], example["deal"]["out"]
    assert set(deal) - {"sides"} == {"melds", "hands", "red3", "out"}
    sides = deal.get("sides", fmt.rules.sides)
    finished_deal = scoring.FinishedDeal(
        sides,
        [
            [parse_meld(parse_cards(cards), 0) for cards in deal["melds"].get(str(side), [])]
            for side in range(len(sides))
        ],
        [parse_cards(deal["hands"].get(str(seat), [])) for seat in range(fmt.seats)],
        deal["red3"],
        -1 if going_out is None else going_out["seat"],
        int(bool(going_out and going_out["concealed"])),
    )
    entries = scoring.score(fmt.rules, finished_deal)
    assert [entry["total"] for entry in entries] == example["scores"]
    lines = scoring.lines(entries, finished_deal.concealed)
    assert total(lines, len(entries)) == example["scores"]
