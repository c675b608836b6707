"""Labels and effects of moves, and needs, in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random

import pytest

from engine import Format, Match, all_formats
from engine.move_options import MoveOptions, decide
from engine.registry import BUILT_IN
from tests.engine.behaviour import other_formats

MAX_LENGTH = 60
VERBS = (
    *("Add", "Ask", "Build", "Claim", "Discard", "Draw", "End", "Leave", "Make", "Meld", "Move"),
    *("Pass", "Put", "Say", "Show", "Steal", "Table", "Take"),
)


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_every_move_has_a_label_and_an_effect(fmt: Format) -> None:
    for match, decision in _decisions(fmt, 120):
        _check_labels(match, decision)


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_move_has_a_label_with_any_option(game: str) -> None:
    spec = next(fmt.spec for fmt in all_formats() if fmt.game == game)
    for fmt in other_formats(spec):
        for match, decision in _decisions(fmt, 25):
            _check_labels(match, decision)


def _decisions(fmt: Format, max_moves: int) -> Iterator[tuple[Match, MoveOptions]]:
    match, rng = Match(fmt, seed="labels"), Random(str(fmt))
    while match.turn is not None and len(match.moves) < max_moves:
        yield match, decide(match, match.turn)
        match.play(rng.choice(match.legal_moves()))


def _check_labels(match: Match, decision: MoveOptions) -> None:
    keys = [need.key for need in decision.needs]
    assert len(keys) == len(set(keys))
    assert decision.prompt.endswith(".")
    for offer in (*decision.offers, *decision.combined):
        assert offer.label.split()[0] in VERBS, offer
        assert len(offer.label) <= MAX_LENGTH, offer.label
        assert "You " not in offer.label
        cards = re.findall(r"(?:10|[2-9AJQK])[♣♦♥♠]", offer.label.partition(" with ")[0])
        assert len(cards) <= 5, "four, and the one on the board"
        assert offer.leads.endswith(".")
        assert offer.leads != offer.sentence
        assert offer.after or offer.deed[0].islower(), offer
        assert ":" not in offer.deed
        if offer.decides and offer.decides.startswith(("first", "canastas")):
            assert offer.decides in keys, offer
    for offer in decision.combined:
        next_match = match.copy()
        for move in (offer.move, *offer.after):
            next_match.play(move)


# ── labels ───────────────────────────────────────────────────────────────────────────────────────


def _labels(match: Match) -> dict[str, tuple[str, str]]:
    seat = match.turn
    assert seat is not None
    return {offer.move: (offer.label, offer.leads) for offer in decide(match, seat).offers}


def _cassino(hand: list[str], table: list[str], **fields: object) -> Match:
    state = {"dealer": 1, "turn": 0, "hands": [hand, ["KS"]], "table": table, **fields}
    return Match.from_position("cassino/standard/1v1", state)


def test_cassino_names_taken_cards_and_counts_more_than_four() -> None:
    captured = [["2C", "2D", "2H"], ["3C", "3D"]]
    match = _cassino(["9C", "6H"], ["3S", "6D", "9S", "KC"], captured=captured)
    labels = _labels(match)
    assert labels["9Cx3S,6D,9S"] == ("Take 3♠ 6♦ 9♠", "That takes you to 7 cards.")
    assert labels["6H"] == ("Leave 6♥", "It takes nothing, and others may take it.")
    assert labels["6H>3S=9"] == ("Build nine: 6♥ on 3♠", "You hold 9♣ to take it later.")
    many_cards = _cassino(["TD", "6H"], ["2S", "3S", "5D", "8S", "2D", "KC"])
    assert next(labels for move, labels in _labels(many_cards).items() if move.count(",") == 4) == (
        "Take 5 cards",
        "10♦ scores 2. 2♠ scores 1. That takes you to 6 cards.",
    )


def test_labels_of_spoon_eye_and_paks_name_effects() -> None:
    match = Match("spoon-eye/basic/1v1", seed="labels")
    row = {"masts": [[["TC", "7C"], ["2H"]], [["5C"]]], "hands": [["4S", "KC"], ["9C"]]}
    state = {"dealer": 1, "turn": 0, "stock": ["3C"], **row}
    match = Match.from_position("spoon-eye/basic/1v1", state)
    assert _labels(match)["4S>0:1"] == (
        "Put 4♠ on the 17",
        "That makes 21: you win this mast (3 cards) and may take an opponent's."
        " Then you play one more card, if you can.",
    )
    assert [need.words for need in decide(match, 0).needs] == ["4♠ makes your 17 a 21"]


# ── needs ────────────────────────────────────────────────────────────────────────────────────────


def test_decided_needs_are_left_out() -> None:
    spades = [rank + "S" for rank in "3456789T"]
    match = _cassino(["9C"], ["3D", "AC"], captured=[[*spades, "TD", "AS"], ["2S"]])
    words_by_key = {need.key: need.words for need in decide(match, 0).needs}
    assert words_by_key == {
        "cards": "Cards 10 – 1: 17 more win the 3",
        "aces": "Aces 1 – 0, A♣ on the table",
        "sweeps": "Sweeps 0 – 0",
    }


@pytest.mark.parametrize("seed", range(6))
def test_a_decided_need_stays_absent_within_a_deal(seed: int) -> None:
    match, rng = Match("cassino/standard/1v1?deals=1", seed=f"needs {seed}"), Random(seed)
    gone_keys: set[str] = set()
    current_keys: set[str] = set()
    while match.turn is not None:
        now = {need.key for need in decide(match, 0).needs}
        gone_keys |= current_keys - now
        assert not gone_keys & now
        current_keys |= now
        match.play(rng.choice(match.legal_moves()))
    assert gone_keys


def test_the_goal_follows_from_the_formats_end() -> None:
    goals = {
        "cassino/standard/1v1": "First to 21 points.",
        "cassino/standard/1v1?deals=1": "Most points in this one deal.",
        "cassino/standard/1v1?deals=3&target=0": "Most points in 3 deals.",
        "cassino/standard/1v1?deals=5": "First to 21 points, or most after 5 deals.",
        "canasta/classic/1v1": "First to 5,000 points.",
        "paks/standard/1v1?deals=1": "Most points in paks in this one deal.",
        "spoon-eye/basic/1v1": (
            "Most points for won cards in this one deal. "
            "Bring a mast to exactly 21 to win it and a second one."
        ),
    }
    for text, goal in goals.items():
        fmt = Format.parse(text)
        assert fmt.spec.goal(fmt) == goal


# ── combined melds ───────────────────────────────────────────────────────────────────────────────


def _melding(hand: list[str], **state: object) -> Match:
    position = {"seat": 0, "phase": "choose", "stock": 40, "stock_top": ["4C"], "pile": ["5C"]}
    match = Match.from_position(
        "canasta/classic/2v2", {**position, "melds": {"0": [], "1": []}, "hand": hand, **state}
    )
    match.play("draw")
    return match


def test_four_equal_cards_are_one_combined_meld() -> None:
    match = _melding(["TC", "TD", "TH", "TS", "X", "6C", "KD"])
    rows = {(offer.move, *offer.after): offer for offer in decide(match, 0).combined}
    four = rows["T:TTT", "T:T"]
    assert four.parts == ("hand:T",) * 4 + ("new:meld",)
    assert four.label == "Meld 10♣ 10♦ 10♥ 10♠"
    assert rows["T:TTT", "T:X"].label == "Meld 10♣ 10♦ 10♥ joker"
    assert decide(match, 0).with_parts(["hand:T"] * 4)
    body = json.loads(json.dumps(decide(match, 0).as_dict()))
    assert ["T:T"] in [move["after"] for move in body["moves"]]


def test_several_cards_are_one_combined_addition() -> None:
    match = _melding(["KC", "KD", "2S", "6C"], melds={"0": [["KS", "KH", "KC"]], "1": []})
    rows = {(offer.move, *offer.after): offer for offer in decide(match, 0).combined}
    assert rows["K:K", "K:K"].label == "Add K♣ K♦ to your kings"
    assert rows["K:K", "K:K"].leads == "5 of 7 for a canasta."


def test_the_progress_of_the_first_meld() -> None:
    match = _melding(["TC", "TD", "TH", "JC", "JD", "JH", "KD"])
    need = decide(match, 0).needs[0]
    assert (need.key, need.have, need.want, need.adds["hand:T"]) == ("first", 0, 50, 10)
    match.play("T:TTT")
    decision = decide(match, 0)
    assert (decision.needs[0].have, decision.needs[0].want) == (30, 50)
    assert decision.prompt == "Meld three of a rank: your first meld still needs 20 points."


def test_alternatives_are_listed() -> None:
    match = _melding(["TC", "TD", "TH", "TS", "TC", "X", "6C", "KD"])
    assert decide(match, 0).prompt == "Meld three of a rank, or pick one card to discard."
    assert decide(Match("cassino/standard/1v1", seed="a"), 0).prompt == (
        "Pick a card and the items that it takes, or the table."
    )
