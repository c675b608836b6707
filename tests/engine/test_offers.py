"""Move options: common behaviour of all games, and games without parts."""

import importlib.util
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import Format, Match, move_options, move_parts, registry
from engine.move_options import decide, why_not
from engine.move_parts import BINDS, MovePart
from engine.testing import check_parts

FORMATS = [
    Format(game.name, variant.name, table)
    for game in registry.games()
    for variant in game.variants
    for table in variant.tables
]


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_parts_distinguish_the_moves_of_every_format(fmt: Format) -> None:
    match, rng = Match(fmt, seed="parts"), Random(str(fmt))
    for number in range(120):
        if match.turn is None:
            return
        if number % 11 == 0:
            check_parts(match, rng, f"{fmt}, move {number}")
        match.play(rng.choice(match.legal_moves()))


def cassino(hand: list[str], table: list[str], text: str = "cassino/standard/1v1") -> Match:
    """A position with this hand and these items."""
    state = {"dealer": 1, "turn": 0, "hands": [hand, ["KS"]], "table": table}
    return Match.from_position(Format.parse(text), state)


def test_a_decision_as_json() -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    body = json.loads(json.dumps(decide(match, 0).as_dict()))
    assert body["seat"] == 0
    assert body["steps"] == []
    assert body["more"] is False
    assert [move["move"] for move in body["moves"]] == match.legal_moves()
    first_move = body["moves"][0]
    assert [body["parts"][place]["key"] for place in first_move["parts"]] == ["hand:AS", "item:AC"]
    assert first_move["sentence"] == "A♠ takes A♣."
    assert body["parts"][0] == {
        "key": "hand:AS",
        "kind": "hand",
        "words": "A♠",
        "where": [["hand", 0]],
    }


def test_picked_parts_leave_only_moves_with_these_parts() -> None:
    decision = decide(Match("cassino/standard/1v1", seed="any text"), 0)
    remaining = decision.with_parts(["hand:7D", "item:6C"])
    assert [offer.move for offer in remaining] == ["7DxAC,6C"]
    assert decision.with_parts(["item:6C", "item:6C"]) == []


def test_a_seat_that_is_not_to_act_sees_its_hand_and_no_moves() -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    decision = decide(match, 1)
    assert decision.offers == ()
    assert [part.name for part in decision.parts if part.kind == "hand"] == match.view(1)["hand"]
    key = decision.parts[0].key
    refusal = why_not(match, 1, [key], ["Ada", "Ben"])
    assert refusal is not None
    assert refusal.sentence == "It is not your turn: Ada is to act."


def test_after_the_end_there_is_nothing_to_play() -> None:
    match = cassino(["9C"], ["5H"])
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    assert decide(match, 0).offers == ()


def test_picks_are_limited_and_validated() -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    for picked in ([], ["hand:AS"] * 65, ["hand:KC"], ["<script>"]):
        with pytest.raises(ValueError, match=r"Pick 1 to 64 parts|nothing called"):
            why_not(match, 0, picked)
    with pytest.raises(ValueError, match="no seat 5"):
        decide(match, 5)


def test_the_reason_names_conflicting_parts() -> None:
    match = cassino(["9C", "KD"], ["2D", "7H", "KC"])
    assert why_not(match, 0, ["hand:9C", "item:2D", "item:7H"]) is None
    refusal = why_not(match, 0, ["hand:9C", "item:2D", "item:KC"])
    assert refusal is not None
    assert refusal.as_dict() == {
        "sentence": "K♣ stays. A king has no number, so only a king takes it.",
        "clause": "CAS-13",
        "move": "",
    }


def test_without_a_specific_reason_a_general_one_is_given() -> None:
    match = cassino(["9C", "3D"], ["6D", "7H"])
    refusal = why_not(match, 0, ["hand:9C", "choice:=9"])
    assert refusal is not None
    assert refusal.sentence == "No legal move uses 9♣ and “say nine” together now."


def test_an_unlisted_move_is_found_by_its_parts(monkeypatch: Any) -> None:
    match = cassino(["9C", "3D"], ["2D", "4S", "5H", "7H"])
    monkeypatch.setattr(move_options, "MOST_PARTS", 6)
    decision = decide(match, 0)
    assert decision.more
    assert sum(len(offer.parts) for offer in decision.offers) <= 6
    assert "9Cx4S,5H" not in [offer.move for offer in decision.offers]
    refusal = why_not(match, 0, ["hand:9C", "item:5H", "item:4S"])
    assert refusal is not None
    assert (refusal.move, refusal.sentence) == ("9Cx4S,5H", "9♣ takes 4♠ and 5♥.")
    other_refusal = why_not(match, 0, ["hand:3D", "item:5H", "item:7H"])
    assert other_refusal is not None
    assert other_refusal.move == ""


def test_huge_tables_have_lists_of_limited_size() -> None:
    loose = [rank + suit for rank in "23456789" for suit in "CDHS"]
    match = cassino(["TC", "TD", "AC", "AD"], loose, "cassino/standard/1v1")
    decision = decide(match, 0)
    assert decision.more
    assert len(json.dumps(decision.as_dict(), ensure_ascii=False).encode()) < 300_000
    assert any(offer.move == "TC" for offer in decision.offers)


@pytest.fixture
def highcard(monkeypatch: Any) -> Any:
    """A third-party game without parts."""
    spec = importlib.util.spec_from_file_location(
        "highcard_of_parts", Path(__file__).with_name("highcard.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    original = registry.game
    monkeypatch.setattr(
        registry, "game", lambda name: module.GAME if name == "highcard" else original(name)
    )
    return module


def test_a_game_without_parts_is_played_from_its_list(highcard: Any) -> None:
    match = Match(Format.parse("highcard/plain/1v1"), seed="a")
    decision = decide(match, 0)
    assert [offer.parts for offer in decision.offers] == [
        (f"choice:{move}",) for move in match.legal_moves()
    ]
    assert decision.offers[0].sentence == f"You play {match.legal_moves()[0]}."
    assert decision.parts[0] == MovePart(decision.parts[0].key, match.legal_moves()[0])
    check_parts(match, Random(1), "highcard")


def test_binding_choices_are_announced() -> None:
    assert BINDS in move_parts.EFFECTS
    match = cassino(["9C"], ["5H"], "cassino/standard/1v1?end=declare")
    claim = next(offer for offer in decide(match, 0).offers if offer.move == "out")
    assert claim.effect == "match"
    assert claim.warning
